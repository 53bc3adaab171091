// SPDX-License-Identifier: MIT
// One library's SGEMM function for host pointers, found at run time.
#pragma once

#include <optional>
#include <string>

#include "host_door_matrices.hpp"

namespace ladder::bench {

/// How the function takes its arguments.
enum class HostDoor : std::uint8_t { cblas, fortran };

/// "cblas" or "sgemm_"; nothing for any other word.
std::optional<HostDoor> host_door_of(const std::string& text);

/// Name of the function behind the door: "cblas_sgemm" or "sgemm_".
const char* function_name(HostDoor door);

/// True where all of the problem's extents fit the 32-bit integers of the doors.
bool fits_host_door(const BenchProblem& problem);

struct HostFunction {
  HostDoor door = HostDoor::cblas;
  void* address = nullptr;

  /// Computes all members of the batch, one call each, alpha = 1 and beta = 0, and gives the milliseconds that this
  /// took. The problem must fit_host_door(). Blocks until the last result is in memory.
  double timed_call(HostMatrices& matrices) const;
};

/// A library that stays loaded as long as the process lives: BLAS libraries keep threads.
struct LoadedBlas {
  void* handle = nullptr;
  std::string path;  ///< of the file, as the loader found it
};

/// Opens it by RTLD_LOCAL; nothing, and why, where that fails.
std::optional<LoadedBlas> load_blas(const std::string& file, std::string& complaint);

/// The door's function of that library; nothing, and why, where it has none.
std::optional<HostFunction> find_function(const LoadedBlas& library, HostDoor door, std::string& complaint);

/// The door's function in the process's global scope, where a preloaded library comes first.
std::optional<HostFunction> find_global_function(HostDoor door, std::string& complaint);

}  // namespace ladder::bench

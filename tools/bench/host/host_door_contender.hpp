// SPDX-License-Identifier: MIT
// Whoever takes part in a race of host-pointer calls, in this process or in another one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "bench/judgement.hpp"
#include "host_door_matrices.hpp"

namespace ladder::bench {

/// What came of one call.
struct HostAnswer {
  std::string complaint;               ///< why there is no result; empty where there is one
  double ms = 0.0;                     ///< of the whole batch, by the clock of the process that called
  std::optional<Judgement> judgement;  ///< of a checked call
};

/// Rung of the rows that are not ours.
inline constexpr const char* peers_rung = "0";

class HostContender {
 public:
  virtual ~HostContender() = default;

  /// Makes ready for calls of `task`, whose matrices in this process are `matrices` (they outlive the calls). Why that
  /// failed; empty when it did not.
  virtual std::string begin(const HostTask& task, HostMatrices& matrices) = 0;

  virtual HostAnswer call() = 0;

  /// The same, with C poisoned before and judged after.
  virtual HostAnswer checked_call() = 0;

  /// What LADDER_RUNG calls the rung that was asked for; "0" for a peer: the library that we stand in for.
  virtual std::string rung() const { return peers_rung; }

  /// "openblas", or what served our library's calls since begin().
  virtual std::string name() const = 0;

  /// True where the GPU did the work for certain: then the host door's floor applies.
  virtual bool on_gpu() const { return false; }

  /// True where a CPU BLAS in this process served the calls since begin().
  virtual bool on_cpu_blas() const { return false; }

  /// Of a contender that does not run in this one.
  virtual std::optional<pid_t> own_process() const { return std::nullopt; }
};

}  // namespace ladder::bench

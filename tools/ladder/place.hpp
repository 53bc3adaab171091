// SPDX-License-Identifier: MIT
// Where `ladder verify` runs a kernel: on the GPU or in the emulator.
#pragma once

#include <memory>
#include <string>

#include "rung.hpp"

namespace ladder::cli {

class Place {
 public:
  virtual ~Place() = default;

  /// Runs `problem`, whose matrices and scalars are in host memory, and waits. Empty, or what went wrong.
  virtual std::string run(const RungKernel& kernel, const GemmProblem& problem) = 0;

  /// The rung's kernel for this place, or null.
  virtual const RungKernel* kernel_of(const Rung& rung) const = 0;

  /// "gpu" or "emulate".
  virtual const char* name() const = 0;
};

std::unique_ptr<Place> emulated_place();

/// Null in a build without CUDA.
std::unique_ptr<Place> gpu_place();

}  // namespace ladder::cli

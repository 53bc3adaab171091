// SPDX-License-Identifier: MIT
// Where `ladder verify` runs a kernel: on the GPU or in the emulator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rung.hpp"

namespace ladder::cli {

/// Whole buffers of a problem in host memory; the matrices begin `offset` elements in.
struct HostBuffers {
  const std::vector<float>& a;
  const std::vector<float>& b;
  std::vector<float>& c;
  std::size_t offset;
};

class Place {
 public:
  virtual ~Place() = default;

  /// Runs `problem` (whose a, b and c are ignored) on the buffers, and waits. Empty, or what went wrong.
  virtual std::string run(const RungKernel& kernel, GemmProblem problem, const HostBuffers& buffers) = 0;

  /// The rung's kernel for this place, or null.
  virtual const RungKernel* kernel_of(const Rung& rung) const = 0;

  /// "gpu" or "emulate".
  virtual const char* name() const = 0;
};

std::unique_ptr<Place> emulated_place();

/// Null in a build without CUDA.
std::unique_ptr<Place> gpu_place();

}  // namespace ladder::cli

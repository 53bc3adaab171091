// SPDX-License-Identifier: MIT
// What the engine keeps in one CUDA context: streams, events, pinned rings and device memory.
#pragma once

#include <cstddef>
#include <mutex>

#include "offload/streamed_product.hpp"

namespace ladder::shim {

/// How the GPU reaches the matrices of a call. What is not read counts as what C is.
struct Reach {
  PointerKind a, b, c;

  bool all_on_gpu() const { return is_on_gpu(a) && is_on_gpu(b) && is_on_gpu(c); }
  bool some_beyond_cpu() const {
    return a == PointerKind::device || b == PointerKind::device || c == PointerKind::device;
  }

 private:
  static bool is_on_gpu(PointerKind kind) { return kind == PointerKind::device || kind == PointerKind::managed; }
};
Reach reach_of(GpuDevice& device, const GemmProblem& problem);

/// One call at a time, which holds `mutex`, with the context current.
class OffloadContext {
 public:
  std::mutex mutex;

  /// Makes what is missing of what the problem needs but device memory; pinned memory next to `near`.
  LaunchStatus prepare(GpuDevice& device, const GemmProblem& problem, const Reach& reach, std::size_t pinned_bytes,
                       const CoreSet* near);
  /// Device bytes that a call may take now: nine tenths of what is free or held already, and not more than `limit`
  /// (0: none).
  LaunchStatus budget(GpuDevice& device, std::size_t limit, std::size_t& bytes) const;
  /// Memory for a cut that fits into `budget`. After a failure nothing is held.
  LaunchStatus reserve(GpuDevice& device, const GemmProblem& problem, const Cut& cut, std::size_t budget);
  /// Releases all device memory where it is more than `keep` bytes.
  void trim(GpuDevice& device, std::size_t keep);

  StreamingMeans& means() { return means_; }
  StreamedProblem streamed(const Rung& rung, const GemmProblem& problem, const Reach& reach) const;

 private:
  struct Buffer {
    void* data = nullptr;
    std::size_t bytes = 0;
  };

  static LaunchStatus grow(GpuDevice& device, Buffer& buffer, std::size_t bytes);
  void release(GpuDevice& device);
  std::size_t bytes_held() const { return slots_a_.bytes + slots_b_.bytes + results_.bytes; }

  StreamingMeans means_;
  Buffer slots_a_, slots_b_, results_;
};

}  // namespace ladder::shim

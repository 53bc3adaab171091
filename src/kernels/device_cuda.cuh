// SPDX-License-Identifier: MIT
// The GPU side of device.cuh.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#define LADDER_DEVICE gpu

#include "allowed_during_capture.hpp"
#include "device_cuda_words.cuh"
#include "device_traits.hpp"
#include "gpu_context.hpp"
#include "grid_extents.hpp"
#include "rung.hpp"

namespace ladder::gpu {

struct NoSmem;

template <class Smem>
__device__ __forceinline__ Smem& block_smem() {
  extern __shared__ __align__(128) unsigned char smem_bytes[];
  return *reinterpret_cast<Smem*>(smem_bytes);
}

/// Barrier of one pipeline stage, in shared memory (PTX ISA, mbarrier; sm_80 on. Below that: a counter).
///
/// A phase completes when `arrivals` arrivals have been counted; wait(parity) returns once the phase of
/// that parity (0 first) has completed. Shared-memory writes before an arrival are visible after the wait.
class StageBarrier {
 public:
  __device__ __forceinline__ void init(int arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(smem_address(&state_)), "r"(arrivals) : "memory");
#else
    arrived() = 0;
    expected() = static_cast<std::uint32_t>(arrivals);
#endif
  }

  __device__ __forceinline__ void arrive() {
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(smem_address(&state_))
                 : "memory");
#else
    __threadfence_block();
    atomicAdd(&arrived(), 1u);
#endif
  }

  /// Counts as one arrival, made when all earlier async_copy() of this thread have landed.
  __device__ __forceinline__ void arrive_when_copies_land() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(smem_address(&state_)) : "memory");
#else
    arrive();
#endif
  }

  /// Counts as one arrival, and keeps the phase open until so many bytes of bulk_copy() have landed. sm_90 on.
  __device__ __forceinline__ void arrive_expecting([[maybe_unused]] int bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_address(&state_)), "r"(bytes)
                 : "memory");
#endif
  }

  __device__ __forceinline__ void wait(std::uint32_t parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred done;\n"
        "RETRY: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra RETRY; }" ::"r"(smem_address(&state_)),
        "r"(parity)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{ .reg .pred done;\n"
        "RETRY: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra RETRY; }" ::"r"(smem_address(&state_)),
        "r"(parity)
        : "memory");
#else
    volatile std::uint32_t& seen = arrived();
    while (((seen / expected()) & 1u) == parity) {
    }
    __threadfence_block();
#endif
  }

  /// wait() for a thread with nothing else to do: its polling backs off, so that it takes no issue slots
  /// from the threads that compute.
  __device__ __forceinline__ void wait_idly(std::uint32_t parity) {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned backoff_ns = 256;
    while (!try_wait(parity)) __nanosleep(backoff_ns);
#else
    wait(parity);
#endif
  }

 private:
#if __CUDA_ARCH__ >= 900
  __device__ __forceinline__ bool try_wait(std::uint32_t parity) {
    std::uint32_t done;
    asm volatile(
        "{ .reg .pred done;\n"
        "mbarrier.try_wait.parity.shared.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done; }"
        : "=r"(done)
        : "r"(smem_address(&state_)), "r"(parity)
        : "memory");
    return done != 0;
  }
#endif

  __device__ std::uint32_t& arrived() { return reinterpret_cast<std::uint32_t*>(&state_)[0]; }
  __device__ std::uint32_t& expected() { return reinterpret_cast<std::uint32_t*>(&state_)[1]; }

  std::uint64_t state_;
};

namespace detail {

/// Around the launch of a kernel. The first one in a context loads the kernel there, perhaps while a stream is being
/// captured, and asks for shared memory above the 48 KiB that every kernel may use.
template <auto kernel>
class KernelUse {
 public:
  KernelUse() {
    const int context = current_context();
    bit_ = context == no_context ? 0 : std::uint64_t{1} << context;
    if (!(known().load(std::memory_order_relaxed) & bit_)) allowed_.emplace();
  }

  cudaError_t allow_shared_memory(std::size_t bytes) const {
    constexpr std::size_t default_limit = 48 * 1024;
    if (!allowed_ || bytes <= default_limit) return cudaSuccess;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  }

  void ended(cudaError_t error) const {
    if (error != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
    } else if (allowed_) {
      known().fetch_or(bit_, std::memory_order_relaxed);
    }
  }

 private:
  // A bit for each context that has the kernel.
  static std::atomic<std::uint64_t>& known() {
    static std::atomic<std::uint64_t> contexts{0};
    return contexts;
  }

  std::uint64_t bit_ = 0;
  std::optional<AllowedDuringCapture> allowed_;  // where this may be the first launch
};

}  // namespace detail

namespace detail {

/// Whether kernels of the current device may begin before the one ahead of them has ended: sm_90 on.
inline bool launches_can_overlap() {
  constexpr int hopper = 90;
  return device_traits().compute_capability >= hopper;
}

template <auto kernel, class Smem, class... Extra>
LaunchStatus enqueue(bool overlapping, const GridExtents& grid, int threads, Stream stream, const GemmProblem& problem,
                     Extra... extra) {
  constexpr std::size_t smem_bytes = std::is_same_v<Smem, NoSmem> ? 0 : sizeof(Smem);
  if (!is_launchable(grid)) return cudaErrorInvalidConfiguration;
  const KernelUse<kernel> use;
  cudaError_t error = use.allow_shared_memory(smem_bytes);
  if (error == cudaSuccess) {
    GemmProduct first = problem;
    BatchLayout layout = problem;
    Epilogue epilogue = problem;
    void* arguments[] = {&first, &layout, &epilogue, &extra...};
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    const dim3 block(static_cast<unsigned>(threads));
    const auto on = static_cast<cudaStream_t>(stream);
    if (overlapping) {
      cudaLaunchAttribute early = {};
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
      const cudaLaunchConfig_t config{blocks, block, smem_bytes, on, &early, 1};
      error = cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments);
    } else {
      error = cudaLaunchKernel(kernel, blocks, block, arguments, smem_bytes, on);
    }
  }
  use.ended(error);
  return error;
}

}  // namespace detail

/// Enqueues a grid of blocks of `threads` threads that call kernel(first product, layout of the batch,
/// epilogue, extra...).
/// Returns the launch's own error; none is left behind for the caller's cudaGetLastError().
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_grid(const GridExtents& grid, int threads, Stream stream, const GemmProblem& problem,
                         Extra... extra) {
  return detail::enqueue<kernel, Smem>(false, grid, threads, stream, problem, extra...);
}

/// The same for launch_overlapping().
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_grid_overlapping(const GridExtents& grid, int threads, Stream stream, const GemmProblem& problem,
                                     Extra... extra) {
  return detail::enqueue<kernel, Smem>(detail::launches_can_overlap(), grid, threads, stream, problem, extra...);
}

}  // namespace ladder::gpu

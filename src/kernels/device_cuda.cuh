// SPDX-License-Identifier: MIT
// The GPU side of device.cuh.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "grid_extents.hpp"
#include "rung.hpp"

#define LADDER_DEVICE gpu

namespace ladder::gpu {

struct NoSmem;

template <class Smem>
__device__ __forceinline__ Smem& block_smem() {
  extern __shared__ __align__(128) unsigned char smem_bytes[];
  return *reinterpret_cast<Smem*>(smem_bytes);
}

__device__ __forceinline__ std::uint32_t smem_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Copies BYTES (4 or 16, both addresses aligned to it) from global to shared memory. The copy is in
/// flight until a StageBarrier that this thread arrived on with arrive_when_copies_land() completes.
/// Below sm_80 it is a plain load and store.
template <int BYTES>
__device__ __forceinline__ void async_copy(float* smem, const float* gmem) {
  static_assert(BYTES == 4 || BYTES == 16, "cp.async moves 4 or 16 bytes here");
#if __CUDA_ARCH__ >= 800
  if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_address(smem)), "l"(gmem) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(smem_address(smem)), "l"(gmem) : "memory");
  }
#else
  if constexpr (BYTES == 16) {
    *reinterpret_cast<float4*>(smem) = __ldg(reinterpret_cast<const float4*>(gmem));
  } else {
    *smem = __ldg(gmem);
  }
#endif
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

// Shared memory above the 48 KiB that every kernel may use must be asked for, once per kernel and device.
template <auto kernel>
cudaError_t allow_shared_memory(std::size_t bytes) {
  constexpr std::size_t default_limit = 48 * 1024;
  constexpr int tracked_devices = 64;
  static std::atomic<std::uint64_t> allowed{0};
  if (bytes <= default_limit) return cudaSuccess;
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  const std::uint64_t bit = device < tracked_devices ? std::uint64_t{1} << device : 0;
  if (allowed.load(std::memory_order_relaxed) & bit) return cudaSuccess;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (error == cudaSuccess) allowed.fetch_or(bit, std::memory_order_relaxed);
  return error;
}

}  // namespace detail

/// Enqueues `tiles` blocks of `threads` threads for each product of the batch. Returns the launch's own error; none
/// is left behind for the caller's cudaGetLastError().
template <auto kernel, class Smem>
LaunchStatus launch(std::int64_t tiles, int threads, Stream stream, const GemmProblem& problem) {
  constexpr std::size_t smem_bytes = std::is_same_v<Smem, NoSmem> ? 0 : sizeof(Smem);
  const GridExtents grid = grid_extents(tiles, problem.batch);
  if (!is_launchable(grid)) return cudaErrorInvalidConfiguration;
  cudaError_t error = detail::allow_shared_memory<kernel>(smem_bytes);
  if (error == cudaSuccess) {
    GemmProduct first = problem;
    BatchLayout layout = problem;
    void* arguments[] = {&first, &layout};
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    error = cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, smem_bytes,
                             static_cast<cudaStream_t>(stream));
  }
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error;
}

}  // namespace ladder::gpu

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
/// flight until a StageBarrier that this thread arrived on with arrive_when_copies_land() completes, or until
/// wait_for_copies().
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

/// Copies the first `bytes` of 16 (0 to 16) as async_copy<16>() does and makes the rest zeros; both addresses aligned
/// to 16 bytes. What lies beyond `bytes` is not read.
__device__ __forceinline__ void async_copy_some(float* smem, const float* gmem, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem_address(smem)), "l"(gmem), "r"(bytes)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) smem[i] = i * int{sizeof(float)} < bytes ? __ldg(gmem + i) : 0.0f;
#endif
}

/// Ends a group of this thread's async copies, maybe an empty one.
__device__ __forceinline__ void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Returns when all groups but the LATER last ones have landed. Other threads see them after they have met this one.
template <int LATER>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}

/// A place in the block's shared memory as the target of copies: 32 bits, moved in floats.
class CopyTarget {
 public:
  __device__ __forceinline__ explicit CopyTarget(float* smem) : address_(smem_address(smem)) {}
  __device__ __forceinline__ CopyTarget operator+(int floats) const {
    return CopyTarget(address_ + static_cast<std::uint32_t>(floats) * sizeof(float));
  }
  __device__ __forceinline__ std::uint32_t address() const { return address_; }

 private:
  __device__ __forceinline__ explicit CopyTarget(std::uint64_t address)
      : address_(static_cast<std::uint32_t>(address)) {}

  std::uint32_t address_;
};

/// async_copy<4>() where `wanted`, without a branch.
__device__ __forceinline__ void async_copy_if(bool wanted, CopyTarget smem, const float* gmem) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred wanted;\n"
      "setp.ne.s32 wanted, %2, 0;\n"
      "@wanted cp.async.ca.shared.global [%0], [%1], 4; }" ::"r"(smem.address()),
      "l"(gmem), "r"(static_cast<int>(wanted))
      : "memory");
#else
  if (wanted) asm volatile("st.shared.f32 [%0], %1;" ::"r"(smem.address()), "f"(__ldg(gmem)) : "memory");
#endif
}

/// Copies the first `bytes` of 16 (0 to 16) as async_copy<16>() does and makes the rest zeros.
__device__ __forceinline__ void async_copy_some(CopyTarget smem, const float* gmem, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem.address()), "l"(gmem), "r"(bytes) : "memory");
#else
  for (int i = 0; i < 4; ++i) {
    const float value = i * int{sizeof(float)} < bytes ? __ldg(gmem + i) : 0.0f;
    asm volatile("st.shared.f32 [%0], %1;" ::"r"((smem + i).address()), "f"(value) : "memory");
  }
#endif
}

/// A 128-bit load of an operand that no other block will want: it does not stay in the L1 cache. Aligned to 16 bytes.
__device__ __forceinline__ float4 load_once(const float* gmem) {
  float4 quad;
#if __CUDA_ARCH__ >= 800
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(quad.x), "=f"(quad.y), "=f"(quad.z), "=f"(quad.w)
               : "l"(gmem));
#else
  quad = __ldg(reinterpret_cast<const float4*>(gmem));
#endif
  return quad;
}

/// A 128-bit load of what another block has written: past the L1 cache. Aligned to 16 bytes.
__device__ __forceinline__ float4 load_part(const float* gmem) { return __ldcg(reinterpret_cast<const float4*>(gmem)); }

/// Adds 1 to a counter in device memory and returns what it held before. What this thread, and those that it has met
/// at a barrier, wrote before is seen by the threads that take a later ticket and by those that meet them afterwards.
__device__ __forceinline__ std::uint32_t take_ticket(std::uint32_t* counter) {
  std::uint32_t ticket;
#if __CUDA_ARCH__ >= 700
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(counter) : "memory");
#else
  __threadfence();
  ticket = atomicAdd(counter, 1u);
  __threadfence();
#endif
  return ticket;
}

/// The value of the lane whose number differs in the bits of `mask`. All lanes of the warp together.
__device__ __forceinline__ float shuffle_xor(float value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}

/// The value of lane `lane`. All lanes of the warp together.
__device__ __forceinline__ float shuffle(float value, int lane) { return __shfl_sync(0xffffffffu, value, lane); }

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

/// Enqueues a grid of blocks of `threads` threads that call kernel(first product, layout of the batch, extra...).
/// Returns the launch's own error; none is left behind for the caller's cudaGetLastError().
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_grid(const GridExtents& grid, int threads, Stream stream, const GemmProblem& problem,
                         Extra... extra) {
  constexpr std::size_t smem_bytes = std::is_same_v<Smem, NoSmem> ? 0 : sizeof(Smem);
  if (!is_launchable(grid)) return cudaErrorInvalidConfiguration;
  cudaError_t error = detail::allow_shared_memory<kernel>(smem_bytes);
  if (error == cudaSuccess) {
    GemmProduct first = problem;
    BatchLayout layout = problem;
    void* arguments[] = {&first, &layout, &extra...};
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    error = cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, smem_bytes,
                             static_cast<cudaStream_t>(stream));
  }
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error;
}

/// `tiles` blocks for each product of the batch, the batch along y and z of the grid.
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch(std::int64_t tiles, int threads, Stream stream, const GemmProblem& problem, Extra... extra) {
  return launch_grid<kernel, Smem>(grid_extents(tiles, problem.batch), threads, stream, problem, extra...);
}

/// `blocks` blocks along x, whatever the batch.
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_blocks(std::int64_t blocks, int threads, Stream stream, const GemmProblem& problem,
                           Extra... extra) {
  return launch_grid<kernel, Smem>(GridExtents{blocks, 1, 1}, threads, stream, problem, extra...);
}

}  // namespace ladder::gpu

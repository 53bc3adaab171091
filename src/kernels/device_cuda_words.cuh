// SPDX-License-Identifier: MIT
// The GPU side of device.cuh: copies, loads, tickets and what lanes tell each other.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace ladder::gpu {

__device__ __forceinline__ std::uint32_t smem_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// The same address. The compiler knows of the addresses in a kernel's parameters that they lie in global memory, but
/// not of those that the kernel has loaded from memory.
template <class Float>
__device__ __forceinline__ Float* in_global_memory(Float* p) {
  std::size_t address;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(p));
  return static_cast<Float*>(__cvta_global_to_generic(address));
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

/// Makes a word in device memory, which blocks share, at least `value`.
__device__ __forceinline__ void raise_to(std::uint32_t* word, std::uint32_t value) { atomicMax(word, value); }

/// What such a word holds by now: past the L1 cache.
__device__ __forceinline__ std::uint32_t latest(const std::uint32_t* word) {
  return *static_cast<const volatile std::uint32_t*>(word);
}

/// The value of the lane whose number differs in the bits of `mask`. All lanes of the warp together.
__device__ __forceinline__ float shuffle_xor(float value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}

/// The value of lane `lane`. All lanes of the warp together.
__device__ __forceinline__ float shuffle(float value, int lane) { return __shfl_sync(0xffffffffu, value, lane); }

/// Returns when the kernel before this one on the stream has ended and its writes can be seen. At once where that is so
/// already because of how this one was launched.
__device__ __forceinline__ void wait_for_previous_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// As far as this block is concerned, the blocks of the next kernel on the stream may come: see launch_overlapping().
__device__ __forceinline__ void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace ladder::gpu

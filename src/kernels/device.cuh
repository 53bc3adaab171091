// SPDX-License-Identifier: MIT
// The only door from a rung to the device it runs on. A rung's source is compiled twice: by nvcc for
// the GPU (namespace ladder::gpu) and by the C++ compiler for the emulator (ladder::emulated). Both
// sides offer, in namespace ladder::LADDER_DEVICE:
//
//   launch_grid<kernel, Smem>(grid, threads, stream, problem, extra...)     see launch(), launch_blocks()
//   block_smem<Smem>()                        the block's shared memory, seen as one struct
//   async_copy<BYTES>(dst, src)               global -> shared, 4 or 16 bytes, lands at one of the next two
//   async_copy_some(dst, src, bytes)          the same for the first bytes of 16; the rest becomes zeros
//   close_copies(), wait_for_copies<LATER>()  a thread's own async copies in groups, without a barrier
//   StageBarrier                              per-stage full/empty barrier in shared memory
//   load_once(src), load_part(src)            128-bit loads of what is read once, and of another block's sums
//   take_ticket(counter)                      which of the blocks that share a tile comes when
//   raise_to(word, value), latest(word)       the largest value that blocks have found
//   shuffle(value, lane), shuffle_xor(value, mask)          another lane's value
//   wait_for_previous_launch(), let_next_launch_begin()     see launch_overlapping()
//
// and the CUDA names threadIdx.x, blockIdx.x, __syncthreads(), __syncwarp(), float4, make_float4,
// __fmaf_rn, __fmul_rn, __global__, __device__, __forceinline__, __launch_bounds__.
#pragma once

#if defined(LADDER_EMULATED)
#include "simt/device_emulated.hpp"
#else
#include "device_cuda.cuh"
#endif

namespace ladder::LADDER_DEVICE {

inline constexpr int warp_size = 32;
inline constexpr int vec = 4;  // floats in a 128-bit access

/// Threads that a multiprocessor of the architecture at hand can hold (CUDA C++ Programming Guide, table of
/// compute capabilities).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr int resident_threads = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 87 || __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1200)
inline constexpr int resident_threads = 1536;
#else
inline constexpr int resident_threads = 2048;
#endif

/// Second argument of __launch_bounds__: `wanted` blocks of THREADS threads on a multiprocessor, or as many as it
/// holds.
template <int THREADS>
constexpr int resident_blocks(int wanted) {
  return wanted * THREADS <= resident_threads ? wanted : resident_threads / THREADS;
}

/// Hands registers of this warpgroup back to the block, down to REGISTERS a thread, or claims them (PTX ISA,
/// setmaxnreg: sm_90a). Elsewhere the compiler's own allotment stands. All 128 threads together.
template <int REGISTERS>
__device__ __forceinline__ void release_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

template <int REGISTERS>
__device__ __forceinline__ void claim_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/// Makes the compiler compute again what follows from `value`, rather than keep it in registers over the mainloop.
__device__ __forceinline__ int computed_again(int value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Smem argument of launch() for kernels that use no shared memory.
struct NoSmem {};

/// Enqueues `tiles` blocks for each product of the batch, the batch along y and z of the grid.
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch(std::int64_t tiles, int threads, Stream stream, const GemmProblem& problem, Extra... extra) {
  return launch_grid<kernel, Smem>(grid_extents(tiles, problem.batch), threads, stream, problem, extra...);
}

/// Enqueues `blocks` blocks along x, whatever the batch, of a kernel whose threads all begin with
/// wait_for_previous_launch(): where the device can (sm_90 on), they come there while the kernel before it on the
/// stream is still running, from the moment on when all blocks of that one have said let_next_launch_begin() or ended
/// (CUDA C++ Programming Guide, programmatic dependent launch). Results are those of launch_blocks().
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_overlapping(std::int64_t blocks, int threads, Stream stream, const GemmProblem& problem,
                                Extra... extra) {
  return launch_grid_overlapping<kernel, Smem>(GridExtents{blocks, 1, 1}, threads, stream, problem, extra...);
}

/// Enqueues `blocks` blocks along x, whatever the batch.
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_blocks(std::int64_t blocks, int threads, Stream stream, const GemmProblem& problem,
                           Extra... extra) {
  return launch_grid<kernel, Smem>(GridExtents{blocks, 1, 1}, threads, stream, problem, extra...);
}

}  // namespace ladder::LADDER_DEVICE

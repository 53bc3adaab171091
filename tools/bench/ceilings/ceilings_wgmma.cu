// SPDX-License-Identifier: MIT
// The tensor cores' ceilings on compute capability 9.0: wgmma on operands that stay in shared memory.
//
// A block is two warpgroups, each with the sums of a 64 x 256 tile in its registers: while one waits at the end of a
// group of products, the other keeps the tensor cores busy. A ring of slabs of random numbers is walked again and
// again; nothing is loaded on the way.
#include "ceilings_parts.hpp"

namespace ladder::bench {

#if LADDER_BUILT_FOR_SM90A

namespace {

constexpr int warpgroups = 2;
constexpr int threads = warpgroups * 128;
constexpr int tile_m = 64;  // of a warpgroup
constexpr int tile_n = 256;
constexpr int sum_registers = 128;  // tile_m * tile_n over the threads of a warpgroup
constexpr int row_bytes = 128;      // of a slab, the widest swizzle
constexpr int product_bytes = 32;   // of a row, as deep as one instruction goes
constexpr int products_of_slab = row_bytes / product_bytes;
constexpr int a_bytes = warpgroups * tile_m * row_bytes;
constexpr int slab_bytes = a_bytes + tile_n * row_bytes;
constexpr int slabs = 4;
constexpr int ring_bytes = slabs * slab_bytes;
static_assert(ring_bytes == tensor_operand_words * sizeof(std::uint32_t));
constexpr int slab_alignment = 1024;  // the swizzle's period
constexpr int ring_turns = 1000;
[[maybe_unused]] constexpr float never = -1.0e30f;

__host__ __device__ constexpr int depth(Pipe pipe) { return pipe == Pipe::tf32 ? 8 : 16; }

// A matrix descriptor counts in 16 bytes: address in bits 0-13, stride between groups of 8 rows from bit 32, swizzle
// of 128 bytes in the two highest bits.
constexpr int unit_shift = 4;
constexpr std::uint32_t address_mask = 0x3ffff;
constexpr std::uint64_t group_stride = std::uint64_t{8 * row_bytes >> unit_shift} << 32;
constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;

[[maybe_unused]] __device__ __forceinline__ std::uint64_t descriptor(std::uint32_t shared_address) {
  return ((shared_address & address_mask) >> unit_shift) | group_stride | swizzle_128;
}

// clang-format off
#define SUM_NAMES \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), \
  "+f"(sum[i + 4]), "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
// sum := A B, or sum + A B where `add` is not 0. The last words are for types whose operands may be transposed.
#define WARPGROUP_PRODUCT(shape_and_types, not_transposed)                                                      \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\nwgmma.mma_async.sync.aligned." shape_and_types \
               " {" SUM_NAMES "}, %128, %129, adds, 1, 1" not_transposed ";\n}"                                 \
               : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b), "r"(add))
// clang-format on

template <Pipe PIPE>
__device__ __forceinline__ void multiply(float (&sum)[sum_registers], std::uint64_t a, std::uint64_t b, int add) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (PIPE == Pipe::tf32) WARPGROUP_PRODUCT("m64n256k8.f32.tf32.tf32", "");
  if constexpr (PIPE == Pipe::bf16) WARPGROUP_PRODUCT("m64n256k16.f32.bf16.bf16", ", 0, 0");
  if constexpr (PIPE == Pipe::fp16) WARPGROUP_PRODUCT("m64n256k16.f32.f16.f16", ", 0, 0");
#endif
}

#undef WARPGROUP_PRODUCT
#undef SUMS_32
#undef SUMS_8
#undef SUM_NAMES

/// Keeps the compiler from moving the sums about while products are on their way.
[[maybe_unused]] __device__ __forceinline__ void pin(float (&sum)[sum_registers]) {
#pragma unroll
  for (int i = 0; i < sum_registers; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}

template <Pipe PIPE>
__device__ __forceinline__ void turn_ring(float (&sum)[sum_registers], std::uint32_t ring, int warpgroup) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  pin(sum);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int slab = 0; slab < slabs; ++slab) {
    const std::uint32_t slab_start = ring + slab * slab_bytes;
    const std::uint64_t a = descriptor(slab_start + warpgroup * tile_m * row_bytes);
    const std::uint64_t b = descriptor(slab_start + a_bytes);
#pragma unroll
    for (int i = 0; i < products_of_slab; ++i) {
      const int step = i * product_bytes >> unit_shift;
      // Every turn starts a new sum, so that the sums stay of the size that real ones have.
      multiply<PIPE>(sum, a + step, b + step, slab + i > 0);
    }
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  pin(sum);
#endif
}

template <Pipe PIPE>
__global__ void __launch_bounds__(threads, 1) warpgroup_products(const uint4* operands, float* sink) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned char memory[];
  const auto start = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const std::uint32_t ring = (start + slab_alignment - 1) / slab_alignment * slab_alignment;
  auto* quads = reinterpret_cast<uint4*>(memory + (ring - start));
  for (int i = threadIdx.x; i < ring_bytes / static_cast<int>(sizeof(uint4)); i += threads) quads[i] = operands[i];
  // What was stored by threads is read by the tensor cores' own path.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  float sum[sum_registers] = {};
  const int warpgroup = threadIdx.x / (threads / warpgroups);
#pragma unroll 1
  for (int turn = 0; turn < ring_turns; ++turn) turn_ring<PIPE>(sum, ring, warpgroup);

  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < sum_registers; ++i) total += sum[i];
  if (total == never) *sink = total;
#endif
}

template <Pipe PIPE>
Work work_of(int sm_count, const std::uint32_t* operands, float* sink) {
  constexpr int shared_bytes = ring_bytes + slab_alignment;
  constexpr double products_of_block = static_cast<double>(ring_turns) * slabs * products_of_slab * warpgroups;
  return {.launch =
              [sm_count, operands, sink](cudaStream_t stream) {
                const cudaError_t allowed = cudaFuncSetAttribute(
                    warpgroup_products<PIPE>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
                if (allowed != cudaSuccess) return allowed;
                warpgroup_products<PIPE>
                    <<<sm_count, threads, shared_bytes, stream>>>(reinterpret_cast<const uint4*>(operands), sink);
                return cudaGetLastError();
              },
          .amount = 2.0 * tile_m * tile_n * depth(PIPE) * products_of_block * sm_count};
}

}  // namespace

std::optional<Work> warpgroup_tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink) {
  if (pipe == Pipe::tf32) return work_of<Pipe::tf32>(sm_count, operands, sink);
  if (pipe == Pipe::bf16) return work_of<Pipe::bf16>(sm_count, operands, sink);
  return work_of<Pipe::fp16>(sm_count, operands, sink);
}

#else

std::optional<Work> warpgroup_tensor_work(Pipe, int, const std::uint32_t*, float*) { return std::nullopt; }

#endif

}  // namespace ladder::bench

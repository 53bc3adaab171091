// SPDX-License-Identifier: MIT
// Hopper's warpgroup multiply-accumulate (PTX ISA, wgmma): both factors from swizzled, k-major shared memory, FP32 sums
// in registers. GPU only, sm_90a only.
#pragma once

#include "device.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// Copies `bytes` (a multiple of 16, as both addresses are) from global to shared memory; `full` expects them. One
/// thread (PTX ISA, cp.async.bulk).
__device__ __forceinline__ void bulk_copy(void* smem, const void* gmem, int bytes, StageBarrier& full) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   smem_address(smem)),
               "l"(gmem), "r"(bytes), "r"(smem_address(&full))
               : "memory");
}

/// After the block's barriers have been made ready: bulk copies will find them so.
__device__ __forceinline__ void show_barriers_to_copies() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// The same value, of which the compiler now knows that all lanes of the warp have it: addresses of factors that follow
/// from it are computed once for the warp.
__device__ __forceinline__ int of_whole_warp(int value) { return __shfl_sync(0xffffffffu, value, 0); }

/// Where a factor lies in shared memory: rows of cells (planes.hpp), eight by eight, `cell_bytes` apart.
class PlaneFactor {
 public:
  template <PlaneFormat FORMAT>
  static __device__ __forceinline__ PlaneFactor in_cells(std::uint32_t smem) {
    constexpr PlaneLayout layout = plane_layout(FORMAT);
    constexpr std::uint64_t swizzle = layout.row_bytes == 64 ? 2 : 1;  // of 64 bytes, of 128 bytes
    constexpr std::uint64_t fixed =
        static_cast<std::uint64_t>(layout.cell_bytes / unit) << stride_bit | swizzle << swizzle_bit;
    return PlaneFactor((smem & address_mask) / unit | fixed);
  }

  /// So many bytes on; a multiple of 16.
  __device__ __forceinline__ PlaneFactor operator+(int bytes) const { return PlaneFactor(bits_ + bytes / unit); }
  __device__ __forceinline__ std::uint64_t bits() const { return bits_; }

 private:
  static constexpr int unit = 16;
  static constexpr int stride_bit = 32;
  static constexpr int swizzle_bit = 62;
  static constexpr std::uint32_t address_mask = 0x3FFFF;

  __device__ __forceinline__ explicit PlaneFactor(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_;
};

/// Sums that the tensor cores are about to change, or have changed: the compiler must neither move nor copy them across
/// this.
template <int COUNT>
__device__ __forceinline__ void hold_sums(float (&sums)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

/// Before the first of several multiplications: what the warpgroup did to their registers is done.
__device__ __forceinline__ void begin_multiplications() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// After the last of them.
__device__ __forceinline__ void close_multiplications() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Returns when all closed multiplications but those of the LATER last groups are done.
template <int LATER>
__device__ __forceinline__ void wait_for_multiplications() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LATER) : "memory");
}

/// sums (64 x N of a warpgroup) = [sums +] left (64 rows, 32 bytes of k) * right (N rows, 32 bytes of k). In a thread's
/// registers lie, for each 8 columns, two neighbours in row lane/4 of its warp's 16 rows and two in the row 8 below.
template <PlaneFormat FORMAT, int N>
struct WarpgroupMultiply;

// The operands' numbers in the instruction's text.
#define LADDER_SUMS_32                                                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31"
#define LADDER_SUMS_64                                                                                          \
  LADDER_SUMS_32                                                                                                \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
  "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LADDER_SUMS_128                                                                                          \
  LADDER_SUMS_64                                                                                                 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, "  \
  "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "    \
  "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, " \
  "%123, %124, %125, %126, %127"
#define LADDER_EIGHT(i)                                                                                         \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define LADDER_REGISTERS_32(i) LADDER_EIGHT(i), LADDER_EIGHT(i + 8), LADDER_EIGHT(i + 16), LADDER_EIGHT(i + 24)
#define LADDER_REGISTERS_64(i) LADDER_REGISTERS_32(i), LADDER_REGISTERS_32(i + 32)
#define LADDER_REGISTERS_128(i) LADDER_REGISTERS_64(i), LADDER_REGISTERS_64(i + 64)
#define LADDER_MULTIPLY(format, columns, count, left_number, right_number, keeps_number, instruction, tail) \
  template <>                                                                                               \
  struct WarpgroupMultiply<format, columns> {                                                               \
    static __device__ __forceinline__ void add(float (&sums)[count], PlaneFactor left, PlaneFactor right,   \
                                               bool keeps) {                                                \
      asm volatile(                                                                                         \
          "{ .reg .pred keeps;\n"                                                                           \
          "setp.ne.b32 keeps, " keeps_number                                                                \
          ", 0;\n"                                                                                          \
          "wgmma.mma_async.sync.aligned.m64n" #columns instruction " {" LADDER_SUMS_##count                 \
          "}, " left_number ", " right_number ", keeps, 1, 1" tail "; }"                                    \
          : LADDER_REGISTERS_##count(0)                                                                     \
          : "l"(left.bits()), "l"(right.bits()), "r"(static_cast<int>(keeps)));                             \
    }                                                                                                       \
  };
LADDER_MULTIPLY(PlaneFormat::bf16x3, 64, 32, "%32", "%33", "%34", "k16.f32.bf16.bf16", ", 0, 0")
LADDER_MULTIPLY(PlaneFormat::bf16x3, 128, 64, "%64", "%65", "%66", "k16.f32.bf16.bf16", ", 0, 0")
LADDER_MULTIPLY(PlaneFormat::fp16x2, 64, 32, "%32", "%33", "%34", "k16.f32.f16.f16", ", 0, 0")
LADDER_MULTIPLY(PlaneFormat::fp16x2, 128, 64, "%64", "%65", "%66", "k16.f32.f16.f16", ", 0, 0")
LADDER_MULTIPLY(PlaneFormat::tf32, 64, 32, "%32", "%33", "%34", "k8.f32.tf32.tf32", "")
LADDER_MULTIPLY(PlaneFormat::tf32, 128, 64, "%64", "%65", "%66", "k8.f32.tf32.tf32", "")
LADDER_MULTIPLY(PlaneFormat::tf32, 256, 128, "%128", "%129", "%130", "k8.f32.tf32.tf32", "")
#undef LADDER_MULTIPLY

/// sums += left * right, both of TF32: left's 64 rows by 8 k come from registers, as mma_tf32() has them of each of the
/// warps' 16 rows (tensor_words.cuh).
template <int N>
struct WarpgroupMultiplyRegisters;

#define LADDER_MULTIPLY(columns, count, first, second, third, fourth, right_number, keeps_number)            \
  template <>                                                                                                \
  struct WarpgroupMultiplyRegisters<columns> {                                                               \
    static __device__ __forceinline__ void add(float (&sums)[count], const float* left, PlaneFactor right) { \
      asm volatile(                                                                                          \
          "{ .reg .pred keeps;\n"                                                                            \
          "setp.ne.b32 keeps, " keeps_number                                                                 \
          ", 0;\n"                                                                                           \
          "wgmma.mma_async.sync.aligned.m64n" #columns "k8.f32.tf32.tf32 {" LADDER_SUMS_##count              \
          "}, {" first ", " second ", " third ", " fourth "}, " right_number ", keeps, 1, 1; }"              \
          : LADDER_REGISTERS_##count(0)                                                                      \
          : "r"(__float_as_uint(left[0])), "r"(__float_as_uint(left[1])), "r"(__float_as_uint(left[2])),     \
            "r"(__float_as_uint(left[3])), "l"(right.bits()), "r"(1));                                       \
    }                                                                                                        \
  };
LADDER_MULTIPLY(64, 32, "%32", "%33", "%34", "%35", "%36", "%37")
LADDER_MULTIPLY(128, 64, "%64", "%65", "%66", "%67", "%68", "%69")
LADDER_MULTIPLY(256, 128, "%128", "%129", "%130", "%131", "%132", "%133")
#undef LADDER_MULTIPLY
#undef LADDER_REGISTERS_128
#undef LADDER_REGISTERS_64
#undef LADDER_REGISTERS_32
#undef LADDER_EIGHT
#undef LADDER_SUMS_128
#undef LADDER_SUMS_64
#undef LADDER_SUMS_32

}  // namespace ladder::LADDER_DEVICE

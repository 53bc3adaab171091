// SPDX-License-Identifier: MIT
// Operands that Hopper's copies bring to the tensor cores from where they lie, aligned to 16 bytes (PTX ISA,
// cp.async.bulk.tensor). On the way they are rounded to TF32, their chunks are permuted as in the cells of planes.hpp,
// and what lies beyond the operand is filled up with zeros. GPU only, sm_90 on.
#pragma once

#include <cudaTypedefs.h>

#include <algorithm>
#include <optional>

#include "driver_function.hpp"
#include "operand.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// Where a kernel finds an operand.
enum class OperandSource : std::uint8_t { planes, in_place };

/// An operand of all products of a batch: elements of a line, lines, products.
struct OperandMap {
  CUtensorMap map;
  int product_step;  ///< 0 where all products share an operand
};

/// Of those that are read in place.
struct OperandMaps {
  OperandMap a;
  OperandMap b;
};

/// Copies a map's box: from `element` of a line on, of as many lines from `line` on as the box has. `full` expects the
/// whole box, what lies beyond the operand too. One thread.
__device__ __forceinline__ void copy_box(void* smem, const OperandMap& operand, int element, int line, int product,
                                         StageBarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(smem_address(smem)),
      "l"(&operand.map), "r"(element), "r"(line), "r"(product * operand.product_step), "r"(smem_address(&full))
      : "memory");
}

// ---------------------------------------------------------------------------------------- host side

/// An operand as it lies in memory: lines `ld` apart.
struct LinesOfOperand {
  const float* origin;
  std::int64_t elements;  ///< of a line
  std::int64_t lines;
  std::int64_t ld;
  std::int64_t batch;
  std::int64_t stride;  ///< from one product to the next
};

inline LinesOfOperand a_along_k(const GemmProblem& p) { return {p.a, p.k, p.m, p.lda, p.batch, p.stride_a}; }
inline LinesOfOperand b_along_k(const GemmProblem& p) { return {p.b, p.k, p.n, p.ldb, p.batch, p.stride_b}; }

/// Extents and strides that a map can hold. Coordinates count in 32 bits, beyond the end of the operand too.
inline bool fits_map(const LinesOfOperand& operand, const BatchLayout& layout) {
  constexpr std::int64_t longest = std::int64_t{1} << 30, farthest = std::int64_t{1} << 37;
  return quads_in_batch(layout, operand.origin, operand.ld, operand.stride) && operand.elements <= longest &&
         operand.lines <= longest && operand.batch <= longest && operand.ld < farthest && operand.stride >= 0 &&
         operand.stride < farthest;
}

inline bool a_lies_along_k(const GemmProblem& p) { return p.op_a == Op::transpose && fits_map(a_along_k(p), p); }
inline bool b_lies_along_k(const GemmProblem& p) { return p.op_b == Op::none && fits_map(b_along_k(p), p); }

/// What moves at once: 32 elements of each line, 128 bytes, are what the permutation of chunks wants.
struct BoxExtents {
  int elements;
  int lines;
};

/// Gives a thread that has not called the runtime yet the context that its first launch would.
inline bool enter_context() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
}

/// Nothing where the driver refuses. It maps nothing empty, so an operand without elements, which is never copied,
/// counts as one that has some.
inline std::optional<OperandMap> operand_map(const LinesOfOperand& operand, const BoxExtents& box) {
  constexpr unsigned version = 12000;
  static const auto encode = driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled", version);
  if (encode == nullptr) return std::nullopt;
  const bool shared = operand.batch == 1 || operand.stride == 0;
  const std::int64_t stride = shared ? operand.ld : operand.stride;  // of one product: any
  const auto extent = [](std::int64_t n) { return static_cast<cuuint64_t>(std::max<std::int64_t>(n, 1)); };
  const cuuint64_t extents[] = {extent(operand.elements), extent(operand.lines), extent(shared ? 1 : operand.batch)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(operand.ld) * sizeof(float),
                                static_cast<cuuint64_t>(stride) * sizeof(float)};
  const cuuint32_t box_extents[] = {static_cast<cuuint32_t>(box.elements), static_cast<cuuint32_t>(box.lines), 1};
  const cuuint32_t steps[] = {1, 1, 1};
  OperandMap mapped{{}, shared ? 0 : 1};
  const auto encode_here = [&] {
    return encode(&mapped.map, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 3, const_cast<float*>(operand.origin), extents,
                  strides, box_extents, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  CUresult error = encode_here();
  if (error == CUDA_ERROR_INVALID_CONTEXT && enter_context()) error = encode_here();
  return error == CUDA_SUCCESS ? std::optional(mapped) : std::nullopt;
}

}  // namespace ladder::LADDER_DEVICE

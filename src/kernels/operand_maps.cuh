// SPDX-License-Identifier: MIT
// Operands that Hopper's tensor cores read where they lie: along k, aligned to 16 bytes. The copies (PTX ISA,
// cp.async.bulk.tensor) round to TF32 on the way, put the rows in the order of planes.hpp, and fill up with zeros what
// lies beyond the operand. GPU only, sm_90 on.
#pragma once

#include <cudaTypedefs.h>

#include <optional>

#include "driver_function.hpp"
#include "operand.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// Where a kernel finds an operand.
enum class OperandSource : std::uint8_t { planes, in_place };

/// An operand of all products of a batch: its k, its rows (columns of B), its products.
struct OperandMap {
  CUtensorMap map;
  int product_step;  ///< 0 where all products share an operand
};

/// Of those that are read in place.
struct OperandMaps {
  OperandMap a;
  OperandMap b;
};

/// Copies the 32 k from `k` on of as many rows as the map's box has, from `row` on; `full` expects them all, those
/// beyond the operand too. One thread.
__device__ __forceinline__ void copy_rows(void* smem, const OperandMap& operand, int k, int row, int product,
                                          StageBarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(smem_address(smem)),
      "l"(&operand.map), "r"(k), "r"(row), "r"(product * operand.product_step), "r"(smem_address(&full))
      : "memory");
}

// ---------------------------------------------------------------------------------------- host side

/// An operand as it lies along k.
struct RowsAlongK {
  const float* origin;
  std::int64_t rows;
  std::int64_t k;
  std::int64_t ld;
  std::int64_t batch;
  std::int64_t stride;  ///< from one product to the next
};

inline RowsAlongK rows_of_a(const GemmProblem& p) { return {p.a, p.m, p.k, p.lda, p.batch, p.stride_a}; }
inline RowsAlongK rows_of_b(const GemmProblem& p) { return {p.b, p.n, p.k, p.ldb, p.batch, p.stride_b}; }

/// Extents and strides that a map can hold. Coordinates count in 32 bits, beyond the end of the operand too.
inline bool fits_map(const RowsAlongK& rows, const BatchLayout& layout) {
  constexpr std::int64_t longest = std::int64_t{1} << 30, farthest = std::int64_t{1} << 37;
  return quads_in_batch(layout, rows.origin, rows.ld, rows.stride) && rows.rows <= longest && rows.k <= longest &&
         rows.batch <= longest && rows.ld < farthest && rows.stride >= 0 && rows.stride < farthest;
}

inline bool a_lies_along_k(const GemmProblem& p) { return p.op_a == Op::transpose && fits_map(rows_of_a(p), p); }
inline bool b_lies_along_k(const GemmProblem& p) { return p.op_b == Op::none && fits_map(rows_of_b(p), p); }

/// The map whose box has `box_rows` rows and 32 k. Nothing where the driver refuses.
inline std::optional<OperandMap> operand_map(const RowsAlongK& rows, int box_rows) {
  constexpr unsigned version = 12000;
  static const auto encode = driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled", version);
  if (encode == nullptr) return std::nullopt;
  const bool shared = rows.batch == 1 || rows.stride == 0;
  const std::int64_t products = shared ? 1 : rows.batch;
  const std::int64_t stride = shared ? rows.ld : rows.stride;  // of one product: any
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(rows.k), static_cast<cuuint64_t>(rows.rows),
                                static_cast<cuuint64_t>(products)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(rows.ld) * sizeof(float),
                                static_cast<cuuint64_t>(stride) * sizeof(float)};
  const cuuint32_t box[] = {slab_k, static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t steps[] = {1, 1, 1};
  OperandMap operand{{}, shared ? 0 : 1};
  const CUresult error = encode(&operand.map, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 3, const_cast<float*>(rows.origin),
                                extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return error == CUDA_SUCCESS ? std::optional(operand) : std::nullopt;
}

}  // namespace ladder::LADDER_DEVICE

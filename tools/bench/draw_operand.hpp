// SPDX-License-Identifier: MIT
// The kernel that draws an operand on the GPU.
#pragma once

#include <cstdint>

#include "matrix_data.hpp"

namespace ladder::bench {

/// One operand of a batch as it is stored, column after column of `ld`, in device memory.
struct StoredOperand {
  float* elements;
  std::int64_t count;  ///< of elements, what lies between the columns included, of the whole batch
  std::int64_t rows;   ///< stored, of one matrix, here and below
  std::int64_t columns;
  std::int64_t ld;
  bool is_a;
  bool k_is_row;  ///< k runs along the stored rows
};

/// Fills it with numbers that depend on the seed and their place alone, and NaN between the columns. Enqueues on the
/// default stream and gives the launch's cudaError_t.
int draw_operand(const StoredOperand& operand, Data data, std::uint64_t seed);

}  // namespace ladder::bench

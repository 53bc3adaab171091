// SPDX-License-Identifier: MIT
// One batch in one launch in the emulator, and what must hold after it.
#pragma once

#include <cstdint>
#include <vector>

#include "rung_case.hpp"

namespace ladder::test {

struct BatchCase {
  /// From one matrix to the next, in whole matrices: of either sign, and 0 for a matrix that all products share.
  struct Strides {
    std::int64_t a = 1;
    std::int64_t b = 1;
    std::int64_t c = 1;
  };

  Shape shape{};
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t batch = 3;
  Strides strides{};
  /// Floats between neighbours of A, twice as many of B and three times of C. With 1, some matrices lie off a 16-byte
  /// boundary although the first one is on it.
  std::int64_t apart = 1;
  bool in_arrays = false;  ///< the addresses stand in arrays: in no order, and an A several times
  Finish finish{};         ///< with an old C, and maybe a bias, for each product
  bool shares_bias = false;
};

/// Everything of the problem but addresses: no slack in the matrices, scalars that are exact.
GemmProblem problem_of(const BatchCase& batch);

/// Which matrix of its stack each product has.
struct BatchSlots {
  explicit BatchSlots(const BatchCase& batch);

  std::vector<std::int64_t> a, b, c;
};

/// Product number `number` of a batch whose addresses are those of its stacks' first matrices.
GemmProblem product_of(const GemmProblem& batch, const BatchSlots& slots, std::int64_t number);

/// The addresses of `slots` in a stack, and a null one: what a block too many would take.
template <class Float>
std::vector<Float*> addresses_of(const std::vector<std::int64_t>& slots, Float* first, std::int64_t stride) {
  std::vector<Float*> addresses;
  for (const std::int64_t slot : slots) addresses.push_back(first + slot * stride);
  addresses.push_back(nullptr);
  return addresses;
}

/// The same problem without what has no meaning where the addresses stand in arrays.
GemmProblem without_strides(GemmProblem problem);

/// Floats of all old C, and of all biases, of a batch.
std::int64_t floats_of_old_c(const GemmProblem& batch);
std::int64_t floats_of_bias(const GemmProblem& batch);

/// Runs the batch by the rung's own choice and by each of its configurations that can run it. What sums by k, or is
/// asked to, gives the bits that rung 1 gives product by product; what sums in blocks or by slabs gives them where the
/// operands are exact, and otherwise the same bits twice; by slabs, and asked to sum by k, it gives its own bits
/// product by product. Nothing is written between the matrices.
void check_batch(const Rung& rung, const BatchCase& batch, Ran* ran = nullptr);

}  // namespace ladder::test

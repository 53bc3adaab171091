// SPDX-License-Identifier: MIT
// A case with everything that a kernel's result on the GPU is held against.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gpu_kernels.hpp"
#include "support/oracle.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

class Reference {
 public:
  explicit Reference(const Case& c) : operands(c) {}

  /// For data that a test makes.
  explicit Reference(Operands made) : operands(std::move(made)) {}

  bool is_noop() const;

  /// The elements of C with the bounds of that precision.
  const std::vector<Expected>& expected(Precision precision) const;

  /// The bits of sums in the plain order of k: those of every rung of FP32 FMAs that sums so.
  const Matrix& by_k() const;

  const Operands operands;

 private:
  mutable std::map<Precision, std::vector<Expected>> expected_;
  mutable std::optional<Matrix> by_k_;
};

/// Elements of `result` outside their bound. Infinity is due where the float64 result is beyond what FP32 holds.
std::int64_t wrong_elements(const Matrix& result, const std::vector<Expected>& expected);

/// Elements that are not same_value().
std::int64_t different_elements(const Matrix& left, const Matrix& right);

/// Launches the kernel and checks the status, each element, and what must have been left alone. Operands that are exact
/// and sums in the order of k give rung 1's bits; sums in blocks those of the same configuration in the emulator; sums
/// on tensor cores the same bits twice. False where the kernel is not made for the case.
bool check_kernel(const Kernel& kernel, const Reference& reference);

}  // namespace ladder::test

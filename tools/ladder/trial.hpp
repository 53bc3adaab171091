// SPDX-License-Identifier: MIT
// One problem of `ladder verify`: its matrices, its run through a rung, and the verdict against float64.
#pragma once

#include <cstdint>
#include <string>

#include "place.hpp"
#include "rung.hpp"

namespace ladder::cli {

/// What becomes of the random data, so that all that a rung on the tensor cores does with its operands comes up.
enum class Values : std::uint8_t {
  ordinary,
  graded,      ///< every eighth k is 2^-30 as large: too wide for two planes of fp16
  huge,        ///< products about 2^105: too large for planes of bf16
  not_finite,  ///< an infinity in A, a NaN in B
};

/// "ordinary", "graded", "huge", "not_finite"
const char* values_name(Values values);

/// What is multiplied; the data are drawn from `seed`.
struct TrialSpec {
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::int64_t extra_ld = 0;  ///< elements by which each leading dimension exceeds the smallest legal one
  int shift = 0;              ///< floats from a 16-byte boundary to each matrix
  std::uint32_t seed = 0;
  Values values = Values::ordinary;
};

/// "op=NT m=65 n=33 k=17 alpha=1 beta=0 ld=rows+3 shift=1 values=ordinary"
std::string to_text(const TrialSpec& spec);

struct Verdict {
  const char* declined = nullptr;  ///< why the rung left the problem to others; nothing was judged then
  std::string complaint;           ///< empty when every element is within its bound
  std::int64_t elements = 0;       ///< compared with float64
  double worst_share = 0.0;        ///< largest error as a share of the element's own bound
  double worst_error = 0.0;        ///< largest absolute error
};

/// Runs `spec` through `kernel` at `place` and judges every element of C, or its first and last
/// columns where the whole product would take float64 more than some seconds: by the bound of the precision, or of the
/// one that such values are handed over to.
Verdict run_trial(const TrialSpec& spec, Precision precision, const RungKernel& kernel, Place& place);

}  // namespace ladder::cli

// SPDX-License-Identifier: MIT
// One run of one rung in the emulator, and everything that must hold after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "product_matrices.hpp"
#include "rung.hpp"
#include "shapes.hpp"
#include "sum_order.hpp"

namespace ladder::test {

/// How far apart the columns of all three matrices lie.
enum class Lines : std::uint8_t {
  tight,  ///< no slack
  quads,  ///< a multiple of four: 128-bit accesses are possible
  odd,    ///< not a multiple of two: they are not
};

enum class Bias : std::uint8_t { none, by_row, by_column };

/// What there is of an epilogue beside alpha and beta.
struct Finish {
  bool old_c_elsewhere = false;  ///< beta scales a matrix of its own, with another leading dimension
  Bias bias = Bias::none;
  Activation activation = Activation::none;
};

std::string describe(const Finish& finish);

struct Case {
  Shape shape{};
  Op op_a = Op::none;
  Op op_b = Op::none;
  float alpha = 1.0f;
  float beta = 0.0f;
  Lines lines = Lines::quads;
  int shift = 0;  ///< floats from an aligned address to each matrix
  bool scalars_by_address = false;
  bool inputs_unreadable = false;  ///< A and B are given by addresses that fault
  bool exact = false;              ///< A and B hold small integers: no order of summation may change a bit
  Finish finish{};
  std::uint32_t seed = 1;
  unsigned share = 1;  ///< a configuration runs one of so many cases, by their seeds; the rung's own choice runs all
};

/// AddressSanitizer slows the emulator down several times. There each configuration runs one of so many cases, and none
/// of them twice.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned sanitizer_share = 3;
#else
inline constexpr unsigned sanitizer_share = 1;
#endif

/// Whether a case is one of those that a rung runs at all: on the tensor cores, whose sums take the emulator ten times
/// as long, one of `sanitizer_share`.
inline bool is_run(const Rung& rung, std::size_t number) {
  return !uses_tensor_cores(rung.precision) || number % sanitizer_share == 0;
}

/// Whether a rung's configurations run few cases only: those on the tensor cores, as OS threads.
bool spares_configs(const Rung& rung);

/// "r05 op=NT m=65 n=33 ...": a case as it went through `kernel`.
std::string describe(const std::string& kernel, const Case& c);

/// The matrices of a case.
struct Operands : ProductMatrices {
  explicit Operands(const Case& case_);

  /// With the matrices' and scalars' present addresses.
  GemmProblem problem(Matrix& result) const;

  Case how;
  Matrix old_c;  ///< where it is not C itself, which is NaN then; else empty
  Matrix bias;   ///< one column, maybe empty
};

/// Equal bits; a NaN equals a NaN.
bool same_value(float left, float right);

/// While this lives, every launch sums in the plain order of k.
class PlainSums {
 public:
  PlainSums() { set_plain_sums(true); }
  PlainSums(const PlainSums&) = delete;
  PlainSums& operator=(const PlainSums&) = delete;
  ~PlainSums() { set_plain_sums(false); }
};

/// What the emulator reports, as its rungs see it.
inline constexpr int emulated_multiprocessors = 132;

/// True where the configuration runs this problem: its model gives a time.
bool can_run(const KernelConfig& config, const GemmProblem& problem, int multiprocessors = emulated_multiprocessors);

/// True where another rung than rung 9 takes its kernel as a configuration: rung 9's tests are about that one.
bool is_rung_9s(const Rung& rung, const KernelConfig& config);

/// How a kernel's own choice sums, if it adds FP32 FMAs: by_k where all that it chooses from does.
Sums sums_of(const RungKernel& kernel);

/// How the emulated rung's own choice sums.
Sums emulated_sums_of(const Rung& rung);

/// Configurations that have been run.
using Ran = std::set<const KernelConfig*>;

/// LADDER_TEST_SET: full (default), small or tiny.
Effort effort();

/// Every rung that has an emulated kernel, or the one that LADDER_TEST_RUNG names.
std::vector<const Rung*> chosen_rungs();

/// Runs the rung, and each of its configurations that can run this, on copies of C and checks: the status, each element
/// against float64, the canaries of C, and that A, B, old C and bias are what they were. What sums by k, or is asked
/// to, gives rung 1's bits (not looked at in the tiny set); what sums in blocks or by slabs gives the same bits twice,
/// and rung 1's where the operands are exact. A no-op is only checked to be one.
void check_operands(const Rung& rung, const Operands& operands, Ran* ran = nullptr);

inline void check_case(const Rung& rung, const Case& c, Ran* ran = nullptr) { check_operands(rung, Operands(c), ran); }

}  // namespace ladder::test

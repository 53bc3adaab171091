// SPDX-License-Identifier: MIT
// Operands as planes: every format, whichever way the operands lie, their edges, and batches of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "split_planes.cuh"
#include "support/matrix.hpp"
#include "support/plane_reader.hpp"

namespace ladder::test {

namespace {

constexpr std::uint32_t magnitude_bits = 0x7fffffffu;

/// How the products of a batch find their operands.
enum class Lie : std::uint8_t { one, strided, shared, in_arrays };

struct SplitCase {
  PlaneFormat format;
  Op op_a;
  Op op_b;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  int shift = 0;  ///< floats from a 16-byte boundary to the first element
  int slack = 0;  ///< of a leading dimension that is a multiple of 4
  Lie lie = Lie::one;

  std::int64_t batch() const { return lie == Lie::one ? 1 : 3; }
};

/// One operand of all products.
class OperandStack {
 public:
  OperandStack(const SplitCase& with, bool is_b)
      : along_k_(is_b ? with.op_b == Op::none : with.op_a == Op::transpose),
        extent_(is_b ? with.n : with.m),
        k_(with.k),
        slots_{0},
        products_(with.batch()),
        matrix_(lines_length(), lines() * (with.lie == Lie::one ? 1 : 3), (lines_length() + 3) / 4 * 4 + with.slack,
                with.shift) {
    if (with.lie == Lie::strided) slots_ = {0, 1, 2};
    if (with.lie == Lie::shared) slots_ = {1, 1, 1}, products_ = 1;
    if (with.lie == Lie::in_arrays) slots_ = {2, 0, 2};
    for (const std::int64_t slot : slots_) addresses_.push_back(matrix_.data() + slot * stride());
  }

  Matrix& matrix() { return matrix_; }
  std::int64_t stride() const { return lines() * matrix_.ld(); }
  std::int64_t extent() const { return extent_; }
  std::int64_t products() const { return products_; }  ///< that have planes of their own
  const float* first() const { return addresses_.front(); }
  const float* const* addresses() const { return addresses_.data(); }

  float at(std::int64_t product, std::int64_t row, std::int64_t k) const {
    const std::int64_t line = slots_[static_cast<std::size_t>(product)] * lines() + (along_k_ ? row : k);
    return matrix_.at(along_k_ ? k : row, line);
  }

  std::uint32_t largest() const {
    std::uint32_t largest = 0;
    for (std::int64_t product = 0; product < std::int64_t(slots_.size()); ++product) {
      for (std::int64_t row = 0; row < extent_; ++row) {
        for (std::int64_t k = 0; k < k_; ++k)
          largest = std::max(largest, bits_of(at(product, row, k)) & magnitude_bits);
      }
    }
    return largest;
  }

 private:
  std::int64_t lines() const { return along_k_ ? extent_ : k_; }
  std::int64_t lines_length() const { return along_k_ ? k_ : extent_; }

  bool along_k_;
  std::int64_t extent_;
  std::int64_t k_;
  std::vector<std::int64_t> slots_;  ///< which matrix of the stack each product has
  std::int64_t products_;
  Matrix matrix_;
  std::vector<const float*> addresses_;
};

/// Any number, among them many that are large, infinite or NaN, that lie halfway between two numbers of TF32, and NaN
/// of which TF32 has no bit but the infinity's.
float hard_number_of_tf32(std::uint32_t bits) {
  constexpr std::uint32_t large = 0x7f700000u, kept = 0xffffe000u, half = 0x1000u, least_nan = 0x7f800001u;
  switch (bits % 8) {
    case 0:
      return float_of(bits | large);
    case 1:
      return float_of((bits & kept) | half);
    case 2:
      return float_of((bits & ~magnitude_bits) | least_nan);
    default:
      return float_of(bits);
  }
}

/// Numbers that are hard on a format. Those of fp16x2 keep within 25 binades, which are others for each number of
/// lines.
float hard_number(PlaneFormat format, std::mt19937& generator, std::int64_t line) {
  constexpr std::uint32_t below_2_to_111 = std::uint32_t{111 + 127} << 23;
  const auto bits = static_cast<std::uint32_t>(generator());
  if (format == PlaneFormat::tf32) return hard_number_of_tf32(bits);
  if (format == PlaneFormat::bf16x3) {
    const std::uint32_t magnitude = (bits & magnitude_bits) % below_2_to_111;
    return float_of((bits & ~magnitude_bits) | (bits % 8 == 0 ? magnitude >> 8 : magnitude));  // subnormals too
  }
  if (bits % 16 == 0) return 0.0f;
  const int binade = static_cast<int>(line * 37 % 121) - 60 - static_cast<int>(bits % 5 == 0 ? generator() % 25 : 0);
  return std::ldexp(static_cast<float>(static_cast<std::int32_t>(generator())) * 0x1p-31f, binade);
}

void fill(Matrix& matrix, PlaneFormat format, std::uint32_t seed) {
  std::mt19937 generator(seed);
  for (std::int64_t j = 0; j < matrix.columns(); ++j) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) matrix.at(i, j) = hard_number(format, generator, j);
  }
}

/// To the nearest TF32, ties away from 0, no finite number to infinity.
float nearest_tf32(float x) {
  constexpr double largest = 0x1.ffcp127;
  constexpr int least_exponent = -126, bits = 10;
  if (x == 0.0f || !std::isfinite(x)) return x;
  const double step = std::ldexp(1.0, std::max(std::ilogb(x), least_exponent) - bits);
  return static_cast<float>(std::clamp(std::round(x / step) * step, -largest, largest));
}

/// Whether the planes hold x as well as they should. `largest`: |element| of its row and scaled_k of k.
bool holds(PlaneFormat format, float x, double planes, double largest, float scale) {
  if (format == PlaneFormat::bf16x3) return planes == std::ldexp(double{x}, bf16x3_exponent);
  if (format == PlaneFormat::tf32) {
    const float expected = nearest_tf32(x);
    return std::isnan(expected) ? std::isnan(planes) : planes == expected;
  }
  const double bound = std::fabs(x) >= 0x1p-17 * largest ? 0x1p-22 * std::fabs(x) : 0x1p-39 * largest;
  return std::fabs(planes * double{scale} - double{x}) <= bound;
}

/// Of a row and the scaled_k of k around `k`: 1 where all are 0, otherwise what leaves 2^14 to 2^15 of the largest.
bool is_right_scale(float scale, double largest) {
  int exponent = 0;
  return largest == 0 ? scale == 1.0f
                      : std::frexp(scale, &exponent) == 0.5f && largest / scale >= 0x1p14 && largest / scale < 0x1p15;
}

void check_row(const SplitCase& with, const OperandStack& stack, const PlaneBuffer& planes, const PlaneImage& image,
               std::int64_t product, std::int64_t row) {
  const bool scaled = with.format == PlaneFormat::fp16x2;
  int wrong = 0;
  for (std::int64_t k0 = 0; k0 < with.k; k0 += scaled_k) {
    double largest = 0;
    const bool is_padding = row >= stack.extent();
    for (std::int64_t k = k0; !is_padding && k < std::min(with.k, k0 + scaled_k); ++k) {
      largest = std::max(largest, std::fabs(double{stack.at(product, row, k)}));
    }
    const float scale = scaled ? planes.scale(image, product, row, k0) : 1.0f;
    if (scaled && !is_right_scale(scale, largest)) ++wrong;
    for (std::int64_t k = k0; k < std::min(k0 + scaled_k, image.slabs * std::int64_t{slab_k}); ++k) {
      const float x = is_padding || k >= with.k ? 0.0f : stack.at(product, row, k);
      if (!holds(with.format, x, planes.sum(image, product, row, k), largest, scale)) ++wrong;
    }
  }
  CHECK_MESSAGE(wrong == 0, "product ", product, " row ", row);
}

template <PlaneFormat FORMAT>
LaunchStatus split(const GemmProblem& problem, const PlaneBuffer& planes) {
  return emulated::launch_split<FORMAT>(problem, nullptr, planes.operands(), Gate::always);
}

LaunchStatus split(PlaneFormat format, const GemmProblem& problem, const PlaneBuffer& planes) {
  if (format == PlaneFormat::tf32) return split<PlaneFormat::tf32>(problem, planes);
  if (format == PlaneFormat::bf16x3) return split<PlaneFormat::bf16x3>(problem, planes);
  return split<PlaneFormat::fp16x2>(problem, planes);
}

void check(const SplitCase& with) {
  CAPTURE(static_cast<int>(with.format));
  CAPTURE(static_cast<int>(with.op_a));
  CAPTURE(static_cast<int>(with.op_b));
  CAPTURE(with.m);
  CAPTURE(with.n);
  CAPTURE(with.k);
  CAPTURE(with.shift);
  CAPTURE(with.slack);
  CAPTURE(static_cast<int>(with.lie));
  OperandStack a(with, false);
  OperandStack b(with, true);
  fill(a.matrix(), with.format, 1);
  fill(b.matrix(), with.format, 2);
  GemmProblem problem;
  problem.op_a = with.op_a, problem.op_b = with.op_b;
  problem.m = with.m, problem.n = with.n, problem.k = with.k;
  problem.alpha.value = 1.0f;
  problem.lda = a.matrix().ld(), problem.ldb = b.matrix().ld();
  problem.batch = with.batch();
  float* none = nullptr;
  if (with.lie == Lie::in_arrays) {
    problem.a_array = a.addresses(), problem.b_array = b.addresses(), problem.c_array = &none;
  } else {
    problem.a = a.first(), problem.b = b.first();
    problem.stride_a = with.lie == Lie::strided ? a.stride() : 0;
    problem.stride_b = with.lie == Lie::strided ? b.stride() : 0;
  }

  PlaneBuffer planes(problem, with.format);
  {
    const Matrix::Armed armed_a(a.matrix()), armed_b(b.matrix());
    REQUIRE(split(with.format, problem, planes) == launch_ok);
  }
  for (std::int64_t product = 0; product < problem.batch; ++product) {
    const PlaneImage& image_a = planes.operands().a;
    const PlaneImage& image_b = planes.operands().b;
    for (std::int64_t row = 0; row < image_a.rows(); ++row) check_row(with, a, planes, image_a, product, row);
    for (std::int64_t row = 0; row < image_b.rows(); ++row) check_row(with, b, planes, image_b, product, row);
  }
  CHECK(planes.is_untouched_beside(a.products(), b.products(), with.k));
  const bool asks = with.format != PlaneFormat::tf32;
  CHECK(planes.facts().largest_a == (asks ? a.largest() : 0));
  CHECK(planes.facts().largest_b == (asks ? b.largest() : 0));
}

constexpr PlaneFormat formats[] = {PlaneFormat::tf32, PlaneFormat::bf16x3, PlaneFormat::fp16x2};
constexpr Op ops[] = {Op::none, Op::transpose};

/// Whether case number `number` is run: under ThreadSanitizer, whose OS threads are slow, a few of every kind.
constexpr bool is_run([[maybe_unused]] int number) {
#if defined(__SANITIZE_THREAD__)
  constexpr int one_of = 29;
  return number % one_of == 0;
#else
  return true;
#endif
}

}  // namespace

TEST_CASE("every format holds its operands, whichever way they lie, up to their ragged edges") {
  constexpr std::int64_t extents[][3] = {{64, 128, 64}, {65, 70, 33}, {1, 9, 131},
                                         {130, 3, 96},  {6, 60, 31},  {8, 7, 1}};
  constexpr std::pair<int, int> alignments[] = {{0, 0}, {0, 4}, {1, 0}, {0, 1}};  // shift, slack
  int number = 0;
  for (const PlaneFormat format : formats) {
    for (const auto& [m, n, k] : extents) {
      for (const auto& [shift, slack] : alignments) {
        for (const Op op_a : ops) {
          for (const Op op_b : ops) {
            if (is_run(number++)) check({format, op_a, op_b, m, n, k, shift, slack});
          }
        }
      }
    }
  }
}

TEST_CASE("each product of a batch has its own planes, but for an operand that all share") {
  int number = 0;
  for (const PlaneFormat format : formats) {
    for (const Lie lie : {Lie::strided, Lie::shared, Lie::in_arrays}) {
      for (const Op op : ops) {
        if (is_run(number++)) check({format, op, op, 70, 20, 68, 0, 0, lie});
        if (is_run(number++)) check({format, op, op, 9, 65, 33, 0, 3, lie});
      }
    }
  }
}

}  // namespace ladder::test

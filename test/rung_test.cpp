// SPDX-License-Identifier: MIT
// Every rung and its configurations, emulated, at the edges of the rung's tile: against float64 with a derived bound,
// and bit for bit against rung 1.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/rung_case.hpp"
#include "support/turns.hpp"

namespace ladder::test {

namespace {

constexpr Op ops[] = {Op::none, Op::transpose};

/// Multiplies each row, or each element on its own, with a power of two of its own, from 2^(center - spread) to
/// 2^(center + spread).
void grade(Matrix& matrix, int center, int spread, bool by_row) {
  for (std::int64_t j = 0; j < matrix.columns(); ++j) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) {
      constexpr std::int64_t row_step = 7, element_step = 31;
      const std::int64_t turn = by_row ? i * row_step : i * row_step + j * element_step;
      matrix.at(i, j) = std::ldexp(matrix.at(i, j), center - spread + static_cast<int>(turn % (2 * spread + 1)));
    }
  }
}

}  // namespace

TEST_CASE("a rung agrees with float64 and, bit for bit, with rung 1") {
  for (const Rung* rung : chosen_rungs()) {
    Turns turns;
    const unsigned share =
        effort() == Effort::full ? 7 * sanitizer_share : 1;  // config_test.cpp has more for each configuration
    for (const Shape& shape : shapes_of(rung->emulated->tile, effort())) {
      for (const Op op_a : ops) {
        for (const Op op_b : ops) {
          Case c = turns.next(shape, op_a, op_b);
          c.share = share;
          if (is_run(*rung, c.seed)) check_case(*rung, c);
        }
      }
    }
  }
}

TEST_CASE("shapes for which rung 7's model chooses different tiles") {
  if (effort() != Effort::full) return;
  const Rung& autotuned = *find_rung("autotuned");
  Turns turns;
  for (const Rung* rung : chosen_rungs()) {
    if (rung != &autotuned) continue;
    for (const Shape& shape : {Shape{2000, 1800, 8}, {1300, 1301, 1}, {100, 90, 33}}) {
      for (const Op op_a : ops) check_case(*rung, turns.next(shape, op_a, Op::none));
    }
  }
}

TEST_CASE("every blend, by value and by address, with every layout") {
  const Effort chosen = effort();
  if (chosen == Effort::tiny) return;
  for (const Rung* rung : chosen_rungs()) {
    const TileExtents& tile = rung->emulated->tile;
    const bool full = chosen == Effort::full;
    const Shape shape{full ? tile.bm + 3 : 9, full ? 6 : 5, tile.bk + 1};
    for (const Blend& blend : blends) {
      for (const Lines lines : {Lines::tight, Lines::quads, Lines::odd}) {
        for (const int shift : {0, 1}) {
          for (const bool by_address : {false, true}) {
            check_case(*rung, {.shape = shape,
                               .op_a = shift == 0 ? Op::none : Op::transpose,
                               .op_b = by_address ? Op::none : Op::transpose,
                               .alpha = blend.alpha,
                               .beta = blend.beta,
                               .lines = lines,
                               .shift = shift,
                               .scalars_by_address = by_address});
          }
        }
      }
    }
  }
}

TEST_CASE("every epilogue, with every blend") {
  if (effort() == Effort::tiny) return;
  for (const Rung* rung : chosen_rungs()) {
    const TileExtents& tile = rung->emulated->tile;
    Turns turns;
    for (const Shape& shape : {Shape{tile.bm / 2 + 3, 6, tile.bk + 1}, {5, tile.bn / 2 + 9, 3}, {16, 12, 8}}) {
      for (const Finish& finish : finishes) {
        for (int blend = 0; blend < 2; ++blend) {
          const Op op_a = blend == 0 ? Op::none : Op::transpose;
          Case c = turns.next(shape, op_a, Op::none);
          c.finish = finish;
          check_case(*rung, c);
        }
      }
    }
  }
}

TEST_CASE("NaN, infinity and subnormals go through as IEEE says") {
  if (effort() == Effort::tiny) return;
  const float infinity = std::numeric_limits<float>::infinity();
  const float specials[] = {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 0x1p-140f, -0.0f};
  for (const Rung* rung : chosen_rungs()) {
    for (const float special : specials) {
      for (const Op op : ops) {
        for (const Shape& shape : {Shape{9, 10, 11}, {3, 70, 2003}, {66, 5, 1025}}) {
          Operands operands({.shape = shape, .op_a = op, .op_b = op, .alpha = 1.0f, .beta = 0.5f, .shift = 1});
          operands.a.at(operands.a.rows() / 3, operands.a.columns() / 2) = special;
          operands.b.at(operands.b.rows() / 4, operands.b.columns() * 2 / 3) = special;
          operands.c.at(shape.m - 1, shape.n - 1) = special;
          check_operands(*rung, operands);
        }
      }
    }
  }
}

TEST_CASE("the sign of zero and subnormals are kept, in a slab that is cut too") {
  if (effort() == Effort::tiny) return;
  struct Values {
    float a, b, c, beta;
    bool underflows;  // to -0: one more step, of zeros, or one more addition of +0 would make it +0
  };
  constexpr Values sets[] = {{-0x1p-100f, 0x1p-100f, 1.0f, 0.0f, true},
                             {-0x1p-100f, 0x1p-100f, -0.0f, 1.0f, true},
                             {-0.0f, 1.0f, -0.0f, 1.0f, false},
                             {0x1p-75f, 0x1p-74f, 0x1p-149f, 1.0f, false}};
  for (const Rung* rung : chosen_rungs()) {
    for (const Values& values : sets) {
      for (const Shape& shape : {Shape{5, 6, rung->emulated->tile.bk + 1}, {65, 3, 2051}, {2, 129, 1030}}) {
        // Which zero the tensor cores make of what underflows is not promised.
        const bool exact = !(values.underflows && uses_tensor_cores(rung->precision));
        Operands operands({.shape = shape, .alpha = 1.0f, .beta = values.beta, .exact = exact});
        operands.a.fill(values.a);
        operands.b.fill(values.b);
        operands.c.fill(values.c);
        check_operands(*rung, operands);
      }
    }
  }
}

TEST_CASE("elements over many binades, and next to either end of FP32's range") {
  if (effort() == Effort::tiny) return;
  // An element is 2^(center +- spread) times a random one; a row of op(A) or column of op(B) is so as a whole where
  // `by_row`, or each element on its own.
  struct Data {
    int center_a, center_b, spread;
    bool by_row;
  };
  constexpr Data data[] = {{0, 0, 10, true},       // two planes of fp16 hold it
                           {0, 0, 30, false},      // three of bf16 do
                           {60, -70, 20, false},   // and here
                           {-139, 100, 9, false},  // subnormals
                           {-100, -30, 8, true},   // products that are
                           {110, 0, 3, true},      // sums that no planes hold
                           {58, 55, 2, false}};
  for (const Rung* rung : chosen_rungs()) {
    if (rung->precision == Precision::tf32) continue;  // nothing is promised near the end of the range
    std::uint32_t seed = 0;
    for (const Data& of : data) {
      for (const Shape& shape : {Shape{37, 41, 130}, {70, 33, 64}, {5, 9, 2051}}) {
        Operands operands({.shape = shape, .op_b = Op::transpose, .alpha = 0.7f, .seed = ++seed, .share = 7});
        grade(operands.a, of.center_a, of.spread, of.by_row);
        grade(operands.b, of.center_b, of.spread, of.by_row);
        CAPTURE(of.center_a);
        check_operands(*rung, operands);
      }
    }
  }
}

TEST_CASE("where the order of k is asked for, an element's bits depend on its row, its column and k alone") {
  if (effort() == Effort::tiny) return;
  const PlainSums asked;
  for (const Rung* rung : chosen_rungs()) {
    if (!uses_tensor_cores(rung->precision)) continue;  // these have rung 1's bits then
    for (const Shape& part : {Shape{1, 1, 2051}, {33, 20, 2051}, {64, 70, 515}}) {
      const Shape whole{part.m + 68, part.n + 67, part.k};
      Operands operands({.shape = whole, .alpha = 0.7f, .beta = -1.3f});
      Matrix result = operands.c;
      Matrix corner = operands.c;
      REQUIRE(rung->emulated->launch(operands.problem(result), nullptr) == launch_ok);
      GemmProblem problem = operands.problem(corner);
      problem.m = part.m;
      problem.n = part.n;
      REQUIRE(rung->emulated->launch(problem, nullptr) == launch_ok);
      std::int64_t different = 0;
      for (std::int64_t j = 0; j < part.n; ++j) {
        for (std::int64_t i = 0; i < part.m; ++i) different += same_value(result.at(i, j), corner.at(i, j)) ? 0 : 1;
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("alpha = 0 and k = 0 read neither A nor B; alpha = 0 with beta = 1 leaves C alone") {
  if (effort() == Effort::tiny) return;
  for (const Rung* rung : chosen_rungs()) {
    for (const bool by_address : {false, true}) {
      for (const float beta : {0.0f, 1.0f, -0.5f}) {
        for (const std::int64_t k : {0, 9}) {
          Operands operands({.shape = {6, 7, k},
                             .alpha = k == 0 ? 1.5f : 0.0f,
                             .beta = beta,
                             .lines = Lines::odd,
                             .scalars_by_address = by_address,
                             .inputs_unreadable = true,
                             .exact = true});
          if (beta == 1.0f) operands.c.at(2, 3) = float_of(0x7fabcdefu);  // a NaN whose bits an FMA would change
          check_operands(*rung, operands);
        }
      }
    }
  }
}

}  // namespace ladder::test

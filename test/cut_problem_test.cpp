// SPDX-License-Identifier: MIT
// A problem in pieces: each element of C once, with its own A, B, old C and bias.
#include "cut_problem.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ladder::test {

namespace {

/// Where the sum of an element comes from and goes to, as numbers of elements from the first product's matrices.
struct Element {
  std::int64_t a, b, old_c, bias;

  bool operator==(const Element&) const = default;
};

// Nobody looks behind these addresses; they are far enough from each other.
std::vector<float> floats(1 << 22);
float* const a_origin = floats.data();
float* const b_origin = a_origin + (1 << 20);
float* const c_origin = b_origin + (1 << 20);
float* const old_c_origin = c_origin + (1 << 20);
float* const bias_origin = old_c_origin + (1 << 19);

std::map<std::int64_t, Element> elements_of(const GemmProblem& p) {
  std::map<std::int64_t, Element> elements;
  for (std::int64_t product = 0; product < p.batch; ++product) {
    for (std::int64_t n = 0; n < p.n; ++n) {
      for (std::int64_t m = 0; m < p.m; ++m) {
        const float* a = p.a + product * p.stride_a + (p.op_a == Op::none ? m : m * p.lda);
        const float* b = p.b + product * p.stride_b + (p.op_b == Op::none ? n * p.ldb : n);
        const float* old_c = p.old_c + product * p.stride_old_c + m + n * p.ld_old_c;
        const float* bias = p.bias + product * p.bias_stride + (p.bias_by_column ? n : m);
        const std::int64_t c = p.c + product * p.stride_c + m + n * p.ldc - c_origin;
        elements[c] = {a - a_origin, b - b_origin, old_c - old_c_origin, bias - bias_origin};
      }
    }
  }
  return elements;
}

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t batch) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = 2, p.batch = batch;
  p.a = a_origin, p.b = b_origin, p.c = c_origin, p.old_c = old_c_origin, p.bias = bias_origin;
  p.lda = m + 3, p.ldb = n + 5, p.ldc = m + 1, p.ld_old_c = m + 2;
  p.stride_a = 2 * p.lda + 7, p.stride_b = 0, p.stride_c = p.ldc * n, p.stride_old_c = p.ld_old_c * n;
  p.bias_stride = m + n;
  return p;
}

struct Memory {
  const void* bytes;
};

/// What a launch of pieces of at most so many elements was called with.
std::vector<GemmProblem> pieces_within(const GemmProblem& problem, std::int64_t most) {
  std::vector<GemmProblem> pieces;
  const auto status = launch_in_pieces(
      problem, [](const GemmProblem& piece) { return piece.batch * piece.m * piece.n; },
      [&](std::int64_t elements) { return Memory{elements <= most ? &problem : nullptr}; },
      [&](const GemmProblem& piece, const Memory& memory) {
        CHECK(memory.bytes == &problem);
        pieces.push_back(piece);
        return launch_ok;
      });
  CHECK(status.has_value() == !pieces.empty());
  return pieces;
}

}  // namespace

TEST_CASE("pieces cover every element once, each with what belongs to it") {
  for (const bool transposed : {false, true}) {
    GemmProblem p = problem_of(300, 520, 3);
    p.op_a = p.op_b = transposed ? Op::transpose : Op::none;
    p.bias_by_column = transposed;
    const auto whole = elements_of(p);
    for (const std::int64_t most : {1 << 20, 300 * 520 * 2, 300 * 520, 300 * 512, 256 * 256}) {
      CAPTURE(most);
      std::map<std::int64_t, Element> together;
      std::size_t count = 0;
      for (const GemmProblem& piece : pieces_within(p, most)) {
        CHECK(piece.batch * piece.m * piece.n <= most);
        CHECK(piece.k == p.k);
        const auto part = elements_of(piece);
        count += part.size();
        together.insert(part.begin(), part.end());
      }
      CHECK(count == whole.size());
      CHECK((together == whole));
    }
  }
}

TEST_CASE("a problem that fits is one piece, and the batch is cut before C") {
  const GemmProblem p = problem_of(300, 520, 4);
  CHECK(pieces_within(p, 300 * 520 * 4).size() == 1);
  CHECK(pieces_within(p, 300 * 520 * 2).size() == 2);
  for (const GemmProblem& piece : pieces_within(p, 300 * 520)) {
    CHECK(piece.batch == 1);
    CHECK(piece.m == p.m);
    CHECK(piece.n == p.n);
  }
}

TEST_CASE("C is cut where it is longer, in multiples of 256") {
  PieceExtents extents{1, 1000, 600};
  const GemmProblem p = problem_of(1000, 600, 1);
  const std::vector<std::pair<std::int64_t, std::int64_t>> steps = {{512, 600}, {512, 512}, {256, 512}, {256, 256}};
  for (const auto& [m, n] : steps) {
    REQUIRE(halve(extents, p));
    CHECK(extents.m == m);
    CHECK(extents.n == n);
  }
  CHECK_FALSE(halve(extents, p));
}

TEST_CASE("nothing is launched where the smallest piece does not fit") {
  CHECK(pieces_within(problem_of(300, 520, 3), 256 * 256 - 1).empty());
}

TEST_CASE("a failed launch is the last one") {
  int launches = 0;
  const auto status = launch_in_pieces(
      problem_of(300, 520, 3), [](const GemmProblem& piece) { return piece.batch; },
      [](std::int64_t batch) { return Memory{batch == 1 ? &floats : nullptr}; },
      [&](const GemmProblem&, const Memory&) { return ++launches == 2 ? launch_not_supported : launch_ok; });
  CHECK(status == launch_not_supported);
  CHECK(launches == 2);
}

TEST_CASE("arrays of addresses are cut between products alone, and missing addresses stay missing") {
  std::vector<float*> addresses(3, c_origin);
  GemmProblem p = problem_of(300, 520, 3);
  p.a = p.b = nullptr, p.c = nullptr;
  p.old_c = p.bias = nullptr;
  p.c_array = addresses.data();
  p.b_array = p.c_array;
  const auto pieces = pieces_within(p, 300 * 520);
  REQUIRE(pieces.size() == 3);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].c_array == addresses.data() + i);
    CHECK(pieces[i].b_array == addresses.data() + i);
    CHECK(pieces[i].a_array == nullptr);
    CHECK(pieces[i].old_c == nullptr);
    CHECK(pieces[i].bias == nullptr);
    CHECK(pieces[i].m == p.m);
  }
  CHECK(pieces_within(p, 300 * 520 - 1).empty());
}

}  // namespace ladder::test

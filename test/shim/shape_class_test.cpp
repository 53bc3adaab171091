// SPDX-License-Identifier: MIT
// Shape classes: their limits, and that they are what the benchmark's list of shapes calls them.
#include "shape_class.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

using namespace ladder;
using namespace ladder::shim;

namespace {

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  return p;
}

std::string name_of(const GemmProblem& p) { return shape_class_name(shape_class_of(p)); }

}  // namespace

TEST_CASE("each class begins and ends where it says, either way round") {
  const auto both = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::string name = name_of(problem(m, n, k));
    CHECK(name == name_of(problem(n, m, k)));
    return name;
  };
  CHECK(both(512, 512, 512) == "square");
  CHECK(both(1024, 512, 512) == "square");
  CHECK(both(1025, 512, 512) == "rectangular");
  CHECK(both(512, 512, 1024) == "square");
  CHECK(both(512, 512, 1025) == "rectangular");
  CHECK(both(4096, 8, 4096) == "decode");
  CHECK(both(4096, 9, 4096) == "skinny");
  CHECK(both(4096, 256, 4096) == "skinny");
  CHECK(both(4095, 256, 4096) == "rectangular");
  CHECK(both(16 * 257, 257, 4096) == "rectangular");
  CHECK(both(256, 128, 32 * 256) == "large_k");
  CHECK(both(256, 128, 32 * 256 - 1) == "rectangular");
  CHECK(both(256, 300, 64) == "small_k");
  CHECK(both(255, 300, 64) == "rectangular");
  CHECK(both(4096, 4096, 65) == "rectangular");
}

TEST_CASE("nothing, and batches") {
  CHECK(name_of(problem(0, 5, 5)) == "empty");
  CHECK(name_of(problem(5, 0, 5)) == "empty");
  CHECK(name_of(problem(5, 5, 0)) == "empty");
  CHECK(name_of(problem(5, 5, 5, 0)) == "empty");
  CHECK(name_of(problem(512, 512, 512, 2)) == "batched");
  GemmProblem p = problem(512, 512, 512, 1);
  float* c = nullptr;
  p.c_array = &c;
  CHECK(name_of(p) == "batched_array");
  CHECK(std::string(shape_class_name(ShapeClass::unknown)) == "-");
}

TEST_CASE("extents as large as they can be") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(name_of(problem(most, most, most)) == "square");
  CHECK(name_of(problem(most, 1, most)) == "decode");
  CHECK(name_of(problem(1, 1, most)) == "large_k");
  CHECK(name_of(problem(most, most, 1)) == "small_k");
  CHECK(nominal_flops(problem(most, most, most)) > 1e57);
  CHECK(nominal_flops(problem(3, 5, 7, 11)) == 2.0 * 3 * 5 * 7 * 11);
}

TEST_CASE("the benchmark's words for its shapes, where they are words for a shape") {
  // Its decode goes on to 256 columns.
  const std::multimap<std::string, std::string> wanted{
      {"square", "square"},   {"ragged", "square"},   {"transposed", "square"},
      {"decode", "decode"},   {"decode", "skinny"},   {"skinny", "skinny"},
      {"large_k", "large_k"}, {"small_k", "small_k"}, {"batched", "batched"},
  };
  std::ifstream file(SHAPES_CSV);
  std::map<std::string, int> seen;
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    std::string category, op_a, op_b;
    std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0, batch = 0;
    if (!(cells >> category >> op_a >> op_b >> m >> n >> k >> lda >> ldb >> ldc >> batch)) continue;
    const auto [first, last] = wanted.equal_range(category);
    if (first == last) continue;
    ++seen[category];
    CAPTURE(line);
    const std::string name = name_of(problem(m, n, k, batch));
    CHECK(std::any_of(first, last, [&](const auto& pair) { return pair.second == name; }));
    if (category == "decode") CHECK((name == "decode") == (std::min(m, n) <= decode_side));
  }
  CHECK(seen.size() == 8);
}

// SPDX-License-Identifier: MIT
// Two measurements of the same problems.
#include "bench/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "row.hpp"

using namespace ladder::bench;

namespace {

BenchRow timed(std::int64_t n, double median, double half_spread) {
  BenchRow row = row_of("square", n, median, 1);
  row.time = {median, median - half_spread, median + half_spread};
  return row;
}

}  // namespace

TEST_CASE("a change counts where the quartiles part and it is above one per cent") {
  const Results before{{}, {timed(1, 1.0, 0.01), timed(2, 1.0, 0.2), timed(3, 1.0, 0), timed(4, 1.0, 0.01)}};
  const Results after{{}, {timed(1, 1.1, 0.01), timed(2, 1.1, 0.2), timed(3, 1.005, 0), timed(4, 0.5, 0.01)}};
  const Comparison comparison = compare(before, after);
  CHECK(comparison.compared == 4);
  REQUIRE(comparison.slower.size() == 1);
  CHECK(comparison.slower[0].change == doctest::Approx(0.1));
  CHECK(comparison.slower[0].what == "double_buffered square NN 1x1x1, normal, cold");
  REQUIRE(comparison.quicker.size() == 1);
  CHECK(comparison.quicker[0].change == doctest::Approx(-0.5));
  CHECK(comparison.geomean.value() == doctest::Approx(std::pow(1 / 1.1 / 1.1 / 1.005 * 2, 0.25)));
}

TEST_CASE("the largest change comes first") {
  const Results before{{}, {timed(1, 1, 0), timed(2, 1, 0), timed(3, 1, 0)}};
  const Results after{{}, {timed(1, 1.1, 0), timed(2, 3, 0), timed(3, 2, 0)}};
  const Comparison comparison = compare(before, after);
  REQUIRE(comparison.slower.size() == 3);
  CHECK(comparison.slower[0].change == doctest::Approx(2));
  CHECK(comparison.slower[2].change == doctest::Approx(0.1));
}

TEST_CASE("rows match by problem, contender, data and cache, not by category or order") {
  Results before{{}, {timed(1, 1, 0), timed(2, 1, 0), timed(3, 1, 0)}};
  Results after{{}, {timed(2, 1, 0), timed(1, 1, 0), timed(3, 1, 0)}};
  after.rows[0].problem.category = "renamed";
  after.rows[2].data = "zeros";
  const Comparison comparison = compare(before, after);
  CHECK(comparison.compared == 2);
  CHECK(comparison.only_before == std::vector<std::string>{"double_buffered square NN 3x3x3, normal, cold"});
  CHECK(comparison.only_after == std::vector<std::string>{"double_buffered square NN 3x3x3, zeros, cold"});
}

TEST_CASE("a rung's problem is compared whoever serves it, a peer and a configuration by their names") {
  const auto with_name = [](const char* rung, const char* name, double median) {
    BenchRow row = timed(1, median, 0);
    row.rung = rung;
    row.name = name;
    return row;
  };
  const Comparison auto_chooses =
      compare({{}, {with_name("auto", "fp32_tensor", 2)}}, {{}, {with_name("auto", "double_buffered", 1)}});
  CHECK(auto_chooses.compared == 1);
  CHECK(auto_chooses.quicker.size() == 1);
  CHECK(compare({{}, {with_name("0", "cublas", 1)}}, {{}, {with_name("0", "cublas_tf32", 1)}}).compared == 0);
  CHECK(compare({{}, {with_name("9", "double_buffered:a", 1)}}, {{}, {with_name("9", "double_buffered:b", 1)}})
            .compared == 0);
}

TEST_CASE("a row that is not right any more is broken, not slower") {
  const Results before{{}, {timed(1, 1, 0), timed(2, 1, 0), timed(3, 1, 0)}};
  Results after = before;
  after.rows[0].verdict = "wrong";
  after.rows[1].time.median = std::nan("");
  const Comparison comparison = compare(before, after);
  CHECK(comparison.broken.size() == 2);
  CHECK(comparison.compared == 1);
  CHECK(comparison.slower.empty());
  CHECK(compare(after, before).repaired.size() == 2);
  CHECK(compare(after, after).broken.empty());
}

TEST_CASE("conditions that differ are named") {
  const Results before{{{"GPU", "A"}, {"driver", "1"}, {"power after", "600 W"}, {"door", "none"}}, {timed(1, 1, 0)}};
  const Results after{{{"GPU", "B"}, {"driver", "1"}, {"power after", "601 W"}, {"door", "x"}}, {timed(1, 1, 0)}};
  CHECK(compare(before, after).conditions == std::vector<std::string>{"GPU: A -> B", "door: none -> x"});
}

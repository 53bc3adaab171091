// SPDX-License-Identifier: MIT
// What is concluded from many rows, with failed ones, several rungs and missing numbers among them.
#include "bench/summary.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "bench/results_json.hpp"
#include "row.hpp"

using namespace ladder::bench;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

BenchRow with_floor(BenchRow row, double share) {
  row.floor_ms = share * row.time.median;
  return row;
}

BenchRow of_rung(BenchRow row, const char* rung, const char* name) {
  row.rung = rung;
  row.name = name;
  return row;
}

}  // namespace

TEST_CASE("geometric mean, minimum and where it is, overall and by category") {
  const Results results{{},
                        {with_floor(row_of("square", 64, 1, 0.5), 0.25), with_floor(row_of("square", 128, 1, 2), 1),
                         with_floor(row_of("decode", 32, 1, 1), 0.5)}};
  const auto json = summary_json(summarize(results));
  CHECK(json["geomean"].get<double>() == doctest::Approx(1));
  CHECK(json["min"].get<double>() == doctest::Approx(0.5));
  CHECK(json["worst"] == "square NN 64x64x64");
  CHECK(json["share_of_floor"].get<double>() == doctest::Approx(0.5));
  CHECK(json["share_of_floor_min"].get<double>() == doctest::Approx(0.25));
  CHECK(json["problems"] == 3);
  CHECK(json["failed"] == 0);
  CHECK(json["rung"] == "9");
  CHECK(json["peer"] == "cublas");
  CHECK_FALSE(json.contains("rungs"));
  CHECK(json["categories"].size() == 2);
  const auto& square = json["categories"]["square"];
  CHECK(square["geomean"].get<double>() == doctest::Approx(1));
  CHECK(square["share_of_floor"].get<double>() == doctest::Approx(0.5));
  CHECK(square["problems"] == 2);
  CHECK(json["categories"]["decode"]["min"].get<double>() == doctest::Approx(1));
}

TEST_CASE("rows that failed are counted and in no mean") {
  Results results{{},
                  {row_of("square", 64, 1, 0.5), row_of("square", 128, 1, 8), row_of("square", 256, nan_value, 8),
                   row_of("ragged", 100, 1, 8)}};
  results.rows[1].verdict = "wrong";
  results.rows[3].peer_time.reset();
  const auto json = summary_json(summarize(results));
  CHECK(json["geomean"].get<double>() == doctest::Approx(0.5));
  CHECK(json["problems"] == 4);
  CHECK(json["failed"] == 3);
  CHECK(json["categories"]["square"]["failed"] == 2);
  const auto& ragged = json["categories"]["ragged"];
  CHECK(ragged["failed"] == 1);
  CHECK(ragged["geomean"].is_null());
  CHECK(ragged["min"].is_null());
}

TEST_CASE("a floor that only some rows have gives no share of it") {
  const auto json =
      summary_json(summarize({{}, {with_floor(row_of("square", 64, 1, 1), 0.5), row_of("square", 128, 1, 1)}}));
  CHECK(json["failed"] == 0);
  CHECK(json["share_of_floor"].is_null());
  CHECK(json["geomean"].get<double>() == doctest::Approx(1));
}

TEST_CASE("without any peer there is no ratio, and nothing failed for it") {
  Results results{{}, {with_floor(row_of("square", 64, 1, 1), 0.5)}};
  results.rows[0].peer_time.reset();
  results.rows[0].peer.clear();
  const auto json = summary_json(summarize(results));
  CHECK(json["geomean"].is_null());
  CHECK(json["failed"] == 0);
  CHECK(json["share_of_floor"].get<double>() == doctest::Approx(0.5));
}

TEST_CASE("a peer that failed everywhere is a failure") {
  Results results{{}, {row_of("square", 64, 1, 1)}};
  results.rows[0].peer_time.reset();
  CHECK(summary_json(summarize(results))["failed"] == 1);
}

TEST_CASE("calls of one rung that others served have all names") {
  const BenchRow row = row_of("square", 64, 1, 0.5);
  const Results results{{}, {of_rung(row, "9", "next_blas"), row, row}};
  CHECK(summary_json(summarize(results))["name"] == "next_blas+double_buffered");
}

TEST_CASE("several rungs: the default one is on top, the peers themselves are not there") {
  const BenchRow row = row_of("square", 64, 1, 0.5);
  const Results results{{},
                        {of_rung(row, "0", "cublas"), of_rung(row, "8", "warp_tiled"), row,
                         of_rung(row, "9", "double_buffered:warp_specialized_128x64")}};
  const auto json = summary_json(summarize(results));
  CHECK(json["rung"] == "9");
  CHECK(json["problems"] == 1);
  CHECK(json["rungs"].size() == 3);
  CHECK(json["rungs"]["8"]["name"] == "warp_tiled");
  CHECK(json["rungs"]["9:warp_specialized_128x64"]["problems"] == 1);
  for (const char* filter : {"8", "warp_tiled"}) {
    const auto one = summary_json(summarize(results, filter));
    CHECK(one["rung"] == "8");
    CHECK_FALSE(one.contains("rungs"));
  }
  CHECK(summarize(results, "7").rungs.empty());
  CHECK(headline(summarize(results, "7")) == nullptr);
}

TEST_CASE("the emulated default rung is the default rung") {
  const BenchRow row = row_of("", 64, 1, 0.5);
  const Results results{{}, {of_rung(row, "9", "double_buffered:emulated"), of_rung(row, "8", "warp_tiled:emulated")}};
  CHECK(summary_json(summarize(results))["rung"] == "9:emulated");
}

TEST_CASE("without the default rung the last one is on top") {
  const BenchRow row = row_of("", 64, 1, 0.5);
  const Results results{{}, {of_rung(row, "6", "vectorized"), of_rung(row, "7", "autotuned")}};
  const auto json = summary_json(summarize(results));
  CHECK(json["rung"] == "7");
  CHECK(json["categories"].contains("other"));
}

// SPDX-License-Identifier: MIT
// One run of several rungs as a file for each.
#include "bench/results_by_rung.hpp"

#include <doctest/doctest.h>

#include "row.hpp"

using namespace ladder::bench;

namespace {

BenchRow of_rung(const char* rung, const char* name) {
  BenchRow row = row_of("square", 64, 1, 0.5);
  row.rung = rung;
  row.name = name;
  return row;
}

const Results raced{{{"GPU", "a card"}},
                    {of_rung("8", "warp_tiled"), of_rung("auto", "double_buffered"), of_rung("0", "cublas"),
                     of_rung("padded", "padded")}};

}  // namespace

TEST_CASE("a plain name is one file of everything") {
  const auto files = files_of("all.csv", raced);
  REQUIRE(files.size() == 1);
  CHECK(files[0].first == "all.csv");
  CHECK(files[0].second.rows.size() == 4);
}

TEST_CASE("each rung has a file by its name, with the peers and the conditions") {
  const auto files = files_of("out/%r.csv", raced);
  REQUIRE(files.size() == 3);
  CHECK(files[0].first == "out/warp_tiled.csv");
  CHECK(files[1].first == "out/auto.csv");
  CHECK(files[2].first == "out/padded.csv");
  for (const auto& [path, results] : files) {
    CHECK(results.conditions == raced.conditions);
    REQUIRE(results.rows.size() == 2);
    CHECK((results.rows[0].name == "cublas") != (results.rows[1].name == "cublas"));
  }
  CHECK(files[1].second.rows[0].name == "double_buffered");
}

// SPDX-License-Identifier: MIT
// Result files: written and read back, made by hand, and as JSON.
#include "bench/results.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "bench/atomic_file.hpp"
#include "bench/results_json.hpp"
#include "bench/statistics.hpp"
#include "row.hpp"
#include "temporary_file.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

Results read_back(const Results& results) {
  const TemporaryFile file(results_csv(results));
  std::string complaint;
  const auto read = read_results(file.path(), complaint);
  INFO(complaint);
  REQUIRE(read);
  return *read;
}

BenchRow full_row() {
  BenchRow row = row_of("square", 4096, 2.5, 1.2);
  row.problem.op_b = Op::transpose;
  row.problem.ldc = 5000;
  row.precision = "fp32";
  row.timing = "graph";
  row.time = {2.5, 2.4, 2.6};
  row.peer_time = Spread{3.0, 2.9, 3.1};
  row.host_us = 4.25;
  row.host_us_least = 3.5;
  row.limit = "flops";
  row.floor_ms = 2.0;
  row.worst_error = 0.125;
  row.sm_mhz = 1980;
  row.watts = 645.5;
  return row;
}

}  // namespace

TEST_CASE("the columns are the ones that other tools read") {
  const std::string text = results_csv({});
  CHECK(text ==
        "category,op_a,op_b,m,n,k,lda,ldb,ldc,batch,rung,name,precision,data,cache,timing,samples,ms,ms_q1,ms_q3,"
        "tflops,host_us,host_us_least,peer,peer_ms,peer_ms_q1,peer_ms_q3,ratio,limit,floor_ms,share_of_floor,worst_"
        "error,sm_mhz,"
        "watts,verdict\n");
}

TEST_CASE("what is written is read back") {
  Results results;
  results.conditions = {{"GPU", "a card, \"quoted\": 700 W"}, {"command", "ladder bench\n--csv"}};
  results.rows = {full_row(), row_of("ragged", 100, 0.5, 0.5)};
  results.rows[1].verdict = "wrong: C(3,4) is \"nan\",\nnot 1";
  const Results read = read_back(results);
  CHECK(read.conditions == Conditions{{"GPU", "a card, \"quoted\": 700 W"}, {"command", "ladder bench --csv"}});
  REQUIRE(read.rows.size() == 2);
  CHECK(results_csv(read) == results_csv({read.conditions, results.rows}));
  CHECK(read.rows[1].verdict == results.rows[1].verdict);
  const BenchRow& row = read.rows[0];
  CHECK(ratio(row).value() == doctest::Approx(1.2));
  CHECK(share_of_floor(row).value() == doctest::Approx(0.8));
  CHECK(tflops(row) == doctest::Approx(2.0 * 4096 * 4096 * 4096 / 2.5e9));
  CHECK(row.problem.ldc == 5000);
  CHECK(row.sm_mhz == 1980);
}

TEST_CASE("a time that is no number, an error beyond its bound and a bad verdict leave no result") {
  const auto has_no_result = [](const BenchRow& row) {
    CHECK_FALSE(is_right(row));
    CHECK_FALSE(ratio(row));
    CHECK_FALSE(share_of_floor(row));
    CHECK(std::isnan(tflops(row)));
  };
  for (const double ms :
       {std::numeric_limits<double>::quiet_NaN(), 0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    BenchRow row = full_row();
    row.time.median = ms;
    has_no_result(row);
    row = full_row();
    row.peer_time->median = ms;
    CHECK_FALSE(ratio(row));
  }
  for (const double error : {std::numeric_limits<double>::quiet_NaN(), 1.01}) {
    BenchRow row = full_row();
    row.worst_error = error;
    has_no_result(row);
    has_no_result(read_back({{}, {row}}).rows[0]);
  }
  BenchRow row = full_row();
  row.verdict.clear();
  has_no_result(row);
  for (const double ms : {std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    for (double Spread::*part : {&Spread::q1, &Spread::q3}) {
      row = full_row();
      row.time.*part = ms;
      has_no_result(row);
    }
  }
}

TEST_CASE("a row without a result does not make the file unreadable") {
  BenchRow failed = full_row();
  failed.verdict = "failed: out of memory";
  failed.samples = 0;
  failed.time = spread_of({});
  failed.host_us.reset();
  failed.host_us_least.reset();
  failed.worst_error = std::numeric_limits<double>::quiet_NaN();
  const Results results = read_back({{}, {failed, full_row()}});
  REQUIRE(results.rows.size() == 2);
  CHECK(results.rows[0].verdict == failed.verdict);
  CHECK_FALSE(is_right(results.rows[0]));
  CHECK(is_right(results.rows[1]));
}

TEST_CASE("a file made by hand is enough") {
  const TemporaryFile file(
      "# GPU: some card\r\n"
      "ratio,category,op_a,op_b,m,n,k,lda,ldb,ldc,batch,rung,ms,tflops,share_of_floor\r\n"
      "1.5,square,N,N,64,64,64,0,0,0,1,9,0.004,0.13,0.5\r\n"
      "\r\n"
      "0.5,square,N,T,64,64,64,0,0,0,1,9,,,\r\n");
  std::string complaint;
  const auto results = read_results(file.path(), complaint);
  INFO(complaint);
  REQUIRE(results);
  CHECK(results->conditions == Conditions{{"GPU", "some card"}});
  REQUIRE(results->rows.size() == 2);
  CHECK(ratio(results->rows[0]).value() == doctest::Approx(1.5));
  CHECK(share_of_floor(results->rows[0]).value() == doctest::Approx(0.5));
  CHECK(is_right(results->rows[0]));
  CHECK_FALSE(is_right(results->rows[1]));
}

TEST_CASE("JSON has the columns of the file, and null for what there is not") {
  Results results{{{"GPU", "bad UTF-8: \xff"}}, {full_row()}};
  results.rows[0].floor_ms.reset();
  results.rows[0].worst_error = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(json_text(results_json(results)));
  CHECK(json["rows"].size() == 1);
  const auto& row = json["rows"][0];
  CHECK(row["m"] == 4096);
  CHECK(row["op_b"] == "T");
  CHECK(row["floor_ms"].is_null());
  CHECK(row["worst_error"].is_null());
  CHECK(row["ratio"].is_null());
  CHECK(row["ms"] == 2.5);
}

TEST_CASE("a file is replaced whole or not at all") {
  const TemporaryFile file("old");
  std::string complaint;
  REQUIRE(write_file_atomically(file.path(), "new", complaint));
  std::string text;
  std::ifstream(file.path()) >> text;
  CHECK(text == "new");
  const auto entries = std::distance(std::filesystem::directory_iterator(file.folder()), {});
  CHECK(entries == 1);
  CHECK_FALSE(write_file_atomically(file.folder() / "none" / "x.csv", "new", complaint));
  CHECK(complaint.find("none/x.csv: No such file or directory") != std::string::npos);
}

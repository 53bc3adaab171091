// SPDX-License-Identifier: MIT
// The race of host doors on the CPU: our library emulated, OpenBLAS, and a BLAS with a fault of its own in either role.
#include "bench/host/host_door.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "bench/host/host_door_nvblas.hpp"
#include "bench/host/host_door_protocol.hpp"

namespace ladder::bench {

namespace {

constexpr const char* openblas = "libopenblas.so.0";

std::string variable(const char* name) {
  const char* value = getenv(name);
  REQUIRE(value != nullptr);
  return value;
}

BenchProblem problem_of(Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k) {
  BenchProblem problem;
  problem.op_a = op_a;
  problem.op_b = op_b;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return with_leading_dimensions(problem);
}

HostDoorOptions small_race(const std::string& door) {
  HostDoorOptions options;
  options.door = door;
  options.problems = {problem_of(Op::none, Op::transpose, 65, 33, 17)};
  options.samples = 3;
  options.library = variable("LADDER_TEST_LIBRARY");
  options.tool = variable("LADDER_TEST_TOOL");
  options.blas = openblas;
  options.against = {"openblas"};
  return options;
}

/// What one race came to; it must have been held.
Results held(const HostDoorOptions& options) {
  std::string complaint;
  const auto results = host_door_results(options, complaint);
  REQUIRE_MESSAGE(results.has_value(), complaint);
  return *results;
}

std::string refused(const HostDoorOptions& options) {
  std::string complaint;
  CHECK_FALSE(host_door_results(options, complaint).has_value());
  return complaint;
}

std::string condition(const Results& results, const std::string& key) {
  const auto found = std::find_if(results.conditions.begin(), results.conditions.end(),
                                  [&](const auto& one) { return one.first == key; });
  return found == results.conditions.end() ? "" : found->second;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Fault {
 public:
  explicit Fault(const char* name) { setenv("WRONG_BLAS", name, 1); }
  ~Fault() { unsetenv("WRONG_BLAS"); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
};

/// NVBLAS's row in a race in which the faulty BLAS plays it.
BenchRow played_by(const char* fault, double timeout_s) {
  const Fault chosen(fault);
  HostDoorOptions options = small_race("sgemm_");
  options.against = {"openblas", "nvblas"};
  options.nvblas = variable("LADDER_TEST_WRONG_BLAS");
  options.peer_timeout_s = timeout_s;
  std::string complaint;
  const auto results = host_door_results(options, complaint);
  if (!results) {
    BenchRow none;
    none.verdict = complaint;
    return none;
  }
  return results->rows.back();
}

}  // namespace

TEST_CASE("both doors of our library, a batch and long columns included, against OpenBLAS") {
  for (const char* door : {"cblas", "sgemm_"}) {
    CAPTURE(door);
    HostDoorOptions options = small_race(door);
    BenchProblem padded = problem_of(Op::transpose, Op::none, 20, 31, 40);
    padded.lda += 3;
    padded.ldb += 5;
    padded.ldc += 1;
    padded.batch = 3;
    options.problems.push_back(padded);
    options.rungs = {"9", "warp_tiled"};
    const Results results = held(options);
    REQUIRE(results.rows.size() == 6);
    for (const BenchRow& row : results.rows) {
      CAPTURE(row.name);
      CHECK(row.verdict == "right");
      CHECK(is_right(row));
      CHECK(row.samples == 3);
      CHECK(row.timing == "host");
      CHECK_FALSE(row.floor_ms.has_value());
    }
    CHECK(results.rows[0].rung == "9");
    CHECK(results.rows[0].name == "double_buffered:emulated");
    CHECK(results.rows[1].name == "warp_tiled:emulated");
    CHECK(results.rows[2].name == "openblas");
    CHECK(results.rows[2].rung == "0");
    CHECK(ratio(results.rows[3]).value_or(0.0) > 0.0);
    CHECK(results.rows[3].peer == "openblas");
    CHECK_FALSE(ratio(results.rows[5]).has_value());
    CHECK(contains(condition(results, "openblas"), "openblas"));
    CHECK_FALSE(condition(results, "first call openblas").empty());
    CHECK_FALSE(condition(results, "first call rung 9").empty());
    CHECK(contains(condition(results, "rests"), ", the longest "));
  }
}

TEST_CASE("every kind of data") {
  for (const Data data : {Data::normal, Data::uniform, Data::positive, Data::zeros}) {
    HostDoorOptions options = small_race("cblas");
    options.data = data;
    for (const BenchRow& row : held(options).rows) {
      CHECK(row.verdict == "right");
      CHECK(row.data == data_name(data));
    }
  }
}

TEST_CASE("a peer that is wrong is reported, and nothing is compared with it") {
  for (const char* door : {"cblas", "sgemm_"}) {
    for (const char* fault : {"garbage", "unwritten"}) {
      CAPTURE(door);
      CAPTURE(fault);
      const Fault chosen(fault);
      HostDoorOptions options = small_race(door);
      options.blas = variable("LADDER_TEST_WRONG_BLAS");
      const Results results = held(options);
      CHECK(results.rows[0].verdict == "right");
      CHECK_FALSE(ratio(results.rows[0]).has_value());
      CHECK_FALSE(is_right(results.rows[1]));
      CHECK(contains(results.rows[1].verdict, fault == std::string("garbage") ? "4242" : "NaN"));
    }
  }
}

TEST_CASE("a preloaded library in a process of its own") {
  HostDoorOptions options = small_race("cblas");
  options.against = {"nvblas", "openblas"};
  options.nvblas = openblas;
  BenchProblem larger = problem_of(Op::none, Op::none, 100, 50, 200);
  larger.batch = 2;
  options.problems.push_back(larger);
  const Results results = held(options);
  REQUIRE(results.rows.size() == 6);
  for (const BenchRow& row : results.rows) CHECK(row.verdict == "right");
  CHECK(results.rows[4].name == "nvblas");
  CHECK(results.rows[3].peer == "nvblas");
  CHECK(ratio(results.rows[3]).value_or(0.0) > 0.0);
  CHECK(contains(condition(results, "nvblas"), "openblas"));
}

TEST_CASE("the process whose threads are watched is the peer's, as long as there is one") {
  NvblasThere peer({variable("LADDER_TEST_TOOL"), {openblas}, "0", openblas, 60.0});
  CHECK_FALSE(peer.own_process().has_value());
  const HostTask task{problem_of(Op::none, Op::none, 1, 1, 1)};
  HostMatrices matrices(task);
  REQUIRE(peer.begin(task, matrices).empty());
  REQUIRE(peer.own_process().has_value());
  CHECK(std::filesystem::exists(fmt::format("/proc/{}/task", *peer.own_process())));
  CHECK(*peer.own_process() != getpid());
}

TEST_CASE("a process that computes rubbish") {
  CHECK(contains(played_by("garbage", 60.0).verdict, "4242"));
  CHECK(contains(played_by("unwritten", 60.0).verdict, "NaN"));
}

TEST_CASE("a process that dies, ends, falls silent or babbles") {
  CHECK(contains(played_by("dies", 60.0).verdict, "signal 6"));
  CHECK(contains(played_by("dies later", 60.0).verdict, "signal 6"));
  CHECK(contains(played_by("ends", 60.0).verdict, "exit code 3"));
  CHECK(contains(played_by("silent", 0.5).verdict, "no answer in"));
  CHECK(contains(played_by("babbles", 60.0).verdict, "no end of"));
}

TEST_CASE("a race that cannot be held says why") {
  HostDoorOptions options = small_race("cblas");
  options.library = "/nonexistent/libladderblas.so";
  CHECK(contains(refused(options), "/nonexistent/libladderblas.so"));
  options = small_race("cblas");
  options.library = openblas;
  CHECK(contains(refused(options), "not libladderblas"));
  options = small_race("cblas");
  options.blas = "/nonexistent/libopenblas.so";
  CHECK(contains(refused(options), "/nonexistent/libopenblas.so"));
  options = small_race("cblas");
  options.against = {"nvblas"};
  CHECK(contains(refused(options), "no GPU"));
  options.nvblas = openblas;
  options.tool = "/bin/true";
  CHECK(contains(refused(options), "exit code 0"));
  CHECK(contains(refused(small_race("dgemm_")), "no host door"));
}

TEST_CASE("a peer that nobody asked for is left out with a remark") {
  HostDoorOptions options = small_race("cblas");
  options.against = {};
  std::vector<std::string> remarks;
  options.remark = [&](const std::string& line) { remarks.push_back(line); };
  CHECK(held(options).rows.size() == 2);
  REQUIRE(remarks.size() == 1);
  CHECK(contains(remarks.front(), "nvblas is left out"));
}

TEST_CASE("a rung that the library does not know, and a problem that no 32-bit integer holds") {
  HostDoorOptions options = small_race("cblas");
  options.rungs = {"77"};
  CHECK(contains(held(options).rows.front().verdict, "no rung 77"));
  options = small_race("cblas");
  options.problems = {problem_of(Op::none, Op::none, 1, 1, std::int64_t{1} << 31)};
  for (const BenchRow& row : held(options).rows) {
    CHECK(contains(row.verdict, "integers"));
    CHECK_FALSE(is_right(row));
  }
}

TEST_CASE("progress goes from nothing to all") {
  HostDoorOptions options = small_race("cblas");
  std::vector<std::size_t> seen;
  options.progress = [&](const std::string&, std::size_t done, std::size_t all) {
    CHECK(all == 1);
    seen.push_back(done);
  };
  held(options);
  CHECK(seen == std::vector<std::size_t>{0, 1});
}

}  // namespace ladder::bench

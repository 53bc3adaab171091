// SPDX-License-Identifier: MIT
#include "rung_profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profile_csv.hpp"
#include "profile_report.hpp"

using namespace ladder;
using namespace ladder::profile;

namespace {

const bench::BenchProblem cube = [] {
  bench::BenchProblem problem;
  problem.m = problem.n = problem.k = 64;
  return bench::with_leading_dimensions(problem);
}();

ProfiledKernel kernel(const std::string& name, double ms, double sectors) {
  return {name,
          {{"gpu__time_duration.sum", "ms", ms},
           {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", sectors},
           {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", 2.0},
           {"lts__t_bytes.sum", "byte", std::nullopt}}};
}

Launched launched(const std::string& text) {
  const auto parsed = launched_from(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

Profile two_rungs() {
  return profile_of(cube, {launched("rung=r01 kernels=1"), launched("rung=r02 kernels=2")},
                    {kernel("sgemm_naive", 140.0, 17.0), kernel("sum, \"of\" parts", 1.0, 3.0),
                     kernel("sgemm_coalesced", 20.0, 5.0)});
}

}  // namespace

TEST_CASE("the line of a launch survives the way through the profiler") {
  for (const char* line : {"rung=r01 kernels=1", "rung=r06p kernels=12"}) CHECK(to_text(launched(line)) == line);
  for (const char* line : {"", "rung=", "rung=r01", "rung=r01 kernels=", "rung=r01 kernels=0", "rung=r01 kernels=-1",
                           "rung=r01 kernels=1x", "rung=nothing kernels=1", "rung=all kernels=1",
                           "rung=r01 kernels=99999999999999999999", "==PROF== rung=r01 kernels=1"}) {
    CAPTURE(line);
    CHECK_FALSE(launched_from(line).has_value());
  }
}

TEST_CASE("kernels go to the rungs in the order of their launches") {
  const Profile profile = two_rungs();
  CHECK(profile.complaint.empty());
  REQUIRE(profile.rungs.size() == 2);
  CHECK(profile.rungs[1].kernels.size() == 2);
  CHECK(profile.rungs[1].kernels[profile.rungs[1].longest].name == "sgemm_coalesced");
  CHECK(profile.rungs[1].figures[Figure::sectors_per_request] == 2.5);
  CHECK_FALSE(profile_of(cube, {launched("rung=r01 kernels=2")}, {kernel("f", 1.0, 1.0)}).complaint.empty());
  CHECK_FALSE(profile_of(cube, {}, {kernel("f", 1.0, 1.0)}).complaint.empty());
}

TEST_CASE("the rung below is the highest numbered one that was profiled") {
  const auto one = [](const char* line) { return launched(std::string("rung=") + line + " kernels=1"); };
  const std::vector<ProfiledKernel> kernels(5, kernel("f", 1.0, 1.0));
  const Profile profile = profile_of(cube, {one("r09"), one("r06"), one("r06p"), one("r06s"), one("r02")}, kernels);
  const auto below_of = [&profile](std::size_t i) {
    const RungProfile* lower = below(profile, profile.rungs[i]);
    return lower == nullptr ? "none" : std::string(lower->choice.rung->id);
  };
  CHECK(below_of(0) == "r06");
  CHECK(below_of(1) == "r02");
  CHECK(below_of(2) == "r06");
  CHECK(below_of(3) == "r06");
  CHECK(below_of(4) == "none");
}

TEST_CASE("every rung of FP32 with a kernel is meant to move something") {
  for (const Rung& rung : rungs()) {
    if ((rung.emulated == nullptr && rung.gpu == nullptr) || uses_tensor_cores(rung.precision)) continue;
    CAPTURE(rung.id);
    CHECK(std::ranges::count(expectations(), rung.id, &Expectation::rung_id) > 0);
  }
  for (const Expectation& meant : expectations()) CHECK(find_rung(meant.rung_id) != nullptr);
}

TEST_CASE("a movement is judged by its direction") {
  Figures low, high;
  low.set(Figure::fma_pipe, 10.0);
  high.set(Figure::fma_pipe, 50.0);
  const Expectation rises{"r05", Figure::fma_pipe, Move::rises};
  const Expectation falls{"r05", Figure::fma_pipe, Move::falls};
  CHECK(movement_of(rises, high, &low).as_meant == true);
  CHECK(movement_of(rises, low, &high).as_meant == false);
  CHECK(movement_of(rises, low, &low).as_meant == false);
  CHECK(movement_of(falls, low, &high).as_meant == true);
  CHECK_FALSE(movement_of(falls, low, nullptr).as_meant.has_value());
  CHECK_FALSE(movement_of(falls, Figures(), &high).as_meant.has_value());
  CHECK_FALSE(movement_of({"r07", Figure::fma_pipe, Move::follows}, low, &high).as_meant.has_value());
  CHECK(to_text(movement_of(rises, high, &low)) == "FMA pipe busy was to rise: 10 % -> 50 %, and did");
  CHECK(to_text(movement_of(rises, low, &high)) == "FMA pipe busy was to rise: 50 % -> 10 %, and did not");
}

TEST_CASE("the counters as CSV") {
  const std::string csv = to_csv(two_rungs(), {{"GPU", "some\nGPU"}});
  CHECK(csv.rfind(
            "# GPU: some GPU\nrung,name,kernel,metric,unit,value\n1,naive,sgemm_naive,gpu__time_duration.sum,ms,140\n",
            0) == 0);
  CHECK(csv.find("2,coalesced,\"sum, \"\"of\"\" parts\",gpu__time_duration.sum,ms,1\n") != std::string::npos);
  CHECK(csv.find("2,coalesced,sgemm_coalesced,lts__t_bytes.sum,byte,\n") != std::string::npos);
}

TEST_CASE("the report, and the same as JSON") {
  const Profile profile = two_rungs();
  const std::string text = to_text(profile, {{"GPU", "some GPU"}});
  CHECK(text.find("rung 2 coalesced: sgemm_coalesced, the longest of 2 kernels") != std::string::npos);
  CHECK(text.find("sectors per global load request was to fall: 8.5 -> 2.5, and did") != std::string::npos);
  CHECK(text.find("-70.6 %") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(profile, {{"GPU", "some GPU"}}));
  CHECK(json["conditions"]["GPU"] == "some GPU");
  CHECK(json["problem"]["m"] == 64);
  const auto& rung = json["rungs"][1];
  CHECK(rung["rung"] == 2);
  CHECK(rung["below"] == "naive");
  CHECK(rung["figures"]["sectors_per_request"] == 2.5);
  CHECK(rung["figures"]["l2_traffic"].is_null());
  CHECK(rung["moved"][0]["as_meant"] == true);
  CHECK(rung["limiter"]["key"] == "none");
  CHECK(json["rungs"][0]["below"].is_null());
}

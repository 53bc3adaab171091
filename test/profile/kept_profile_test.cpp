// SPDX-License-Identifier: MIT
// The profile of the ladder on an H200, as it is kept: what is said of each rung follows from the counters.
#include "kept_profile.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "profile_csv.hpp"
#include "profile_report.hpp"

using namespace ladder;
using namespace ladder::profile;

namespace {

const std::filesystem::path results = LADDER_RESULTS;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

KeptProfile kept() {
  std::string complaint;
  const auto profile = read_kept_profile(results / "profile.csv", complaint);
  CAPTURE(complaint);
  REQUIRE(profile.has_value());
  CHECK(profile->profile.complaint.empty());
  return *profile;
}

}  // namespace

// A product on tensor cores is several kernels, and the lessons that counters tell are those of one.
TEST_CASE("every rung of FP32 with a kernel was profiled, and nothing is lost between file and profile") {
  const auto [profile, conditions] = kept();
  for (const Rung& rung : rungs()) {
    if (rung.emulated == nullptr || uses_tensor_cores(rung.precision)) continue;
    CAPTURE(rung.id);
    CHECK(std::ranges::count(profile.rungs, &rung, [](const RungProfile& p) { return p.choice.rung; }) == 1);
  }
  CHECK(to_csv(profile, conditions) == text_of(results / "profile.csv"));
}

TEST_CASE("profile.json says what the counters beside it say") {
  const auto [profile, conditions] = kept();
  const auto said = nlohmann::ordered_json::parse(text_of(results / "profile.json"));
  const auto follows = nlohmann::ordered_json::parse(to_json(profile, conditions));
  REQUIRE(said["rungs"].size() == follows["rungs"].size());
  for (std::size_t i = 0; i < said["rungs"].size(); ++i) {
    CAPTURE(said["rungs"][i]["name"]);
    CHECK(said["rungs"][i]["figures"] == follows["rungs"][i]["figures"]);
    CHECK(said["rungs"][i]["moved"] == follows["rungs"][i]["moved"]);
    CHECK(said["rungs"][i]["limiter"] == follows["rungs"][i]["limiter"]);
  }
  CHECK((said == follows));  // not told apart: both are long
}

TEST_CASE("what was counted can be") {
  for (const RungProfile& rung : kept().profile.rungs) {
    CAPTURE(rung.choice.name());
    using enum Figure;
    for (const Figure share : {fma_pipe, issue_slots, ffma_share, lsu_pipe, l1_wavefronts, occupancy, bank_conflicts}) {
      CHECK(rung.figures[share].value_or(-1.0) >= 0.0);
      CHECK(rung.figures[share].value_or(101.0) <= 100.0);
    }
    CHECK(rung.figures[rate].value_or(0.0) > 0.0);
    CHECK(rung.figures[dram_traffic].value_or(0.0) >= 0.9);  // every byte comes once, but for what the L2 still holds
  }
}

TEST_CASE("files that hold no profile are refused with a line") {
  const auto path = std::filesystem::temp_directory_path() / ("ladder-kept-" + std::to_string(getpid()) + ".csv");
  const std::string columns = "rung,name,kernel,metric,unit,value\n";
  const std::string problem = "# problem: NN 64x64x64, random normal data\n";
  for (const std::string& text :
       {std::string(), columns, problem, problem + "rung,name\n1,naive\n", columns + "1,naive,f,a__b,,1\n",
        "# problem: what\n" + columns + "1,naive,f,a__b,,1\n", problem + columns + "1,nobody,f,a__b,,1\n",
        problem + columns + "1,1-2,f,a__b,,1\n", problem + columns + "1,naive,f,a__b,,one\n"}) {
    CAPTURE(text);
    std::ofstream(path, std::ios::trunc) << text;
    std::string complaint;
    const auto profile = read_kept_profile(path, complaint);
    CHECK_FALSE((profile && !profile->profile.rungs.empty()));
    CHECK((profile.has_value() || complaint.find(path.string()) == 0));
  }
  std::filesystem::remove(path);
}

// SPDX-License-Identifier: MIT
// Rungs as typed on the command line.
#include "bench/rung_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "auto_rung.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

std::vector<RungChoice> chosen(std::string_view text) {
  std::string complaint;
  const auto choices = parse_rungs(text, complaint);
  INFO(complaint);
  REQUIRE(choices);
  return *choices;
}

std::vector<std::string> labels(std::string_view text) {
  std::vector<std::string> found;
  for (const RungChoice& choice : chosen(text)) found.push_back(choice.label());
  return found;
}

std::string complaint_about(std::string_view text) {
  std::string complaint;
  CHECK_FALSE(parse_rungs(text, complaint));
  return complaint;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("rungs by number, name, id and range") {
  CHECK(labels("9") == Labels{"9"});
  CHECK(labels("naive,r02,3") == Labels{"1", "2", "3"});
  CHECK(labels("2-4") == Labels{"2", "3", "4"});
  CHECK(labels("padded") == Labels{"padded"});
  CHECK(labels("9,9,8-9") == Labels{"9", "8"});
}

TEST_CASE("all are those with a kernel") {
  const auto with_kernel =
      std::count_if(rungs().begin(), rungs().end(), [](const Rung& rung) { return rung.emulated != nullptr; });
  CHECK(chosen("all").size() == static_cast<std::size_t>(with_kernel));
}

TEST_CASE("configurations are contenders of their own") {
  const std::vector<RungChoice> all = chosen("9,9:all");
  const std::size_t configs = find_rung("9")->emulated->configs.size();
  REQUIRE(configs > 0);
  CHECK(all.size() == 1 + configs);
  CHECK(all.front().config == nullptr);
  const std::string first = all[1].name();
  CHECK(first == std::string("double_buffered:") + all[1].config->name);
  CHECK(chosen("9:" + std::string(all[1].config->name)).front().name() == first);
}

TEST_CASE("auto is a contender by its name, and none of all") {
  const std::vector<RungChoice> choices = chosen("9,auto,auto");
  REQUIRE(choices.size() == 2);
  CHECK(choices[1].rung == &auto_entry());
  CHECK(choices[1].label() == "auto");
  CHECK(choices[1].name() == "auto");
  CHECK(std::ranges::count(labels("all"), "auto") == 0);
}

TEST_CASE("a problem is served by the rung itself, or by one that is at least as accurate") {
  for (const std::int64_t k : {1, 16, 4096}) {
    GemmProblem problem;
    problem.m = problem.n = 4096, problem.k = k;
    problem.lda = problem.ldb = problem.ldc = 4096;
    for (const Rung& rung : rungs()) {
      if (rung.emulated == nullptr) continue;
      const RungChoice server = server_of({&rung}, problem);
      CHECK(server.config == nullptr);
      const auto declines = foremost_kernel(rung)->declines;
      const bool declined = declines != nullptr && declines(problem) != nullptr;
      CHECK((server.rung == &rung) == !declined);
      if (declined) CHECK(is_as_good_as_fp32(server.rung->precision));
    }
    const RungChoice automatic = server_of({&auto_entry()}, problem);
    CHECK(automatic.label() != "auto");
    CHECK(is_as_good_as_fp32(automatic.rung->precision));
  }
  const RungChoice forced = chosen("9:all").front();
  CHECK(server_of(forced, {}).config == forced.config);
}

TEST_CASE("what is no rung is refused in words") {
  CHECK(complaint_about("42").find("'42' is not a rung") != std::string::npos);
  CHECK(complaint_about("").find("is not a rung") != std::string::npos);
  CHECK(complaint_about("9,").find("is not a rung") != std::string::npos);
  CHECK(complaint_about("77-99").find("there are no rungs 77-99") != std::string::npos);
  CHECK(complaint_about("5-2").find("there are no rungs 5-2") != std::string::npos);
  CHECK(complaint_about("0").find("--against") != std::string::npos);
  CHECK(complaint_about("9:nope").find("'nope' is no configuration") != std::string::npos);
  CHECK(complaint_about("1:all").find("it has none") != std::string::npos);
}

// SPDX-License-Identifier: MIT
// How products are cut for a GPU, and in which order their panels are sent.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "offload/cut.hpp"
#include "offload/schedule.hpp"
#include "offload/transfer.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 40;

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, Op op_a = Op::none, Op op_b = Op::none) {
  GemmProblem problem;
  problem.op_a = op_a, problem.op_b = op_b;
  problem.m = m, problem.n = n, problem.k = k;
  problem.alpha.value = 1.0f;
  return problem;
}

std::size_t bytes_of(const GemmProblem& problem, const Cut& cut) {
  return bytes_of_slots(cut, Side::a, problem.op_a) + bytes_of_slots(cut, Side::b, problem.op_b) +
         bytes_of_results(cut);
}

void check_sizes(const GemmProblem& problem, const Cut& cut) {
  for (const SideCut& side : {cut.a, cut.b}) {
    CHECK(side.panel >= 1);
    CHECK(side.slots >= 1);
    CHECK((side.panels - 1) * side.panel < side.extent);
    CHECK(side.panels * side.panel >= side.extent);
    CHECK(side.begin(side.panels - 1) + side.length(side.panels - 1, 1) == side.extent);
  }
  CHECK(cut.a.extent == problem.m);
  CHECK(cut.b.extent == problem.n);
  std::int64_t k = 0;
  for (std::int64_t piece = 0; piece < cut.pieces; ++piece) k += cut.piece_length(piece);
  CHECK(k == problem.k);
}

/// Follows a schedule as a device would: panels come into slots, products find them there.
class Follower {
 public:
  explicit Follower(const Cut& cut) : cut_(cut) {}

  void follow(const Step& step) {
    for (int i = 0; i < step.load_count; ++i) {
      const PanelLoad& load = step.loads[static_cast<std::size_t>(i)];
      const SideCut& side = load.side == Side::a ? cut_.a : cut_.b;
      CHECK(load.slot >= 0);
      CHECK(load.slot < side.slots);
      CHECK(load.panel < side.panels);
      slots_[{load.side, load.slot}] = {load.panel, step.piece};
      ++loads[load.side];
    }
    check_run(Side::a, step.a, step.piece);
    check_run(Side::b, step.b, step.piece);
    bool all_are_first = true;
    for (std::int64_t i = 0; i < step.a.count; ++i)
      for (std::int64_t j = 0; j < step.b.count; ++j)
        all_are_first &= tiles.insert({step.a.first + i, step.b.first + j, step.piece}).second;
    CHECK(all_are_first);
    const std::int64_t rows = cut_.a.length(step.a.first, step.a.count);
    CHECK(device_ld(rows) * cut_.b.length(step.b.first, step.b.count) <= cut_.strip_floats);
  }

  std::map<Side, std::int64_t> loads;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> tiles;

 private:
  void check_run(Side side, const PanelRun& run, std::int64_t piece) {
    CHECK(run.count >= 1);
    bool all_are_there = true;
    for (int i = 0; i < run.count; ++i) {
      const auto found = slots_.find({side, run.slot + i});
      all_are_there &= found != slots_.end() && found->second == std::pair(run.first + i, piece);
    }
    CHECK(all_are_there);
  }

  const Cut& cut_;
  std::map<std::pair<Side, int>, std::pair<std::int64_t, std::int64_t>> slots_;
};

Follower followed(const Cut& cut) {
  Follower follower(cut);
  PanelClaims claims(kept_panels(cut), 1);
  Schedule schedule(cut, claims, 0);
  for (Step step; schedule.next(step);) follower.follow(step);
  CHECK(static_cast<std::int64_t>(follower.tiles.size()) == cut.a.panels * cut.b.panels * cut.pieces);
  return follower;
}

}  // namespace

TEST_CASE("with memory enough, everything is sent once and stays") {
  for (const auto& [m, n, k] : {std::tuple{4096, 4096, 4096}, {8192, 300, 77}, {1, 1, 1}, {100, 20000, 64}}) {
    const GemmProblem problem = problem_of(m, n, k, Op::transpose);
    const auto cut = cut_for(problem, plenty);
    REQUIRE(cut.has_value());
    check_sizes(problem, *cut);
    CHECK(cut->a.is_resident());
    CHECK(cut->b.is_resident());
    CHECK(cut->pieces == 1);
    Follower follower = followed(*cut);
    CHECK(follower.loads[Side::a] == cut->a.panels);
    CHECK(follower.loads[Side::b] == cut->b.panels);
  }
}

TEST_CASE("products begin after the first two panels, and keep up with the bus") {
  const auto cut = cut_for(problem_of(8192, 8192, 8192), plenty);
  REQUIRE(cut.has_value());
  PanelClaims claims(kept_panels(*cut), 1);
  Schedule schedule(*cut, claims, 0);
  std::int64_t sent = 0;
  std::int64_t tiles = 0;
  for (Step step; schedule.next(step);) {
    sent += step.load_count;
    tiles += step.a.count * step.b.count;
    CHECK(4 * tiles >= sent * sent - 1);  // all products that so many panels allow
  }
}

TEST_CASE("whatever the memory, the cut fits into it and every tile is multiplied once") {
  const std::vector<GemmProblem> problems = {
      problem_of(5000, 5000, 5000),
      problem_of(3000, 9000, 1000, Op::transpose, Op::transpose),
      problem_of(9000, 3000, 1000, Op::none, Op::transpose),
      problem_of(64, 64, 3000000),
      problem_of(20000, 4, 9000, Op::transpose),
  };
  for (const GemmProblem& problem : problems) {
    std::size_t smallest = plenty;
    for (std::size_t budget = std::size_t{1} << 31; budget >= std::size_t{1} << 20; budget /= 2) {
      CAPTURE(problem.m);
      CAPTURE(budget);
      const auto cut = cut_for(problem, budget);
      if (!cut) break;
      smallest = budget;
      check_sizes(problem, *cut);
      CHECK(bytes_of(problem, *cut) <= budget);
      followed(*cut);
    }
    CHECK(smallest <= std::size_t{1} << 20);
  }
}

TEST_CASE("the side stays whose staying saves the most, and only the other one is sent again") {
  const GemmProblem problem = problem_of(2048, 40000, 4096);
  const std::size_t a_bytes = std::size_t{2048} * 4096 * sizeof(float);
  const auto cut = cut_for(problem, 4 * a_bytes);
  REQUIRE(cut.has_value());
  CHECK(cut->kept == Side::a);
  CHECK(cut->a.is_resident());
  CHECK_FALSE(cut->b.is_resident());
  Follower follower = followed(*cut);
  CHECK(follower.loads[Side::a] == cut->a.panels);
  CHECK(follower.loads[Side::b] == cut->b.panels);
}

TEST_CASE("a new group of kept panels begins with the passing ones that are still there") {
  const GemmProblem problem = problem_of(8192, 8192, 8192);
  const auto cut = cut_for(problem, std::size_t{300} << 20);
  REQUIRE(cut.has_value());
  const SideCut& kept = cut->kept == Side::a ? cut->a : cut->b;
  const SideCut& passing = cut->kept == Side::a ? cut->b : cut->a;
  REQUIRE_FALSE(kept.is_resident());
  const std::int64_t rounds = (kept.panels + kept.slots - 1) / kept.slots;
  REQUIRE(rounds > 1);
  Follower follower = followed(*cut);
  CHECK(follower.loads[cut->kept] == kept.panels);
  CHECK(follower.loads[cut->kept == Side::a ? Side::b : Side::a] ==
        passing.panels + (rounds - 1) * (passing.panels - passing.slots));
}

TEST_CASE("k is cut only where nothing else helps, and the pieces of a tile follow each other") {
  const GemmProblem problem = problem_of(64, 64, 3000000);
  CHECK(cut_for(problem, std::size_t{2} << 30)->pieces == 1);
  const auto cut = cut_for(problem, std::size_t{8} << 20);
  REQUIRE(cut.has_value());
  REQUIRE(cut->pieces > 1);
  PanelClaims claims(kept_panels(*cut), 1);
  Schedule schedule(*cut, claims, 0);
  std::int64_t piece = 0;
  for (Step step; schedule.next(step); piece = (piece + 1) % cut->pieces) CHECK(step.piece == piece);
  CHECK(piece == 0);
}

TEST_CASE("where C is only scaled, nothing is kept for A and B") {
  GemmProblem problem = problem_of(3000, 2000, 1000);
  problem.alpha.value = 0.0f;
  const auto cut = cut_for(problem, plenty);
  REQUIRE(cut.has_value());
  CHECK(cut->k == 0);
  CHECK(bytes_of_slots(*cut, Side::a, problem.op_a) == 0);
  CHECK(bytes_of_slots(*cut, Side::b, problem.op_b) == 0);
  followed(*cut);
}

TEST_CASE("chunks are as large as slots, but smaller where a few would be all") {
  constexpr std::size_t slot = std::size_t{2} << 20, page = 4096, least = std::size_t{256} << 10;
  CHECK(chunk_bytes(1e9, slot) == slot);
  CHECK(chunk_bytes(16.0 * slot, slot) == slot);
  CHECK(chunk_bytes(16.0 * 100 * page, slot) == 100 * page);
  CHECK(chunk_bytes(16.0 * 100 * page + 16, slot) == 101 * page);
  CHECK(chunk_bytes(1e6, slot) == least);
  CHECK(chunk_bytes(0.0, slot) == least);
  CHECK(chunk_bytes(1e6, page) == page);
}

TEST_CASE("too little memory for anything is said") {
  CHECK_FALSE(cut_for(problem_of(4096, 4096, 4096), 1000).has_value());
  CHECK_FALSE(cut_for(problem_of(4096, 4096, 4096), 0).has_value());
}

TEST_CASE(
    "several takers share the tiles out, a slow one gets fewer, and what a failed one has not claimed others do") {
  for (const std::size_t budget : {plenty, std::size_t{100} << 20, std::size_t{8} << 20}) {
    constexpr int takers = 3;
    const auto cut = cut_for(problem_of(24000, 6000, 100), budget, takers);
    REQUIRE(cut.has_value());
    PanelClaims claims(kept_panels(*cut), takers);
    std::vector<Schedule> schedules;
    std::vector<Follower> followers;
    for (int taker = 0; taker < takers; ++taker) {
      schedules.emplace_back(*cut, claims, taker);
      followers.emplace_back(*cut);
    }
    // The first is quick, the second slow; the third fails after three steps.
    std::array<bool, takers> done{};
    for (int turn = 0; !(done[0] && done[1] && done[2]); ++turn) {
      for (std::size_t taker = 0; taker < takers; ++taker) {
        if (done[taker] || (taker == 1 && turn % 4 != 0)) continue;
        if (taker == 2 && turn == 3) schedules[taker].stop_claiming();
        Step step;
        done[taker] = !schedules[taker].next(step);
        if (!done[taker]) followers[taker].follow(step);
      }
    }
    std::size_t tiles = 0;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> all;
    for (const Follower& follower : followers) {
      tiles += follower.tiles.size();
      all.insert(follower.tiles.begin(), follower.tiles.end());
    }
    CHECK(tiles == all.size());
    CHECK(static_cast<std::int64_t>(tiles) == cut->a.panels * cut->b.panels * cut->pieces);
    CHECK_FALSE(claims.left_over().has_value());
    const auto taken_by = [&](int taker) { return followers[static_cast<std::size_t>(taker)].loads[cut->kept]; };
    if (budget != plenty) continue;
    CHECK(taken_by(0) > kept_panels(*cut) / takers);
    CHECK(taken_by(2) < kept_panels(*cut) / takers);
  }
}

// SPDX-License-Identifier: MIT
// How a product of planes is shared out over the blocks: the plan on the host, and what each block makes of it.
#include "plane_planner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "plane_tile.cuh"
#include "scratch.hpp"

namespace ladder::test {

namespace {

using Tile256 = emulated::PlaneTile<PlaneFormat::tf32, 256, 128, 256, 4>;
using Tile128Scaled = emulated::PlaneTile<PlaneFormat::fp16x2, 128, 128, 128, 6>;

template <class Tile>
constexpr PlaneTileTraits traits{Tile::BM, Tile::BN, Tile::CHUNK_SLABS, Tile::CYCLES_OF_SLAB, Tile::CYCLES_OF_STORE};

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  return p;
}

using TileCorner = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // product, m0, n0

/// Every slab of every tile is in one item, the shares of a tile follow each other along k and end between chunks.
template <class Tile>
void check_items(const GemmProblem& p, const PlanePlan& plan) {
  const int slabs = static_cast<int>(ceil_div(p.k, slab_k));
  std::map<TileCorner, int> covered;
  for (std::int64_t item = 0; item < plan.items; ++item) {
    const emulated::PlaneItem at = emulated::plane_item<Tile>(plan, slabs, item);
    int& so_far = covered[{at.product, at.m0, at.n0}];
    REQUIRE(at.first_slab == so_far);
    REQUIRE(at.slabs > 0);
    REQUIRE(at.first_slab % Tile::CHUNK_SLABS == 0);
    if (at.cut_tile < 0) {
      REQUIRE(at.slabs == slabs);
    } else {
      REQUIRE(at.share < plan.shares);
      REQUIRE(at.cut_tile < scratch_tickets);
    }
    so_far += at.slabs;
  }
  const std::int64_t tiles = ceil_div(p.m, Tile::BM) * ceil_div(p.n, Tile::BN) * p.batch;
  CHECK(static_cast<std::int64_t>(covered.size()) == tiles);
  for (const auto& [corner, slabs_of_tile] : covered) {
    const auto [product, m0, n0] = corner;
    const bool in_c = product < p.batch && m0 < p.m && n0 < p.n && m0 % Tile::BM == 0 && n0 % Tile::BN == 0;
    REQUIRE(in_c);
    REQUIRE(slabs_of_tile == slabs);
  }
}

/// Every share is in one group, and there are counters for all of them.
void check_groups(const PlanePlan& plan) {
  CHECK(plan.groups == ceil_div(plan.shares, plan.group_shares));
  const std::int64_t cut_tiles = (plan.items - plan.whole) / plan.shares;
  CHECK((plan.shares == 1 || cut_tiles * tickets_of_tile(plan) <= scratch_tickets));
}

template <class Tile>
void check_plan(const GemmProblem& p, int multiprocessors) {
  INFO("m=", p.m, " n=", p.n, " k=", p.k, " batch=", p.batch, " multiprocessors=", multiprocessors);
  const PlannedPlanes whole = plan_planes(p, traits<Tile>, multiprocessors, false);
  CHECK(whole.plan.shares == 1);
  check_items<Tile>(p, whole.plan);
  const PlannedPlanes best = plan_planes(p, traits<Tile>, multiprocessors, true);
  CHECK(best.cycles <= whole.cycles);
  CHECK(best.blocks == std::min<std::int64_t>(best.plan.items, multiprocessors));
  CHECK(part_floats(best.plan, traits<Tile>) <= scratch_floats);
  check_items<Tile>(p, best.plan);
  check_groups(best.plan);
}

}  // namespace

TEST_CASE("every slab of every tile is one block's work") {
  for (const int multiprocessors : {1, 7, 132}) {
    for (const std::int64_t k : {1, 32, 33, 257, 2048}) {
      check_plan<Tile256>(problem_of(1, 1, k), multiprocessors);
      check_plan<Tile256>(problem_of(1000, 4100, k), multiprocessors);
      check_plan<Tile128Scaled>(problem_of(700, 2500, k, 3), multiprocessors);
      check_plan<Tile128Scaled>(problem_of(4000, 200, k), multiprocessors);
    }
  }
}

TEST_CASE("k is cut where whole tiles would leave most multiprocessors without work, and only then") {
  const auto plan = [](const GemmProblem& p) { return plan_planes(p, traits<Tile256>, 132, true).plan; };
  CHECK(plan(problem_of(256, 128, 65536)).shares > 8);
  CHECK(plan(problem_of(256 * 12, 128 * 11, 4096)).shares == 1);  // a tile for each multiprocessor
  const PlanePlan with_rest = plan(problem_of(256 * 12, 128 * 12, 4096));
  CHECK(with_rest.whole == 132);
  CHECK(with_rest.shares > 1);
  CHECK(plan(problem_of(256, 128, 64)).shares == 1);  // too short
}

TEST_CASE("all multiprocessors share one long tile, and none of them adds up all parts") {
  const PlanePlan plan = plan_planes(problem_of(128, 128, 1000000), traits<Tile128Scaled>, 132, true).plan;
  CHECK(plan.shares > 100);
  CHECK(plan.groups > 1);
  CHECK(plan.group_shares + plan.groups < plan.shares / 4);
}

TEST_CASE("without products, a tile is stored all the same") {
  const PlannedPlanes plan = plan_planes(problem_of(300, 200, 0), traits<Tile256>, 132, true);
  CHECK(plan.plan.items == 4);
  CHECK(plan.plan.shares == 1);
  CHECK(plan.blocks == 4);
}

TEST_CASE("a problem beyond what a block can count is not planned") {
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(std::isinf(plan_planes(problem_of(huge, huge, 1), traits<Tile256>, 132, true).cycles));
  CHECK(std::isinf(plan_planes(problem_of(1, 1, huge), traits<Tile256>, 132, true).cycles));
}

}  // namespace ladder::test

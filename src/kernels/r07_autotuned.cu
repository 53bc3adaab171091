// SPDX-License-Identifier: MIT
// r07_autotuned — rung 6 with the tile chosen for the GPU and the shape.
//
// Over r06: the same body, compiled for several tiles. For each problem a model of the time that each tile
// takes picks one; ties go to the earlier, so the choice is a function of the problem and the GPU alone.
// Tile: the table below, 32 x 32 to 128 x 128.
// Limit: the model counts cycles; it does not measure. The body still waits for every slab.
// Reference: Boehm 2022, kernel 9 (there by a script that edits the source).
#include <algorithm>

#include "device_traits.cuh"
#include "vectorized_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

/// One point of the tuning space. RESIDENT blocks share a multiprocessor: the registers are held to that.
template <class Tile, int RESIDENT>
struct Candidate {
  using Shape = Tile;
  static constexpr int resident = RESIDENT;
};

struct Square : Candidate<TileShape<128, 128, 8, 8, 8>, 2> {
  static constexpr const char* name = "128x128x8";
};
struct DeepSquare : Candidate<TileShape<128, 128, 16, 8, 8>, 2> {
  static constexpr const char* name = "128x128x16";
};
struct Tall : Candidate<TileShape<128, 64, 8, 8, 8>, 4> {
  static constexpr const char* name = "128x64x8";
};
struct Small : Candidate<TileShape<64, 64, 16, 8, 4>, 6> {
  static constexpr const char* name = "64x64x16";
};
struct Tiny : Candidate<TileShape<32, 32, 16, 4, 4>, 16> {
  static constexpr const char* name = "32x32x16";
};

template <class C, Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(C::Shape::THREADS, resident_blocks<C::Shape::THREADS>(C::resident))
    sgemm_autotuned(const GemmProblem batch) {
  compute_vectorized_tile<typename C::Shape, PlainRows, A_MAJOR, B_MAJOR>(batch);
}

template <class C>
LaunchStatus launch_candidate(const GemmProblem& p, Stream stream) {
  using Tile = typename C::Shape;
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_autotuned<C, a.value, b.value>, VectorizedTiles<Tile, PlainRows, a.value, b.value>>(
        tile_count<Tile>(p), Tile::THREADS, stream, p);
  });
}

// Of any GPU since sm_80, near enough to compare tiles.
constexpr std::int64_t fmas_per_cycle = 128;        // of a multiprocessor
constexpr std::int64_t shared_quads_per_cycle = 8;  // lanes of a 128-bit read
constexpr std::int64_t slab_overhead = 32;          // cycles of addresses and barriers that nothing hides
constexpr std::int64_t slab_latency = 800;          // cycles from a slab's loads to its first FMA

/// Cycles for one slab of each of `blocks` blocks that share a multiprocessor: they take turns to compute,
/// and it idles where they are too few to fill the time that a slab takes to come.
template <class Tile>
std::int64_t slab_cycles(std::int64_t blocks) {
  constexpr std::int64_t fma_cycles = std::int64_t{Tile::BM} * Tile::BN * Tile::BK / fmas_per_cycle;
  constexpr std::int64_t shared_cycles =
      std::int64_t{Tile::THREADS} * Tile::BK * (Tile::TM + Tile::TN) / vec / shared_quads_per_cycle;
  constexpr std::int64_t busy = fma_cycles + shared_cycles / 2 + slab_overhead;  // half of the reads hide
  return std::max(blocks * busy, busy + slab_latency);
}

/// Cycles of the busiest multiprocessor: its share of the blocks, RESIDENT at a time, and the rest of them.
/// What edge tiles waste is in the number of tiles.
template <class C>
std::int64_t modelled_cycles(const GemmProblem& p, std::int64_t multiprocessors) {
  using Tile = typename C::Shape;
  const std::int64_t share = ceil_div(tile_count<Tile>(p), multiprocessors);
  const std::int64_t rest = share % C::resident;
  const std::int64_t full_rounds = share / C::resident * slab_cycles<Tile>(C::resident);
  const std::int64_t last_round = rest == 0 ? 0 : slab_cycles<Tile>(rest);
  return ceil_div(p.k, Tile::BK) * (full_rounds + last_round);
}

using Model = std::int64_t (*)(const GemmProblem&, std::int64_t multiprocessors);

/// The candidates' two columns: how to launch each, and what the model says of it.
template <class... C>
struct TuningSpace {
  static constexpr KernelConfig configs[sizeof...(C)] = {{C::name, C::Shape::extents, launch_candidate<C>}...};
  static constexpr Model models[sizeof...(C)] = {modelled_cycles<C>...};
};

using Space = TuningSpace<Square, DeepSquare, Tall, Small, Tiny>;

LaunchStatus launch_autotuned(const GemmProblem& p, Stream stream) {
  const int multiprocessors = std::max(1, device_traits().multiprocessors);
  const auto cycles = [&](const Model& model) { return model(p, multiprocessors); };
  const Model* best = std::ranges::min_element(Space::models, {}, cycles);
  return Space::configs[best - Space::models].launch(p, stream);
}

}  // namespace

extern const RungKernel r07{DeepSquare::Shape::extents, launch_autotuned, Space::configs};

}  // namespace ladder::LADDER_DEVICE

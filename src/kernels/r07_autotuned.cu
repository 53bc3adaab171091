// SPDX-License-Identifier: MIT
// r07_autotuned — rung 6 with the tile chosen for the GPU and the shape.
//
// Over r06: the same body, compiled for every tile of a declared space. Which of them a problem gets was measured
// (`ladder tune`) for its GPU, ops, alignment and extents; where it was not, a model of their time picks one.
// Tile: the list below, 32 x 32 to 256 x 128.
// Limit: the body still waits for every slab; only the other blocks of the multiprocessor fill that time.
// Reference: Boehm 2022, kernel 9 (there by a script that edits the source).
#include <algorithm>
#include <array>

#include "device_traits.cuh"
#include "vectorized_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr char* append(char* to, int number) {
  constexpr int base = 10;
  if (number >= base) to = append(to, number / base);
  *to = static_cast<char>('0' + number % base);
  return to + 1;
}

/// "128x64x16_8x8": block tile, then thread tile.
template <class Tile>
constexpr auto tile_name() {
  constexpr int longest = 24;
  std::array<char, longest> name{};
  char* end = name.data();
  const auto add = [&end](int number, char after) {
    end = append(end, number);
    *end++ = after;
  };
  add(Tile::BM, 'x');
  add(Tile::BN, 'x');
  add(Tile::BK, '_');
  add(Tile::TM, 'x');
  add(Tile::TN, '\0');
  return name;
}

/// One point of the tuning space. RESIDENT blocks share a multiprocessor: the registers are held to that.
template <int BM, int BN, int BK, int TM, int TN, int RESIDENT>
struct Candidate {
  using Shape = TileShape<BM, BN, BK, TM, TN>;
  static constexpr int resident = RESIDENT;
  static constexpr auto name = tile_name<Shape>();
};

template <class C, Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(C::Shape::THREADS, resident_blocks<C::Shape::THREADS>(C::resident))
    sgemm_autotuned(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  compute_vectorized_tile<typename C::Shape, PlainRows, A_MAJOR, B_MAJOR>(first, layout, epilogue);
}

template <class C>
LaunchStatus launch_candidate(const GemmProblem& p, Stream stream) {
  using Tile = typename C::Shape;
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_autotuned<C, a.value, b.value>, VectorizedTiles<Tile, PlainRows, a.value, b.value>>(
        tile_count<Tile>(p), Tile::THREADS, stream, p);
  });
}

// Near enough to compare tiles, on any GPU since sm_80; fitted to what five of them took for 4096 cubed on an H200.
constexpr double fmas_per_cycle = 128;        // of a multiprocessor
constexpr double shared_quads_per_cycle = 8;  // lanes of a 128-bit read
constexpr double exposed_reads = 0.36;        // share of the shared-memory reads that FMAs do not hide
constexpr double cycles_per_quad = 0.3;       // of a slab, on its way to shared memory
constexpr double barrier_cycles = 30;         // a slab
constexpr double slab_latency = 800;          // from a slab's loads to its first FMA
constexpr double block_cycles = 2000;         // to start a block and to store its results

/// Cycles for one slab of each of `blocks` blocks that share a multiprocessor. They take turns to compute; how much of
/// the time that a slab takes to come is then left over falls with each block more.
template <class Tile>
double slab_cycles(std::int64_t blocks) {
  constexpr double fma = double{Tile::BM} * Tile::BN * Tile::BK / fmas_per_cycle;
  constexpr double reads = double{Tile::THREADS} * Tile::BK * (Tile::TM + Tile::TN) / vec / shared_quads_per_cycle;
  constexpr double copies = cycles_per_quad * (Tile::BM + Tile::BN) * Tile::BK / vec;
  constexpr double busy = fma + exposed_reads * reads + copies + barrier_cycles;
  constexpr double left_over[] = {0, slab_latency, 0.35 * slab_latency, 0.12 * slab_latency};
  const double waiting = blocks < std::int64_t{std::size(left_over)} ? left_over[blocks] : 0;
  return std::max(static_cast<double>(blocks) * busy + waiting, busy + slab_latency);
}

/// Of the busiest multiprocessor: its share of the blocks, RESIDENT at a time, and the rest of them. What edge tiles
/// waste is in the number of tiles.
template <class C>
double predicted_cycles(const GemmProblem& p, int multiprocessors) {
  using Tile = typename C::Shape;
  constexpr int resident = resident_blocks<Tile::THREADS>(C::resident);
  const std::int64_t share = ceil_div(tile_count<Tile>(p) * p.batch, multiprocessors);
  const std::int64_t rounds = share / resident;
  const std::int64_t rest = share % resident;
  const auto slabs = static_cast<double>(ceil_div(p.k, Tile::BK));
  const double full_round = slabs * slab_cycles<Tile>(resident) + block_cycles;
  const double last_round = rest == 0 ? 0.0 : slabs * slab_cycles<Tile>(rest) + block_cycles;
  return static_cast<double>(rounds) * full_round + last_round;
}

template <class... C>
struct TuningSpace {
  static constexpr KernelConfig configs[sizeof...(C)] = {
      {C::name.data(), C::Shape::extents, launch_candidate<C>, predicted_cycles<C>}...};
};

// What each is there for. A larger tile reads less of A and B for each FMA; a smaller one gives more multiprocessors
// something to do and computes less air at the edges.
using Space = TuningSpace<
    Candidate<128, 128, 16, 8, 8, 2>,   // half of rung 6's barriers: large problems
    Candidate<128, 128, 8, 8, 8, 2>,    // rung 6's own
    Candidate<128, 128, 16, 16, 8, 2>,  // a quarter fewer shared-memory reads an FMA, half of the warps to hide them
    Candidate<256, 128, 16, 16, 8, 1>,  // the fewest bytes of A and B; waits for each slab with nothing else to do
    Candidate<128, 256, 16, 8, 16, 1>,  // the same for wide C
    Candidate<128, 64, 8, 8, 8, 4>,     // four blocks hide each other's waiting
    Candidate<128, 64, 16, 8, 8, 3>,    // and with half of the barriers
    Candidate<64, 128, 16, 8, 8, 3>,    // the same for wide C
    Candidate<64, 64, 16, 8, 8, 6>,     // as good a ratio of reads to FMAs on a quarter of the tile
    Candidate<64, 64, 16, 8, 4, 6>,     // twice the warps on that tile: few blocks a multiprocessor
    Candidate<64, 64, 32, 8, 4, 4>,     // and long k
    Candidate<128, 32, 16, 8, 4, 5>,    // C of few columns
    Candidate<32, 128, 16, 4, 8, 5>,    // C of few rows
    Candidate<64, 32, 16, 4, 4, 8>,     // C that has fewer than a 64 x 64 tile for each multiprocessor
    Candidate<32, 64, 16, 4, 4, 8>,     // the same, wide
    Candidate<32, 32, 16, 4, 4, 16>,    // the smallest: most blocks, least air
    Candidate<32, 32, 32, 4, 4, 8>>;    // half of its barriers, where k is what takes the time

LaunchStatus launch_autotuned(const GemmProblem& p, Stream stream) {
  return chosen_config(rung_key("r07"), Space::configs, p).launch(p, stream);
}

}  // namespace

extern const RungKernel r07{Space::configs[0].tile, launch_autotuned, Space::configs};

}  // namespace ladder::LADDER_DEVICE

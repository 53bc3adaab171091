// SPDX-License-Identifier: MIT
// r09_short_k.cu: k is so short that a tile's loads and stores take as long as its sums.
//
// Small blocks, four of them on a multiprocessor (two of the larger tile), that share nothing: while one waits for its
// first slabs or stores its tile, the others compute. Every thread copies; a block fetches its panels up to k = 64 at
// once, later one slab ahead, and meets once a slab.
// Tile: 128 x 64, 64 x 128 or 128 x 128, slabs of 32 steps of k, warp tile 64 x 32, thread tile 8 x 8, 2 stages.
// Cost: 128 registers; 50 KiB of shared memory, or 66. Limit: FMAs; the last round of tiles over the multiprocessors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "device_traits.cuh"
#include "pipeline_consumer.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

template <int BM, int BN>
struct ShortTile : WarpTileShape<BM, BN, 32, 64, 32, 8, 8, 2> {
  // As many blocks as registers and shared memory have room for.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int RESIDENT = BM * BN <= 128 * 64 ? 3 : 2;
#else
  static constexpr int RESIDENT = BM * BN <= 128 * 64 ? 4 : 2;
#endif
};

template <class Tile>
struct alignas(sizeof(float4)) Slab {
  float a[Tile::BK][Tile::BM + SKEW];
  float b[Tile::BK][Tile::BN + SKEW];
};

template <class Tile>
struct ShortSmem {
  Slab<Tile> stage[Tile::STAGES];
};

template <class Tile>
__device__ __forceinline__ Slab<Tile>& slab_of(ShortSmem<Tile>& smem, int k0) {
  return smem.stage[k0 / Tile::BK % Tile::STAGES];
}

// Adds the first `k_left` steps of a slab.
template <class Tile>
__device__ __forceinline__ void add_slab(ThreadTile<Tile>& tile, const Slab<Tile>& slab, int k_left) {
  constexpr int unroll = 16;
  constexpr int row_a = Tile::BM + SKEW;
  constexpr int row_b = Tile::BN + SKEW;
  static_assert(Tile::BK % unroll == 0, "a full slab has no rest");
  const float* a = &slab.a[0][tile.m0()];
  const float* b = &slab.b[0][tile.n0()];
  int left = k_left < Tile::BK ? k_left : Tile::BK;
#pragma unroll 1
  for (; left >= unroll; left -= unroll) {
    tile.load_fragments(0, a, b);
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      if (k + 1 < unroll) tile.load_fragments((k + 1) % 2, a + (k + 1) * row_a, b + (k + 1) * row_b);
      tile.accumulate(k % 2);
    }
    a += unroll * row_a;
    b += unroll * row_b;
  }
#pragma unroll 1
  for (; left > 0; --left) {
    tile.load_fragments(0, a, b);
    tile.accumulate(0);
    a += row_a;
    b += row_b;
  }
}

// The copies of one panel. More than 16 at a time would take registers from the sums.
template <class Tile, Feed FEED, int BMN>
class ShortFeed {
 public:
  template <class... Args>
  __device__ __forceinline__ explicit ShortFeed(const Args&... args) : feed_(args...) {}

  __device__ __forceinline__ void issue(float* slab, int k_left) {
#pragma unroll 1
    for (int k = 0; k < Tile::BK; k += STEPS) feed_.issue(slab + k * (BMN + SKEW), k_left - k);
  }

 private:
  static constexpr int COPIES = BMN * Tile::BK / Tile::THREADS / (FEED == Feed::vector_mn ? vec : 1);
  static constexpr int STEPS = COPIES > 16 ? Tile::BK / 2 : Tile::BK;

  TileFeed<FEED, BMN, STEPS, SKEW, Tile::THREADS> feed_;
};

// Tiles in the order of the columns of C; the same for every product of a batch.
template <class Tile>
__device__ __forceinline__ BlockTile tile_number(const GemmProduct& p, int number) {
  const auto tiles_m = static_cast<std::uint32_t>((p.m + Tile::BM - 1) / Tile::BM);
  const auto index = static_cast<std::uint32_t>(number);
  return tile_at(p, std::int64_t{index % tiles_m} * Tile::BM, std::int64_t{index / tiles_m} * Tile::BN);
}

template <class Tile, Feed FEED_A, Feed FEED_B, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(Tile::RESIDENT))
    sgemm_short_k(const GemmProduct first, const BatchLayout layout, const Epilogue given) {
  if (FORM == Form::general && is_beyond(layout)) return;
  const Epilogue epilogue = epilogue_in<FORM>(given);
  ShortSmem<Tile>& smem = block_smem<ShortSmem<Tile>>();
  ThreadTile<Tile> tile(threadIdx.x);
  int number = static_cast<int>(blockIdx.x);
  {
    const GemmProduct p = product_in<FORM>(first, layout);
    const Scalars s = load_scalars(p, epilogue);
    if (leaves_c_alone(s, epilogue)) return;
    const BlockTile block = tile_number<Tile>(p, number);
    const bool inside = tile.inside(block);

    // Load
    ShortFeed<Tile, FEED_A, Tile::BM> feed_a(p.a, p.lda, block.m0, p.m, 0, threadIdx.x);
    ShortFeed<Tile, FEED_B, Tile::BN> feed_b(p.b, p.ldb, block.n0, p.n, 0, threadIdx.x);
    const int k_extent = static_cast<int>(mainloop_k(p, s));
    const auto fetch = [&](int k0) {
      if (k0 < k_extent) {
        Slab<Tile>& slab = slab_of(smem, k0);
        feed_a.issue(&slab.a[0][0], k_extent - k0);
        feed_b.issue(&slab.b[0][0], k_extent - k0);
      }
      close_copies();
    };
#pragma unroll 1
    for (int k0 = 0; k0 < Tile::STAGES * Tile::BK; k0 += Tile::BK) fetch(k0);

    // Compute
    tile.clear();
#pragma unroll 1
    for (int k0 = 0; k0 < k_extent; k0 += Tile::BK) {
      if (k0 == 0) {
        wait_for_copies<Tile::STAGES - 1>();
      } else {
        wait_for_copies<0>();
      }
      __syncthreads();  // all have copied this slab, and are done with the one before
      if (k0 > 0) fetch(k0 + Tile::BK);
      if (inside) add_slab(tile, slab_of(smem, k0), k_extent - k0);
    }
  }

  // Epilogue
  number = computed_again(number);
  const GemmProduct p = product_in<FORM>(first, layout);
  const BlockTile block = tile_number<Tile>(p, number);
  if (!tile.inside(block)) return;
  tile.store(p, load_scalars(p, epilogue), block);
  if (!epilogue.is_plain()) tile.finish(epilogue, p, product_number(), block);
}

// ---------------------------------------------------------------------------------------- host side

constexpr int largest_k = 2048;  // a longer sum is more accurate in blocks of k

template <class Tile>
LaunchStatus launch_tile(const GemmProblem& p, Stream stream) {
  if (p.k > std::numeric_limits<std::int32_t>::max() - Tile::STAGES * Tile::BK) return launch_not_supported;
  return with_feed(feed_of_every_a(p, p), [&](auto a) {
    return with_feed(feed_of_every_b(p, p), [&](auto b) {
      return with_form(p, [&](auto form) {
        return launch<sgemm_short_k<Tile, a(), b(), form()>, ShortSmem<Tile>>(tile_count<Tile>(p), Tile::THREADS,
                                                                              stream, p);
      });
    });
  });
}

template <class Tile>
double cycles_of(const GemmProblem& p, int multiprocessors) {
  if (p.k > largest_k) return std::numeric_limits<double>::infinity();
  constexpr double start = 5000;           // launch, first loads, the last tile's store
  constexpr double bytes_a_cycle = 14;     // of a multiprocessor's share of the memory's 16
  constexpr double not_overlapped = 0.15;  // of the shorter of computing and moving
  constexpr double block_cycles = 500;     // that a block's start costs the others
  constexpr double fmas_a_cycle[] = {128 * 0.35, 128 * 0.58, 128 * 0.72, 128 * 0.78};  // by so many quads of warps
  constexpr int quads_of_a_block = Tile::WARPS / 4;
  const double passes_of_c = p.beta.device != nullptr || p.beta.value != 0.0f ? 2 : 1;
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double bytes = sizeof(float) * static_cast<double>(p.batch) * (m * n * passes_of_c + m * k + k * n);
  const double tiles = static_cast<double>(tile_count<Tile>(p)) * static_cast<double>(p.batch);
  const double share = std::ceil(tiles / multiprocessors);
  const int rest = static_cast<int>(std::fmod(share, Tile::RESIDENT));
  const double fmas = Tile::BM * Tile::BN * k;
  double compute = (share - rest) * (fmas / fmas_a_cycle[Tile::RESIDENT * quads_of_a_block - 1] + block_cycles);
  if (rest > 0) compute += rest * (fmas / fmas_a_cycle[rest * quads_of_a_block - 1] + block_cycles);
  const double memory = bytes / (bytes_a_cycle * multiprocessors);
  return start + std::max(memory, compute) + not_overlapped * std::min(memory, compute);
}

}  // namespace

LaunchStatus launch_short_k_128x64(const GemmProblem& p, Stream stream) {
  return launch_tile<ShortTile<128, 64>>(p, stream);
}

LaunchStatus launch_short_k_64x128(const GemmProblem& p, Stream stream) {
  return launch_tile<ShortTile<64, 128>>(p, stream);
}

LaunchStatus launch_short_k_128x128(const GemmProblem& p, Stream stream) {
  return launch_tile<ShortTile<128, 128>>(p, stream);
}

double short_k_128x64_cycles(const GemmProblem& p, int multiprocessors) {
  return cycles_of<ShortTile<128, 64>>(p, multiprocessors);
}

double short_k_64x128_cycles(const GemmProblem& p, int multiprocessors) {
  return cycles_of<ShortTile<64, 128>>(p, multiprocessors);
}

double short_k_128x128_cycles(const GemmProblem& p, int multiprocessors) {
  return cycles_of<ShortTile<128, 128>>(p, multiprocessors);
}

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// r09_double_buffered: the next K slab travels while this one is computed.
//
// Over r08: a ring of stages in shared memory, filled by asynchronous copies several slabs ahead; full and
// empty barriers per stage, so that no warp waits for the whole block; fragments double-buffered in registers.
// On sm_90a a producer warpgroup does nothing but issue the copies and lends its registers to the others.
// Tile: 256 x 128 x 16, warp tile 64 x 64, thread tile 16 x 8, 8 stages (4 where all warps copy);
// 64 x 64 x 16 where the large tile would leave multiprocessors idle.
// Cost: 168 registers lent up to 232, 196 KiB of shared memory, one block an SM. Limit: register read ports.
// Reference: CUTLASS's multistage and warp-specialised mainloops; PTX ISA, mbarrier, setmaxnreg.
#include <algorithm>
#include <limits>

#include "device_traits.cuh"
#include "pipeline.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr int PRODUCER_THREADS = 128;  // one warpgroup: the unit in which registers change hands
[[maybe_unused]] constexpr int PRODUCER_REGISTERS = 40;
[[maybe_unused]] constexpr int CONSUMER_REGISTERS = 232;  // 2 x 232 + 40 a lane fill the register file

// ---------------------------------------------------------------------------------------- consumer

template <class Tile, class Refill>
__device__ __forceinline__ void mainloop(PipelineSmem<Tile>& smem, const SlabCount& slabs, ThreadTile<Tile>& tile,
                                         const Refill& refill) {
  constexpr int ROW_A = Tile::BM + SKEW;
  constexpr int ROW_B = Tile::BN + SKEW;
  RingCursor<Tile::STAGES> use;
  const float* a = &smem.a[0][0][tile.m0()];
  const float* b = &smem.b[0][0][tile.n0()];
  if (slabs.total > 0) {
    smem.full[0].wait(0);
    tile.load_fragments(0, a, b);
  }
#pragma unroll 1
  for (int slab = 0; slab < slabs.whole; ++slab) {
    refill();
#pragma unroll
    for (int k = 0; k < Tile::BK; ++k) {
      if (k + 1 < Tile::BK) {
        tile.load_fragments((k + 1) % 2, a + (k + 1) * ROW_A, b + (k + 1) * ROW_B);
      } else {
        // Slab boundary: this thread has the rest in registers and is done with the stage. Every thread arrives:
        // one for its whole warp would do, but compute-sanitizer does not see that it speaks for the others.
        // The next stage's first fragments are fetched under the last outer product.
        smem.empty[use.stage].arrive();
        use.advance();
        a = &smem.a[use.stage][0][tile.m0()];
        b = &smem.b[use.stage][0][tile.n0()];
        if (slab + 1 < slabs.total) {
          smem.full[use.stage].wait(use.parity);
          tile.load_fragments(0, a, b);
        }
      }
      tile.accumulate(k % 2);
    }
  }
#pragma unroll 1
  for (int k = 0; k < slabs.residue; ++k) {
    tile.load_fragments(0, a + k * ROW_A, b + k * ROW_B);
    tile.accumulate(0);
  }
}

// A warp whose whole tile lies outside C keeps the ring turning and computes nothing.
template <class Tile, class Refill>
__device__ __forceinline__ void pass_slabs_on(PipelineSmem<Tile>& smem, const SlabCount& slabs, const Refill& refill) {
  RingCursor<Tile::STAGES> use;
#pragma unroll 1
  for (int slab = 0; slab < slabs.whole; ++slab) {
    refill();
    smem.full[use.stage].wait(use.parity);
    smem.empty[use.stage].arrive();
    use.advance();
  }
}

template <class Tile, class Refill>
__device__ __forceinline__ void consume(PipelineSmem<Tile>& smem, const GemmProduct& p, const Scalars& s,
                                        const BlockTile& block, const SlabCount& slabs, const Refill& refill) {
  ThreadTile<Tile> tile(threadIdx.x);
  const int warp = threadIdx.x / warp_size;
  if (warp % Tile::WARPS_M * Tile::WM < block.rows && warp / Tile::WARPS_M * Tile::WN < block.columns) {
    mainloop(smem, slabs, tile, refill);
    tile.store(p, s, block);
  } else {
    pass_slabs_on(smem, slabs, refill);
  }
}

// ---------------------------------------------------------------------------------------- producer

template <class Tile, Feed FEED_A, Feed FEED_B, int THREADS>
class Producer {
 public:
  __device__ __forceinline__ Producer(PipelineSmem<Tile>& smem, const GemmProduct& p, const BlockTile& block,
                                      const SlabCount& slabs, int thread)
      : smem_(smem),
        feed_a_(p.a, p.lda, block.m0, p.m, thread),
        feed_b_(p.b, p.ldb, block.n0, p.n, thread),
        slabs_(slabs) {}

  __device__ __forceinline__ bool done() const { return next_ == slabs_.total; }
  __device__ __forceinline__ bool stage_is_used() const { return next_ >= Tile::STAGES; }
  __device__ __forceinline__ StageBarrier& empty() { return smem_.empty[fill_.stage]; }
  __device__ __forceinline__ std::uint32_t empty_parity() const { return fill_.parity ^ 1; }

  /// Issues one slab's copies into the next stage, which must be empty.
  __device__ __forceinline__ void issue() {
    const int k_left = next_ < slabs_.whole ? Tile::BK : slabs_.residue;
    feed_a_.issue(&smem_.a[fill_.stage][0][0], k_left);
    feed_b_.issue(&smem_.b[fill_.stage][0][0], k_left);
    smem_.full[fill_.stage].arrive_when_copies_land();
    fill_.advance();
    ++next_;
  }

 private:
  PipelineSmem<Tile>& smem_;
  TileFeed<FEED_A, Tile::BM, Tile::BK, SKEW, THREADS> feed_a_;
  TileFeed<FEED_B, Tile::BN, Tile::BK, SKEW, THREADS> feed_b_;
  SlabCount slabs_;
  RingCursor<Tile::STAGES> fill_;
  int next_ = 0;
};

// ---------------------------------------------------------------------------------------- kernels

// Every warp copies its share of the next slab, then computes.
template <class Tile, Feed FEED_A, Feed FEED_B>
__global__ void __launch_bounds__(Tile::THREADS)
    sgemm_double_buffered(const GemmProduct first, const BatchLayout layout) {
  const GemmProduct p = product_of_block(first, layout);
  PipelineSmem<Tile>& smem = block_smem<PipelineSmem<Tile>>();
  const Scalars s = load_scalars(p);
  if (leaves_c_alone(s)) return;
  const BlockTile block = locate_grouped_tile<Tile>(p);
  const SlabCount slabs = count_slabs<Tile::BK>(mainloop_k(p, s));
  init_barriers(smem, Tile::THREADS);

  Producer<Tile, FEED_A, FEED_B, Tile::THREADS> producer(smem, p, block, slabs, threadIdx.x);
  const auto refill = [&producer] {
    if (producer.done()) return;
    if (producer.stage_is_used()) producer.empty().wait(producer.empty_parity());
    producer.issue();
  };
  for (int ahead = 0; ahead < Tile::STAGES - 1; ++ahead) refill();
  consume(smem, p, s, block, slabs, refill);
}

// A warpgroup of its own copies; the others only compute.
template <class Tile>
__global__ void __launch_bounds__(Tile::THREADS + PRODUCER_THREADS, 1)
    sgemm_warp_specialized(const GemmProduct first, const BatchLayout layout) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const GemmProduct p = product_of_block(first, layout);
  PipelineSmem<Tile>& smem = block_smem<PipelineSmem<Tile>>();
  const Scalars s = load_scalars(p);
  if (leaves_c_alone(s)) return;
  const BlockTile block = locate_grouped_tile<Tile>(p);
  const SlabCount slabs = count_slabs<Tile::BK>(mainloop_k(p, s));
  init_barriers(smem, PRODUCER_THREADS);

  if (threadIdx.x >= Tile::THREADS) {
    release_registers<PRODUCER_REGISTERS>();
    with_feed(feed_of_a(p), [&](auto a) {
      with_feed(feed_of_b(p), [&](auto b) {
        Producer<Tile, a(), b(), PRODUCER_THREADS> producer(smem, p, block, slabs, threadIdx.x - Tile::THREADS);
        while (!producer.done()) {
          if (producer.stage_is_used()) producer.empty().wait_idly(producer.empty_parity());
          producer.issue();
        }
      });
    });
  } else {
    claim_registers<CONSUMER_REGISTERS>();
    consume(smem, p, s, block, slabs, [] {});
  }
#endif
}

// ---------------------------------------------------------------------------------------- host side

using SpecializedTile = WarpTileShape<256, 128, 16, 64, 64, 16, 8, 8>;
using LargeTile = WarpTileShape<256, 128, 16, 64, 64, 16, 8, 4>;
using SmallTile = WarpTileShape<64, 64, 16, 32, 32, 8, 4, 4>;

// setmaxnreg exists on sm_90a alone, and only code built for it was compiled to use it.
bool can_specialize() {
#if defined(LADDER_EMULATED) || LADDER_BUILT_FOR_SM90A
  constexpr int hopper = 90;
  return device_traits().compute_capability == hopper;
#else
  return false;
#endif
}

template <class Tile>
LaunchStatus launch_all_copy(const GemmProblem& p, Stream stream) {
  return with_feed(feed_of_every_a(p), [&](auto a) {
    return with_feed(feed_of_every_b(p), [&](auto b) {
      return launch<sgemm_double_buffered<Tile, a(), b()>, PipelineSmem<Tile>>(tile_count<Tile>(p), Tile::THREADS,
                                                                               stream, p);
    });
  });
}

LaunchStatus launch_specialized(const GemmProblem& p, Stream stream) {
  using Tile = SpecializedTile;
  if (!can_specialize()) return launch_not_supported;
  return launch<sgemm_warp_specialized<Tile>, PipelineSmem<Tile>>(tile_count<Tile>(p), Tile::THREADS + PRODUCER_THREADS,
                                                                  stream, p);
}

// Rounds over the multiprocessors x cycles for a tile at the percentage of the FMA peak that it reaches. Fewer than
// RESIDENT tiles on a multiprocessor leave its latencies uncovered.
template <class Tile, int RESIDENT, int PERCENT>
double predicted_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr double cycles_per_k = Tile::BM * Tile::BN / (128 * (PERCENT / 100.0));  // 128 FMAs a cycle at the peak
  const std::int64_t share = ceil_div(tile_count<Tile>(p) * p.batch, multiprocessors);
  return cycles_per_k * static_cast<double>(p.k) * static_cast<double>(std::max<std::int64_t>(share, RESIDENT));
}

// Four warps cannot issue the single-float copies of an unaligned operand as quickly as eight do: on an H200 at
// 4095 cubed they reached 32 TFLOP/s and all warps together 41.
double specialized_cycles(const GemmProblem& p, int multiprocessors) {
  const bool suits =
      can_specialize() && feed_of_every_a(p) != Feed::element_mn && feed_of_every_b(p) != Feed::element_mn;
  return suits ? predicted_cycles<SpecializedTile, 1, 80>(p, multiprocessors) : std::numeric_limits<double>::infinity();
}

constexpr KernelConfig configs[] = {
    {"warp_specialized_256x128", SpecializedTile::extents, launch_specialized, specialized_cycles},
    {"all_copy_256x128", LargeTile::extents, launch_all_copy<LargeTile>, predicted_cycles<LargeTile, 1, 70>},
    {"all_copy_64x64", SmallTile::extents, launch_all_copy<SmallTile>, predicted_cycles<SmallTile, 2, 55>},
#define MEMBER(name, bm, bn, bk, stages, launch, cycles, sums) {#name, {bm, bn, bk, stages}, launch, cycles, sums},
#include "r09_members.def"
#undef MEMBER
};

LaunchStatus launch_r09(const GemmProblem& p, Stream stream) {
  return chosen_config(rung_key("r09"), configs, p).launch(p, stream);
}

}  // namespace

extern const RungKernel r09{SpecializedTile::extents, launch_r09, configs};

}  // namespace ladder::LADDER_DEVICE

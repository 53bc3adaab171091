// SPDX-License-Identifier: MIT
// r09_sliced_k: the warps of a block share a small tile of C by slices of k.
//
// For problems of few tiles: a warp computes the whole tile for its own slice of k, with a ring of stages of its own,
// so that no barrier but its own stops it and a small problem is on its way from memory at once. At the end the block
// adds the slices in shared memory, and where K is cut over blocks too, the last of them adds the parts.
// Sums: a block of k for each slice, blocks added in the order of k; where parts are many, in groups of parts.
// Tile: 32 x 16 to 64 x 64, all of it in each of four or eight warps. Cost: up to 255 registers and 204 KiB of shared
// memory. Limit: latencies, of the first instructions, of memory and of the sums' way through shared memory.
#include "finish.cuh"
#include "r09_members.hpp"
#include "sliced_feed.cuh"
#include "sliced_plan.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

// ---------------------------------------------------------------------------------------- kernel

/// One warp's slice, from k0 on, `steps` long: copies up to STAGES stages ahead of the sums. The operands have k_left
/// steps from k0 on.
template <class Tile, Feed FEED_A, Feed FEED_B>
__device__ __forceinline__ void sum_slice(float* ring, const GemmProduct& p, const BlockTile& block, std::int64_t k0,
                                          int steps, int k_left) {
  const int lane = threadIdx.x % warp_size;
  SliceFeed<FEED_A, Tile::BM, Tile::BK> feed_a(p.a, p.lda, block.m0, k0, block.rows, lane);
  SliceFeed<FEED_B, Tile::BN, Tile::BK> feed_b(p.b, p.ldb, block.n0, k0, block.columns, lane);
  SliceSums<Tile, FEED_A, FEED_B> sums(lane);
  if (steps == 0) return;

  // One loop for the first copies and the steady state: the instructions have to come from memory as well.
  int to_copy = steps;
  int fill = 0;
#pragma unroll 1
  for (int turn = 1; steps > 0; ++turn) {
    if (to_copy > 0) {
      float* stage = ring + fill * Tile::STAGE_FLOATS;
      feed_a.issue(stage, k_left);
      feed_b.issue(stage + slice_row(FEED_A, Tile::BM) * Tile::BK, k_left);
      to_copy -= Tile::BK;
      k_left -= Tile::BK;
    }
    close_copies();
    fill = fill + 1 == Tile::STAGES ? 0 : fill + 1;
    if (turn < Tile::STAGES) continue;
    if (turn == Tile::STAGES) sums.clear();
    // The oldest stage is the one that is filled next.
    wait_for_copies<Tile::STAGES - 1>();
    __syncwarp();
    sums.add_steps(ring + fill * Tile::STAGE_FLOATS, steps < Tile::BK ? steps : Tile::BK);
    __syncwarp();
    steps -= Tile::BK;
  }
  sums.store(ring);
}

/// `left` as a count that ends at `most`.
__device__ __forceinline__ int up_to(int most, std::int64_t left) {
  return left < most ? (left < 0 ? 0 : static_cast<int>(left)) : most;
}

template <class Tile, Feed FEED_A, Feed FEED_B, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, Tile::RESIDENT)
    sgemm_sliced_k(const GemmProduct first, const BatchLayout layout, const Epilogue given, const SlicePlan plan) {
  if (FORM == Form::general && is_beyond(layout)) return;
  const GemmProduct p = product_in<FORM>(first, layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  SlicedSmem<Tile>& smem = block_smem<SlicedSmem<Tile>>();
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  const SliceShare share(plan, blockIdx.x);
  const std::uint32_t tile_n = plan.by_tiles_m.quotient_of(share.tile);
  const std::uint32_t tile_m = share.tile - tile_n * plan.tiles_m;
  const BlockTile block = tile_at(p, std::int64_t{tile_m} * Tile::BM, std::int64_t{tile_n} * Tile::BN);

  const std::uint32_t warp = held(threadIdx.x / warp_size);
  const int slice_k = share.is_whole ? plan.whole_slice_k : plan.slice_k;
  const std::int64_t k0 = std::int64_t{share.part * Tile::WARPS + warp} * slice_k;
  const std::int64_t k_left = mainloop_k(p, s) - k0;
  const int steps = up_to(slice_k, k_left);
  sum_slice<Tile, FEED_A, FEED_B>(smem.rings[warp], p, block, k0, steps, up_to(slice_k + Tile::BK, k_left));
  __syncthreads();

  constexpr int M_QUADS = Tile::BM / vec;
  const auto store = [&](int quad, const float4& sum) {
    const float sums[vec] = {sum.x, sum.y, sum.z, sum.w};
    const int m = quad % M_QUADS * vec;
    const int n = quad / M_QUADS;
    if (m >= block.rows || n >= block.columns) return;
    float* c = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
    if (!epilogue.is_plain()) {
      blend_and_finish(epilogue, p, product_number(), s, {block.m0 + m, block.n0 + n, block.rows - m}, sums);
    } else if (quads_aligned(p.c, p.ldc) && block.rows - m >= vec) {
      blend_quad(s, sums, c);
    } else {
      blend_some(s, sums, c, block.rows - m);
    }
  };
  add_up(smem, plan, share, product_number(), store);
}

// ---------------------------------------------------------------------------------------- host side

template <class Tile>
LaunchStatus launch_tile(const GemmProblem& p, Stream stream) {
  if (!can_run<Tile>(p)) return launch_not_supported;
  const Division unsplit{tile_count<Tile>(p) * p.batch, 1};
  Division division = plain_sums() ? unsplit : best_division<Tile>(p, std::max(device_traits().multiprocessors, 1));
  const Scratch scratch = division.parts > 1 ? scratch_of(stream, parts_floats<Tile>(p, division)) : Scratch{};
  if (!scratch.parts) division = unsplit;
  const SlicePlan plan = make_plan<Tile>(p, division, scratch);
  const std::int64_t blocks = plan.whole + std::int64_t{plan.tiles - plan.whole} * plan.parts;
  return with_feed(feed_of_every_a(p, p), [&](auto a) {
    return with_feed(feed_of_every_b(p, p), [&](auto b) {
      return with_form(p, [&](auto form) {
        return launch<sgemm_sliced_k<Tile, a(), b(), form()>, SlicedSmem<Tile>>(blocks, Tile::THREADS, stream, p, plan);
      });
    });
  });
}

using Tile32x16 = SlicedTile<32, 16, 4, 4, 8, 3, 2>;
using Tile32x32 = SlicedTile<32, 32, 8, 4, 8, 3, 2>;
using Tile32x64 = SlicedTile<32, 64, 8, 8, 8, 3, 1>;
using Tile64x64 = SlicedTile<64, 64, 16, 8, 4, 3, 2>;

}  // namespace

LaunchStatus launch_sliced_32x16(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x16>(p, stream); }
LaunchStatus launch_sliced_32x32(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x32>(p, stream); }
LaunchStatus launch_sliced_32x64(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x64>(p, stream); }
LaunchStatus launch_sliced_64x64(const GemmProblem& p, Stream stream) { return launch_tile<Tile64x64>(p, stream); }

double sliced_32x16_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x16>(p, multiprocessors);
}
double sliced_32x32_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x32>(p, multiprocessors);
}
double sliced_32x64_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x64>(p, multiprocessors);
}
double sliced_64x64_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile64x64>(p, multiprocessors);
}

}  // namespace ladder::LADDER_DEVICE

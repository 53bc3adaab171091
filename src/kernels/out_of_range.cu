// SPDX-License-Identifier: MIT
// The FP32 kernel behind rungs 11 and 12: rung 8's block, warp and thread tiles, for problems whose values are too
// large, or not numbers, so that their planes do not serve (range_facts.cuh).
//
// Most of its launches find nothing to do, so there are no more blocks than can be resident at once; where there is
// something, they walk over the tiles of all products.
// Order of a sum: blocks of 256 k, each by k, where plain sums are not asked for; what a thread has added up of earlier
// blocks waits in shared memory.
#include <algorithm>
#include <limits>

#include "device_traits.cuh"
#include "load_tile.cuh"
#include "out_of_range.hpp"
#include "range_facts.cuh"
#include "sum_order.hpp"
#include "thread_quads.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = WarpTileShape<128, 128, 16, 64, 64, 8, 16>;
using Results = ThreadQuads<Tile::TM, Tile::TN, Tile::LANES_M * vec, Tile::LANES_N * vec>;
constexpr int unrolled_k = 8;
constexpr int resident = 2;                  // blocks on a multiprocessor
constexpr int block_slabs = 256 / Tile::BK;  // of k, whose sums are added up before they join the others'
constexpr int all_slabs = std::numeric_limits<int>::max();

/// Sums of earlier blocks of k: each thread's own, its neighbours' beside them.
struct EarlierSums {
  static constexpr int M_QUADS = Tile::TM / vec;

  float4 quad[M_QUADS * Tile::TN][Tile::THREADS];

  __device__ __forceinline__ float4& of(int i, int j) { return quad[j * M_QUADS + i / vec][threadIdx.x]; }

  /// Adds them, if there are any, to the sums of the present block.
  __device__ __forceinline__ void add_to(Results& results, bool has_any) {
    if (!has_any) return;
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; i += vec) {
        const float4 earlier = of(i, j);
        float* sum = results.accum[j] + i;
        sum[0] = __fadd_rn(earlier.x, sum[0]), sum[1] = __fadd_rn(earlier.y, sum[1]);
        sum[2] = __fadd_rn(earlier.z, sum[2]), sum[3] = __fadd_rn(earlier.w, sum[3]);
      }
    }
  }

  /// Takes the place of the results, which begin again.
  __device__ __forceinline__ void take(Results& results) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; i += vec) {
        float* sum = results.accum[j] + i;
        of(i, j) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        sum[0] = sum[1] = sum[2] = sum[3] = 0.0f;
      }
    }
  }
};

template <Major A_MAJOR, Major B_MAJOR>
struct OutOfRangeSmem {
  KRowTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS, PaddedRows> a;
  KRowTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS, PaddedRows> b;
  EarlierSums earlier;
};

/// Computes one tile of one product; all threads of the block together.
template <Major A_MAJOR, Major B_MAJOR>
__device__ __forceinline__ void compute_tile(OutOfRangeSmem<A_MAJOR, B_MAJOR>& tile, const GemmProduct& p,
                                             std::int64_t product, const BlockTile& block, const Epilogue& epilogue,
                                             int slabs_of_block) {
  const Scalars s = load_scalars(p, epilogue);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  Results results(warp % Tile::WARPS_M * Tile::WM + lane % Tile::LANES_M * vec,
                  warp / Tile::WARPS_M * Tile::WN + lane / Tile::LANES_M * vec);
  const bool inside = results.inside(block);

  // Mainloop: load, sync, store to shared memory, sync, compute
  int slabs = 0;
  bool has_earlier = false;
  for (std::int64_t k_left = k_extent; k_left > 0; k_left -= Tile::BK, ++slabs) {
    if (slabs == slabs_of_block) {
      tile.earlier.add_to(results, has_earlier);
      tile.earlier.take(results);
      has_earlier = true;
      slabs = 0;
    }
    const auto a_part = tile.a.fetch(a);
    const auto b_part = tile.b.fetch(b);
    a.advance(Tile::BK);
    b.advance(Tile::BK);
    __syncthreads();
    tile.a.deposit(a_part);
    tile.b.deposit(b_part);
    __syncthreads();
    if (inside) {
      for_each_k<Tile::BK, unrolled_k>(k_left, [&](int k) { results.multiply_add(tile.a, tile.b, k); });
    }
  }
  tile.earlier.add_to(results, has_earlier);

  // Epilogue
  if (inside) results.template store<Tile>(p, s, block);
  if (inside && !epilogue.is_plain()) results.finish(epilogue, p, block, product);
}

/// All of these are 0 again when the last block has been here.
__device__ __forceinline__ void leave(RangeFacts* facts) {
  __syncthreads();  // all threads know what they wanted to
  if (threadIdx.x != 0 || take_ticket(&facts->finished) + 1 != gridDim.x) return;
  *facts = {};
}

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(resident))
    sgemm_out_of_range(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue, RangeFacts* facts,
                       const OfferedPlanes offered, const int slabs_of_block) {
  wait_for_previous_launch();
  let_next_launch_begin();
  const bool is_served =
      serves_bf16x3(facts, first.k) || (offered == OfferedPlanes::fp16x2_then_bf16x3 && serves_fp16x2(facts, first.k));
  if (!is_served) {
    auto& tile = block_smem<OutOfRangeSmem<A_MAJOR, B_MAJOR>>();
    const std::int64_t tiles_m = (first.m + Tile::BM - 1) / Tile::BM;
    const std::int64_t tiles = tiles_m * ((first.n + Tile::BN - 1) / Tile::BN);
    for (std::int64_t item = blockIdx.x; item < tiles * layout.batch; item += gridDim.x) {
      const std::int64_t product = item / tiles;
      const std::int64_t index = item - product * tiles;
      const GemmProduct p = product_at(first, layout, product);
      compute_tile(tile, p, product, tile_at(p, index % tiles_m * Tile::BM, index / tiles_m * Tile::BN), epilogue,
                   slabs_of_block);
    }
  }
  leave(facts);
}

}  // namespace

LaunchStatus launch_out_of_range(const GemmProblem& p, Stream stream, RangeFacts* facts, OfferedPlanes offered) {
  const std::int64_t at_once = std::int64_t{resident} * std::max(1, device_traits().multiprocessors);
  const std::int64_t blocks = std::min(tile_count<Tile>(p) * p.batch, at_once);
  return with_majors(p, [&](auto a, auto b) {
    return launch_overlapping<sgemm_out_of_range<a.value, b.value>, OutOfRangeSmem<a.value, b.value>>(
        blocks, Tile::THREADS, stream, p, facts, offered, plain_sums() ? all_slabs : block_slabs);
  });
}

}  // namespace ladder::LADDER_DEVICE

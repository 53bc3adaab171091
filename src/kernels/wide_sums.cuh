// SPDX-License-Identifier: MIT
// The sums of a product with one narrow side: a warp's over its slice of K, a block's over its warps in shared memory,
// and a tile's over its blocks in scratch memory.
#pragma once

#include "wide_epilogue.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- mainloop

/// Steps in flight that fit into 128 registers.
constexpr int wide_stages(int nx, bool in_quads) { return nx == 1 ? 4 : nx <= 4 ? 3 : in_quads ? 2 : 1; }

/// Sums of a thread over its slice of K. Feed says which elements of W and X make a step. The loads of the next STAGES
/// steps are in flight while one is added up; those of X too where they are few, else X comes from a cache in time.
template <class Feed>
struct WideSums {
  static constexpr int NX = Feed::NX;
  static constexpr int STAGES = Feed::STAGES;
  static constexpr int X_STAGES = NX <= 2 ? STAGES : 1;

  float of[WIDE_ROWS][NX];

  __device__ __forceinline__ void add_slice(Feed& feed, const KSlice& slice) {
    // A sum of no products is -0, which changes nothing that it is added to.
    const float start = slice.steps > 0 || feed.has(0, slice.residue) ? 0.0f : -0.0f;
#pragma unroll
    for (int i = 0; i < WIDE_ROWS * NX; ++i) of[i / NX][i % NX] = start;

    float4 w[STAGES][WIDE_ROWS];
    float4 x[X_STAGES][NX];
    const auto load = [&](int stage) {
      feed.load_w(w[stage]);
      if constexpr (X_STAGES > 1) feed.load_x(x[stage]);
    };
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) {
      if (stage < slice.steps) load(stage);
    }
#pragma unroll 1
    for (int step = 0; step < slice.steps; step += STAGES) {
#pragma unroll
      for (int stage = 0; stage < STAGES; ++stage) {
        if (step + stage >= slice.steps) break;
        if constexpr (X_STAGES == 1) feed.load_x(x[0]);
#pragma unroll
        for (int j = 0; j < vec; ++j) add(w[stage], x[stage % X_STAGES], j);
        if (step + stage + STAGES < slice.steps) load(stage);
      }
    }
    if (slice.residue == 0) return;
    feed.load_residue(w[0], x[0], slice.residue);
#pragma unroll
    for (int j = 0; j < vec; ++j) {
      if (feed.has(j, slice.residue)) add(w[0], x[0], j);
    }
  }

 private:
  __device__ __forceinline__ void add(const float4 (&w)[WIDE_ROWS], const float4 (&x)[NX], int j) {
#pragma unroll
    for (int line = 0; line < NX; ++line) {
#pragma unroll
      for (int row = 0; row < WIDE_ROWS; ++row) {
        of[row][line] = __fmaf_rn(Feed::element(w, row, j), component(x[line], j), of[row][line]);
      }
    }
  }
};

// ---------------------------------------------------------------------------------------- the sum of all slices

/// Sums of a tile, line by line: those of each warp along K in turn, then those of groups of parts.
template <int FLOATS>
struct WideSmem {
  static constexpr int GROUP_FLOATS = WIDE_THREADS * vec;
  alignas(sizeof(float4)) float sums[FLOATS > GROUP_FLOATS ? FLOATS : GROUP_FLOATS];
  bool is_last;
};

inline constexpr int most_terms = 16;  ///< of a sum in shared memory

/// The sum, in order, of element e of `count` tiles of `floats` sums that lie one after the other.
__device__ __forceinline__ float sum_in_order(const float* sums, int e, int count, int floats) {
  float sum = sums[e];
#pragma unroll
  for (int i = 1; i < most_terms; ++i) {
    if (i < count) sum += sums[i * floats + e];
  }
  return sum;
}

/// What the last block of a tile does: group after group of parts is summed in order, each by some of the threads.
/// Returns how many groups there are; their sums are in shared memory.
__device__ __forceinline__ int sum_parts(float* smem, const float* tile_parts, int parts, int floats) {
  const int quads = floats / vec;
  const int most = parts < most_terms ? parts : most_terms;
  const int groups = WIDE_THREADS / quads < most ? WIDE_THREADS / quads : most;
  const int group = static_cast<int>(threadIdx.x) / quads;
  if (group < groups) {
    const int first = static_cast<int>(threadIdx.x) % quads * vec;
    const int end = (group + 1) * parts / groups;
    int part = group * parts / groups;
    float4 sum = load_part(tile_parts + std::int64_t{part} * floats + first);
#pragma unroll 8
    for (++part; part < end; ++part) {
      const float4 more = load_part(tile_parts + std::int64_t{part} * floats + first);
      sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
    }
    *reinterpret_cast<float4*>(smem + group * floats + first) = sum;
  }
  __syncthreads();
  return groups;
}

/// Adds up what the warps of this block have left in shared memory, then, in the last block of the tile, what all of
/// its blocks have; blends the sums of the `tile_rows` rows from `row0` on into C.
template <class Smem>
__device__ __forceinline__ void finish_tile(Smem& smem, const WideProduct& operands, const BatchLayout& layout,
                                            const WideEpilogue& epilogue, const WidePlan& plan, std::int64_t row0,
                                            int tile_rows, int floats) {
  const int thread = static_cast<int>(threadIdx.x);
  int count = plan.warps_k;
  __syncthreads();
  if (plan.parts > 1) {
    const auto parts = static_cast<unsigned>(plan.parts);
    const std::int64_t tile = product_number() * (gridDim.x / parts) + blockIdx.x / parts;
    float* tile_parts = plan.sums + tile * plan.parts * floats;
    float* own = tile_parts + std::int64_t{blockIdx.x % parts} * floats;
#pragma unroll 1
    for (int e = thread; e < floats; e += WIDE_THREADS) own[e] = sum_in_order(smem.sums, e, count, floats);
    __syncthreads();
    if (thread == 0) {
      smem.is_last = take_ticket(plan.tickets + tile) == parts - 1;
      if (smem.is_last) plan.tickets[tile] = 0;
    }
    __syncthreads();
    if (!smem.is_last) return;
    count = sum_parts(smem.sums, tile_parts, plan.parts, floats);
  }
  WideProduct v = operands;
  v.c = c_at(epilogue.product, layout, product_number());
#pragma unroll 1
  for (int e = thread; e < floats; e += WIDE_THREADS) {
    const int line = e / tile_rows;
    const std::int64_t row = row0 + (e - line * tile_rows);
    if (row >= v.rows || line >= v.lines) continue;
    store_sum(v, epilogue, product_number(), row, line, sum_in_order(smem.sums, e, count, floats));
  }
}

}  // namespace ladder::LADDER_DEVICE

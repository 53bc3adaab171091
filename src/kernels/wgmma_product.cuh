// SPDX-License-Identifier: MIT
// The product of two images of planes on Hopper (sm_90a): a warpgroup copies slabs into a ring in bulk, the others
// multiply them, each 64 columns of C (wgmma_sums.cuh). Blocks stay and walk over tiles; those of the last, partial
// round are cut along k, so that no multiprocessor is idle.
// Order of a sum: chunk by chunk along k; where a tile is cut, the shares in the order of k (plane_shares.cuh).
#pragma once

#include <limits>

#include "device_traits.cuh"
#include "plane_planner.hpp"
#include "plane_shares.cuh"
#include "range_facts.cuh"
#include "scratch.hpp"
#include "sum_order.hpp"
#include "wgmma_sums.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- copies

/// Where an item's operands lie.
template <class Tile>
struct ItemSource {
  const unsigned char* a;
  const unsigned char* b;
  const float* a_scales;
  const float* b_scales;
  std::int64_t a_slab_bytes;
  std::int64_t b_slab_bytes;
  std::int64_t a_rows;
  std::int64_t b_rows;

  __device__ __forceinline__ ItemSource(const SplitOperands& planes, const PlaneItem& at)
      : a(first_cell(planes.a, at.product, at.m0)),
        b(first_cell(planes.b, at.product, at.n0)),
        a_scales(planes.a.scales + at.product * planes.a.product_scales + at.m0),
        b_scales(planes.b.scales + at.product * planes.b.product_scales + at.n0),
        a_slab_bytes(std::int64_t{planes.a.row_cells} * Tile::layout.cell_bytes),
        b_slab_bytes(std::int64_t{planes.b.row_cells} * Tile::layout.cell_bytes),
        a_rows(planes.a.rows()),
        b_rows(planes.b.rows()) {}

  /// Those of chunk number `chunk`: of image B, then of image A.
  __device__ __forceinline__ void copy_scales(float* scales, std::int64_t chunk, StageBarrier& full) const {
    bulk_copy(scales, b_scales + chunk * b_rows, Tile::BN * int{sizeof(float)}, full);
    bulk_copy(scales + Tile::BN, a_scales + chunk * a_rows, Tile::BM * int{sizeof(float)}, full);
  }

 private:
  static __device__ __forceinline__ const unsigned char* first_cell(const PlaneImage& image, std::int64_t product,
                                                                    std::int64_t row) {
    return image.cells + product * image.product_bytes + row / rows_of_cell * Tile::layout.cell_bytes;
  }
};

/// The next `count` slabs go their way, each part of them as soon as its place is free. The scales of a chunk come with
/// its first slab.
template <class Tile>
__device__ __forceinline__ void copy_chunk(PlaneRing<Tile>& ring, SlabCursor<Tile>& cursor,
                                           const ItemSource<Tile>& source, std::int64_t slab, int count) {
  SlabCursor<Tile> to = cursor;
#pragma unroll 1
  for (int part = 0; part < Tile::PARTS; ++part) {
    to = cursor;
#pragma unroll 1
    for (int i = 0; i < count; ++i, to.advance()) {
      unsigned char* const cells = ring.cells[to.stage()];
      StageBarrier& full = ring.full[to.stage()];
      ring.empty[to.stage()][part].wait_idly(to.parity() ^ 1);
      if (part == 0) full.arrive_expecting(Tile::STAGE_BYTES + (i == 0 ? Tile::SCALE_BYTES : 0));
      bulk_copy(cells + Tile::B_BYTES + part * Tile::PART_BYTES,
                source.a + (slab + i) * source.a_slab_bytes + part * Tile::PART_BYTES, Tile::PART_BYTES, full);
      if (part < Tile::PARTS - 1) continue;
      bulk_copy(cells, source.b + (slab + i) * source.b_slab_bytes, Tile::B_BYTES, full);
      if (Tile::SCALED && i == 0) source.copy_scales(ring.scales[to.stage()], slab / Tile::CHUNK_SLABS, full);
    }
  }
  cursor = to;
}

/// One thread's work: the slabs of all items of this block, as far ahead as the ring allows.
template <class Tile>
__device__ __forceinline__ void copy_items(PlaneRing<Tile>& ring, const SplitOperands& planes, const PlanePlan& plan,
                                           int slabs) {
  SlabCursor<Tile> cursor;
#pragma unroll 1
  for (std::int64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
    const PlaneItem at = plane_item<Tile>(plan, slabs, item);
    const ItemSource<Tile> source(planes, at);
#pragma unroll 1
    for (int done = 0; done < at.slabs; done += Tile::CHUNK_SLABS) {
      const int left = at.slabs - done;
      copy_chunk(ring, cursor, source, at.first_slab + done, left < Tile::CHUNK_SLABS ? left : Tile::CHUNK_SLABS);
    }
  }
}

// ---------------------------------------------------------------------------------------- kernel

/// A finished tile's way into C.
template <class Tile, class Sums>
__device__ __forceinline__ void store_tile(const Sums& sums, const GemmProduct& first, const BatchLayout& layout,
                                           const Epilogue& epilogue, const Scalars& s, const PlaneItem& at) {
  const GemmProduct p = product_at(first, layout, at.product);
  const BlockTile tile = tile_at(p, at.m0, at.n0);
  const PairsOfC c(p, tile, Tile::BM);
  constexpr int pairs = Tile::PARTS * Tile::SUMS / 2;
  store_pairs<pairs>(c, s, unit_of_sums<Tile::FORMAT>, [&](int pair) { return sums.pair(pair); });
  if (epilogue.is_plain()) return;
  finish_pairs(c, epilogue, p, at.product, tile, pairs, [&](int pair) { return Sums::place_of(pair); });
}

/// `Sums`: a consuming thread's sums of a tile, and how it adds the ring's slabs to them.
template <class Sums, class Tile>
__device__ __forceinline__ void consume_items(PlaneRing<Tile>& ring, const GemmProduct& first,
                                              const BatchLayout& layout, const Epilogue& epilogue, const Scalars& s,
                                              const PlanePlan& plan, int slabs) {
  Sums sums(ring, plan);
#pragma unroll 1
  for (std::int64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
    const PlaneItem at = plane_item<Tile>(plan, slabs, item);
    sums.clear();
    sums.add_slabs(at.slabs);
    if (plan.shares > 1 && at.cut_tile >= 0 && !join_shares(ring, sums, plan, at)) continue;
    store_tile<Tile>(sums, first, layout, epilogue, s, at);
  }
}

/// Of the whole block, before the ring's first use.
template <class Tile>
__device__ __forceinline__ void init_ring(PlaneRing<Tile>& ring, const PlanePlan& plan) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Tile::STAGES; ++stage) {
      ring.full[stage].init(1);
      for (StageBarrier& empty : ring.empty[stage]) empty.init(Tile::CONSUMERS / warp_size * plan.arrivals_per_warp);
    }
    for (StageBarrier& turn : ring.turn) turn.init(1);
    show_barriers_to_copies();
  }
  __syncthreads();
}

template <class Tile>
__global__ void __launch_bounds__(Tile::THREADS, 1)
    sgemm_planes(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue, const SplitOperands planes,
                 const PlanePlan plan, const Gate gate) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char ring_bytes[];
  auto& ring = *reinterpret_cast<PlaneRing<Tile>*>(ring_bytes);
  init_ring(ring, plan);
  let_next_launch_begin();
  wait_for_previous_launch();
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue) || !is_served<Tile::FORMAT>(gate, planes.facts, first.k)) return;
  const int slabs = s.alpha == 0.0f ? 0 : static_cast<int>(planes.a.slabs);

  if (threadIdx.x >= Tile::CONSUMERS) {
    release_registers<Tile::PRODUCER_REGISTERS>();
    if (threadIdx.x == Tile::CONSUMERS) copy_items(ring, planes, plan, slabs);
  } else {
    claim_registers<Tile::CONSUMER_REGISTERS>();
    consume_items<PlaneSums<Tile>>(ring, first, layout, epilogue, s, plan, slabs);
  }
#endif
}

// ---------------------------------------------------------------------------------------- host side

/// The tile, and what it reaches of the tensor cores' peak in its mainloop.
template <class TILE, int PEAK_PERCENT>
struct WgmmaVariant {
  using Tile = TILE;
  static constexpr PlaneTileTraits traits{Tile::BM, Tile::BN, Tile::CHUNK_SLABS,
                                          Tile::CYCLES_OF_SLAB * 100.0 / PEAK_PERCENT, Tile::CYCLES_OF_STORE};
};

// wgmma exists on sm_90a alone.
inline bool has_wgmma() {
#if LADDER_BUILT_FOR_SM90A
  constexpr int hopper = 90;
  return device_traits().compute_capability == hopper;
#else
  return false;
#endif
}

/// Cycles of the product alone, its operands being planes already.
template <class Variant>
double wgmma_cycles(const GemmProblem& p, int multiprocessors) {
  if (!has_wgmma()) return std::numeric_limits<double>::infinity();
  return plan_planes(p, Variant::traits, multiprocessors, !plain_sums()).cycles;
}

/// The plan for a launch on `stream`, with the scratch memory that it needs.
template <class Variant>
PlannedPlanes planned_wgmma(const GemmProblem& p, Stream stream) {
  const int multiprocessors = device_traits().multiprocessors;
  PlannedPlanes work = plan_planes(p, Variant::traits, multiprocessors, !plain_sums());
  if (work.plan.shares > 1) {
    const Scratch scratch = scratch_of(stream, part_floats(work.plan, Variant::traits));
    if (scratch.parts == nullptr) work = plan_planes(p, Variant::traits, multiprocessors, false);
    work.plan.parts = scratch.parts;
    work.plan.tickets = scratch.tickets;
  }
  return work;
}

template <class Variant>
LaunchStatus launch_wgmma(const GemmProblem& p, Stream stream, const SplitOperands& planes, Gate gate) {
  using Tile = typename Variant::Tile;
  if (!has_wgmma()) return launch_not_supported;
  const PlannedPlanes work = planned_wgmma<Variant>(p, stream);
  return launch_overlapping<sgemm_planes<Tile>, PlaneRing<Tile>>(work.blocks, Tile::THREADS, stream, p, planes,
                                                                 work.plan, gate);
}

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// The product of two operands in TF32 on Hopper (sm_90a), like wgmma_product.cuh's of two images of planes, but an
// operand that lies along k and is aligned is read in place; only another one is written as planes before. wgmma wants
// both its factors along k, and it cuts FP32 off rather than rounds it: copies in place round on their way.
#pragma once

#include <algorithm>

#include "operand_maps.cuh"
#include "tensor_launch.cuh"
#include "wgmma_product.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- kernel

/// One thread's work: the slabs of all items of this block, as far ahead as the ring allows.
template <class Tile, OperandSource A, OperandSource B>
__device__ __forceinline__ void copy_items_from(PlaneRing<Tile>& ring, const SplitOperands& planes,
                                                const OperandMaps& maps, const PlanePlan& plan, int slabs) {
  static_assert(Tile::PARTS == 1 && !Tile::SCALED, "TF32 comes as one part, without scales");
  SlabCursor<Tile> cursor;
#pragma unroll 1
  for (std::int64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
    const PlaneItem at = plane_item<Tile>(plan, slabs, item);
    const ItemSource<Tile> source(planes, at);
    const int m0 = static_cast<int>(at.m0), n0 = static_cast<int>(at.n0), product = static_cast<int>(at.product);
#pragma unroll 1
    for (int slab = at.first_slab; slab < at.first_slab + at.slabs; ++slab, cursor.advance()) {
      unsigned char* const cells = ring.cells[cursor.stage()];
      StageBarrier& full = ring.full[cursor.stage()];
      ring.empty[cursor.stage()][0].wait_idly(cursor.parity() ^ 1);
      full.arrive_expecting(Tile::STAGE_BYTES);
      if constexpr (A == OperandSource::in_place) {
        copy_box(cells + Tile::B_BYTES, maps.a, slab * slab_k, m0, product, full);
      } else {
        bulk_copy(cells + Tile::B_BYTES, source.a + slab * source.a_slab_bytes, Tile::PART_BYTES, full);
      }
      if constexpr (B == OperandSource::in_place) {
        copy_box(cells, maps.b, slab * slab_k, n0, product, full);
      } else {
        bulk_copy(cells, source.b + slab * source.b_slab_bytes, Tile::B_BYTES, full);
      }
    }
  }
}

template <class Tile, OperandSource A, OperandSource B>
__global__ void __launch_bounds__(Tile::THREADS, 1)
    sgemm_tf32_in_place(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
                        const __grid_constant__ OperandMaps maps, const SplitOperands planes, const PlanePlan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char ring_bytes[];
  auto& ring = *reinterpret_cast<PlaneRing<Tile>*>(ring_bytes);
  init_ring(ring, plan);
  let_next_launch_begin();
  wait_for_previous_launch();
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  const int slabs = static_cast<int>((mainloop_k(first, s) + slab_k - 1) / slab_k);

  if (threadIdx.x >= Tile::CONSUMERS) {
    release_registers<Tile::PRODUCER_REGISTERS>();
    if (threadIdx.x == Tile::CONSUMERS) copy_items_from<Tile, A, B>(ring, planes, maps, plan, slabs);
  } else {
    claim_registers<Tile::CONSUMER_REGISTERS>();
    consume_items<PlaneSums<Tile>>(ring, first, layout, epilogue, s, plan, slabs);
  }
#endif
}

// ---------------------------------------------------------------------------------------- host side

/// Maps of the operands that can be read in place.
struct FoundOperands {
  std::optional<OperandMap> a;
  std::optional<OperandMap> b;
};

template <class Tile>
FoundOperands find_operands(const GemmProblem& p) {
  FoundOperands found;
  if (a_lies_along_k(p)) found.a = operand_map(a_along_k(p), {slab_k, Tile::BM});
  if (b_lies_along_k(p)) found.b = operand_map(b_along_k(p), {slab_k, Tile::BN});
  return found;
}

// Behind the launch that writes planes it may come early; alone it waits for whatever is on the stream.
template <class Variant, OperandSource A, OperandSource B>
LaunchStatus launch_from(const GemmProblem& p, Stream stream, const SplitOperands& planes, const OperandMaps& maps) {
  using Tile = typename Variant::Tile;
  const PlannedPlanes work = planned_wgmma<Variant>(p, stream);
  if constexpr (A == OperandSource::in_place && B == OperandSource::in_place) {
    return launch_blocks<sgemm_tf32_in_place<Tile, A, B>, PlaneRing<Tile>>(work.blocks, Tile::THREADS, stream, p, maps,
                                                                           planes, work.plan);
  } else {
    return launch_overlapping<sgemm_tf32_in_place<Tile, A, B>, PlaneRing<Tile>>(work.blocks, Tile::THREADS, stream, p,
                                                                                maps, planes, work.plan);
  }
}

// Writes the planes of one operand, of which there are none without k.
template <bool OF_A>
LaunchStatus launch_split_of_one(const GemmProblem& p, Stream stream, const SplitOperands& planes) {
  constexpr PlaneFormat tf32 = PlaneFormat::tf32;
  const std::int64_t products = (OF_A ? planes.a : planes.b).product_bytes == 0 ? 1 : p.batch;
  const SplitShare share = split_share(OF_A ? p.m : p.n, p.k, products);
  if (share.pieces == 0) return launch_ok;
  SplitShare nothing = share;
  nothing.pieces = 0;
  const SplitPlan plan{OF_A ? share : nothing, OF_A ? nothing : share, Gate::always};
  return launch_blocks<split_operands<tf32>, SplitSmem<tf32>>(share.pieces, SPLIT_THREADS, stream, p, planes, plan);
}

// One operand in place, the other one written as planes before.
template <class Variant, OperandSource A, OperandSource B>
LaunchStatus launch_half_split(const GemmProblem& p, Stream stream) {
  constexpr PlaneFormat tf32 = PlaneFormat::tf32;
  return launch_with_planes(p, stream, tf32, [stream](const GemmProblem& piece, const PlaneMemory& memory) {
    const SplitOperands planes = lay_out(piece, tf32, memory);
    const FoundOperands found = find_operands<typename Variant::Tile>(piece);
    if (!(A == OperandSource::in_place ? found.a : found.b)) return launch_not_supported;
    const OperandMaps maps{found.a.value_or(OperandMap{}), found.b.value_or(OperandMap{})};
    return launch_in_order([&] { return launch_split_of_one<A == OperandSource::planes>(piece, stream, planes); },
                           [&] { return launch_from<Variant, A, B>(piece, stream, planes, maps); });
  });
}

/// KernelConfig::launch of a variant: from operands in place as far as they allow it.
template <class Variant>
LaunchStatus launch_tf32_in_place(const GemmProblem& p, Stream stream) {
  if (!has_wgmma()) return launch_not_supported;
  const FoundOperands found = find_operands<typename Variant::Tile>(p);
  if (found.a && found.b) {
    return launch_from<Variant, OperandSource::in_place, OperandSource::in_place>(p, stream, {}, {*found.a, *found.b});
  }
  if (!found.a && !found.b) return launch_tf32<launch_wgmma<Variant>>(p, stream);
  return found.a ? launch_half_split<Variant, OperandSource::in_place, OperandSource::planes>(p, stream)
                 : launch_half_split<Variant, OperandSource::planes, OperandSource::in_place>(p, stream);
}

/// Cycles of a product, and of writing an operand as planes before.
template <class Variant>
double tf32_cycles(const GemmProblem& p, int multiprocessors, bool splits_a, bool splits_b) {
  constexpr double split_bytes_per_cycle = 13.8;   // of a multiprocessor: H200, 3.6 TB/s
  constexpr double memory_bytes_per_cycle = 14.0;  // the same, where operands are read alone: 3.7 TB/s
  constexpr double launch_cycles = 3000;           // of one more kernel
  constexpr double maps_cycles = 5000;             // until maps have brought the first slab, beyond what planes take
  const auto floats = [&p](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(p.batch);
  };
  const double split_floats = (splits_a ? floats(p.m, p.k) : 0.0) + (splits_b ? floats(p.n, p.k) : 0.0);
  const double split_cycles =
      split_floats > 0 ? launch_cycles + 2 * sizeof(float) * split_floats / (split_bytes_per_cycle * multiprocessors)
                       : 0.0;
  const double all_floats = floats(p.m, p.k) + floats(p.n, p.k) + floats(p.m, p.n);
  const double least_cycles = launch_cycles + sizeof(float) * all_floats / (memory_bytes_per_cycle * multiprocessors);
  return maps_cycles + split_cycles + std::max(least_cycles, wgmma_cycles<Variant>(p, multiprocessors));
}

/// KernelConfig::predicted_cycles of a variant.
template <class Variant>
double tf32_in_place_cycles(const GemmProblem& p, int multiprocessors) {
  return tf32_cycles<Variant>(p, multiprocessors, !a_lies_along_k(p), !b_lies_along_k(p));
}

}  // namespace ladder::LADDER_DEVICE

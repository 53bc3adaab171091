// SPDX-License-Identifier: MIT
// The product of two operands in TF32 on Hopper (sm_90a), one of which lies along m (n): its fragments go through
// registers (wgmma_register_sums.cuh). The other one is read in place where it lies along k, or else written as planes
// before.
#pragma once

#include "wgmma_in_place.cuh"
#include "wgmma_register_sums.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- kernel

/// One thread's work: the slabs of all items of this block, as far ahead as the ring allows. `left`: the operand for
/// registers; `right`: the other one, or its planes.
template <class Tile, OperandSource RIGHT>
__device__ __forceinline__ void copy_boxes(PlaneRing<Tile>& ring, const SplitOperands& planes, const OperandMap& left,
                                           const OperandMap& right, const PlanePlan& plan, int slabs) {
  SlabCursor<Tile> cursor;
#pragma unroll 1
  for (std::int64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
    const PlaneItem at = plane_item<Tile>(plan, slabs, item);
    const ItemSource<Tile> source(planes, at);
    const unsigned char* const cells = Tile::TURNED ? source.b : source.a;
    const std::int64_t slab_bytes = Tile::TURNED ? source.b_slab_bytes : source.a_slab_bytes;
    const int left0 = static_cast<int>(Tile::TURNED ? at.m0 : at.n0);
    const int right0 = static_cast<int>(Tile::TURNED ? at.n0 : at.m0);
    const int product = static_cast<int>(at.product);
#pragma unroll 1
    for (int slab = at.first_slab; slab < at.first_slab + at.slabs; ++slab, cursor.advance()) {
      unsigned char* const stage = ring.cells[cursor.stage()];
      StageBarrier& full = ring.full[cursor.stage()];
      ring.empty[cursor.stage()][0].wait_idly(cursor.parity() ^ 1);
      full.arrive_expecting(Tile::STAGE_BYTES);
      for (int box = 0; box < Tile::BOXES; ++box) {
        copy_box(stage + box * Tile::BOX_BYTES, left, left0 + box * Tile::BOX_ROWS, slab * slab_k, product, full);
      }
      if constexpr (RIGHT == OperandSource::in_place) {
        copy_box(stage + Tile::B_BYTES, right, slab * slab_k, right0, product, full);
      } else {
        bulk_copy(stage + Tile::B_BYTES, cells + slab * slab_bytes, Tile::PART_BYTES, full);
      }
    }
  }
}

template <class Tile, OperandSource RIGHT>
__global__ void __launch_bounds__(Tile::THREADS, 1)
    sgemm_tf32_registers(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
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
    if (threadIdx.x == Tile::CONSUMERS) {
      if constexpr (Tile::TURNED) {
        copy_boxes<Tile, RIGHT>(ring, planes, maps.a, maps.b, plan, slabs);
      } else {
        copy_boxes<Tile, RIGHT>(ring, planes, maps.b, maps.a, plan, slabs);
      }
    }
  } else {
    claim_registers<Tile::CONSUMER_REGISTERS>();
    consume_items<RegisterSums<Tile>>(ring, first, layout, epilogue, s, plan, slabs);
  }
#endif
}

// ---------------------------------------------------------------------------------------- host side

inline LinesOfOperand lines_along_m(const GemmProblem& p) { return {p.a, p.m, p.k, p.lda, p.batch, p.stride_a}; }
inline LinesOfOperand lines_along_n(const GemmProblem& p) { return {p.b, p.n, p.k, p.ldb, p.batch, p.stride_b}; }

/// B goes through registers where it can, so that C's neighbours are the instruction's.
inline bool takes_b_in_registers(const GemmProblem& p) {
  return p.op_b == Op::transpose && fits_map(lines_along_n(p), p);
}
inline bool takes_a_in_registers(const GemmProblem& p) {
  return !takes_b_in_registers(p) && p.op_a == Op::none && fits_map(lines_along_m(p), p);
}

/// The tile for rows of C in registers, and for columns of C.
template <int RIGHT, int STAGES, int PEAK_PERCENT>
struct RegisterVariants {
  using Turned = WgmmaVariant<RegisterTile<RIGHT, STAGES, true>, PEAK_PERCENT>;
  using Straight = WgmmaVariant<RegisterTile<RIGHT, STAGES, false>, PEAK_PERCENT>;
};

// Both operands' maps; that of planes stays empty. Nothing where the driver refuses.
template <class Tile>
std::optional<OperandMaps> register_maps(const GemmProblem& p, OperandSource right) {
  const auto left = operand_map(Tile::TURNED ? lines_along_m(p) : lines_along_n(p), {Tile::BOX_ROWS, slab_k});
  std::optional<OperandMap> other = OperandMap{};
  if (right == OperandSource::in_place) {
    other = operand_map(Tile::TURNED ? b_along_k(p) : a_along_k(p), {slab_k, Tile::PART});
  }
  if (!left || !other) return std::nullopt;
  return Tile::TURNED ? OperandMaps{*left, *other} : OperandMaps{*other, *left};
}

template <class Variant>
LaunchStatus launch_registers(const GemmProblem& p, Stream stream) {
  using Tile = typename Variant::Tile;
  constexpr OperandSource in_place = OperandSource::in_place, as_planes = OperandSource::planes;
  if (Tile::TURNED ? b_lies_along_k(p) : a_lies_along_k(p)) {
    const auto maps = register_maps<Tile>(p, in_place);
    if (!maps) return launch_not_supported;
    const PlannedPlanes work = planned_wgmma<Variant>(p, stream);
    return launch_blocks<sgemm_tf32_registers<Tile, in_place>, PlaneRing<Tile>>(work.blocks, Tile::THREADS, stream, p,
                                                                                *maps, SplitOperands{}, work.plan);
  }
  constexpr PlaneFormat tf32 = PlaneFormat::tf32;
  return launch_with_planes(p, stream, tf32, [stream](const GemmProblem& piece, const PlaneMemory& memory) {
    const SplitOperands planes = lay_out(piece, tf32, memory);
    const auto maps = register_maps<Tile>(piece, as_planes);
    if (!maps) return launch_not_supported;
    const PlannedPlanes work = planned_wgmma<Variant>(piece, stream);
    return launch_in_order([&] { return launch_split_of_one<!Tile::TURNED>(piece, stream, planes); },
                           [&] {
                             return launch_overlapping<sgemm_tf32_registers<Tile, as_planes>, PlaneRing<Tile>>(
                                 work.blocks, Tile::THREADS, stream, piece, *maps, planes, work.plan);
                           });
  });
}

/// KernelConfig::launch of a pair of variants.
template <class Variants>
LaunchStatus launch_tf32_registers(const GemmProblem& p, Stream stream) {
  if (!has_wgmma()) return launch_not_supported;
  if (takes_b_in_registers(p)) return launch_registers<typename Variants::Straight>(p, stream);
  return takes_a_in_registers(p) ? launch_registers<typename Variants::Turned>(p, stream) : launch_not_supported;
}

/// KernelConfig::predicted_cycles of a pair of variants. Products without k may come without operands, which no map
/// takes.
template <class Variants>
double tf32_registers_cycles(const GemmProblem& p, int multiprocessors) {
  if (p.a == nullptr || p.b == nullptr) return std::numeric_limits<double>::infinity();
  if (takes_b_in_registers(p)) {
    return tf32_cycles<typename Variants::Straight>(p, multiprocessors, !a_lies_along_k(p), false);
  }
  if (takes_a_in_registers(p)) {
    return tf32_cycles<typename Variants::Turned>(p, multiprocessors, false, !b_lies_along_k(p));
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// The first kernel of a product on the tensor cores: writes both operands of all products as planes (planes.hpp), and
// finds out whether their values let the tensor cores stand in for FP32 FMAs (range_facts.cuh).
//
// A block takes 64 rows by 64 k of one operand through shared memory (split_stage.cuh), whichever way they lie. Each
// warp then splits eight rows, a cell for each slab, and writes whole lines of memory. It is bound by memory: blocks
// are small, so that many are on a multiprocessor, some waiting for what they read while others write.
#pragma once

#include <algorithm>

#include "device_traits.cuh"
#include "range_facts.cuh"
#include "split_element.cuh"
#include "split_stage.cuh"

namespace ladder::LADDER_DEVICE {

/// The pieces of one operand.
struct SplitShare {
  std::uint32_t row_pieces;
  std::uint32_t k_pieces;
  std::uint32_t pieces;  ///< of all products that have planes of their own
};

struct SplitPlan {
  SplitShare a;
  SplitShare b;
  Gate gate;
};

/// What a lane has found out.
struct LaneFacts {
  std::uint32_t largest = 0;  ///< |element|, as bits
  bool beyond = false;        ///< no scale lets two planes of fp16 hold a row
};

/// Blocks that share a multiprocessor: as many as there are registers for.
template <PlaneFormat FORMAT>
inline constexpr int split_blocks = resident_blocks<SPLIT_THREADS>(6);

template <PlaneFormat FORMAT>
struct SplitSmem {
  static constexpr unsigned CHUNK = chunk_bytes / plane_layout(FORMAT).element_bytes;

  SplitStage<CHUNK> stage;
  std::uint32_t largest[SPLIT_WARPS];
  std::uint32_t beyond[SPLIT_WARPS];
};

/// What a block does.
struct SplitPiece {
  bool is_b;
  std::int64_t product;
  std::int64_t row0;
  std::int64_t k0;
};

__device__ __forceinline__ SplitPiece locate_piece(const GemmProduct& p, const SplitPlan& plan,
                                                   std::uint32_t piece_of_both) {
  SplitPiece piece;
  piece.is_b = piece_of_both >= plan.a.pieces;
  const bool k_major = piece.is_b ? p.op_b == Op::none : p.op_a == Op::transpose;
  const std::uint32_t piece_of_operand = piece.is_b ? piece_of_both - plan.a.pieces : piece_of_both;
  const std::uint32_t row_pieces = piece.is_b ? plan.b.row_pieces : plan.a.row_pieces;
  const std::uint32_t k_pieces = piece.is_b ? plan.b.k_pieces : plan.a.k_pieces;
  const std::uint32_t pieces = row_pieces * k_pieces;
  const std::uint32_t number = piece_of_operand % pieces;
  const std::uint32_t minors = k_major ? k_pieces : row_pieces;  // neighbours in memory follow each other
  const std::uint32_t minor = number % minors;
  const std::uint32_t major = number / minors;
  piece.product = piece_of_operand / pieces;
  piece.row0 = std::int64_t{k_major ? major : minor} * SPLIT_EXTENT;
  piece.k0 = std::int64_t{k_major ? minor : major} * SPLIT_EXTENT;
  return piece;
}

/// By parts: the compiler would copy the kernel's parameters to choose between two of them.
__device__ __forceinline__ PlaneImage image_of(const SplitOperands& planes, bool is_b) {
  PlaneImage image;
  image.cells = is_b ? planes.b.cells : planes.a.cells;
  image.scales = is_b ? planes.b.scales : planes.a.scales;
  image.row_cells = is_b ? planes.b.row_cells : planes.a.row_cells;
  image.slabs = is_b ? planes.b.slabs : planes.a.slabs;
  image.product_bytes = is_b ? planes.b.product_bytes : planes.a.product_bytes;
  image.product_scales = is_b ? planes.b.product_scales : planes.a.product_scales;
  return image;
}

__device__ __forceinline__ SplitSource source_of(const GemmProduct& p, const BatchLayout& layout,
                                                 const SplitPiece& piece) {
  const auto extent = [](std::int64_t left) { return static_cast<int>(left < SPLIT_EXTENT ? left : SPLIT_EXTENT); };
  SplitSource source;
  source.k_major = piece.is_b ? p.op_b == Op::none : p.op_a == Op::transpose;
  source.ld = piece.is_b ? p.ldb : p.lda;
  source.rows = extent((piece.is_b ? p.n : p.m) - piece.row0);
  source.ks = extent(p.k - piece.k0);
  source.origin = piece.is_b ? b_at(p, layout, piece.product) : a_at(p, layout, piece.product);
  source.origin += source.k_major ? piece.k0 + piece.row0 * source.ld : piece.row0 + piece.k0 * source.ld;
  return source;
}

/// Writes a lane's elements of a row and a slab into their cell.
template <PlaneFormat FORMAT>
__device__ __forceinline__ void write_planes(const float* x, float factor, unsigned char* cell, int row, int lane) {
  constexpr PlaneLayout layout = plane_layout(FORMAT);
  constexpr unsigned CHUNK = SplitSmem<FORMAT>::CHUNK;
#pragma unroll
  for (unsigned i = 0; i < elements_of_lane; i += CHUNK) {
    std::uint32_t words[layout.planes][chunk_bytes / sizeof(std::uint32_t)];
    if constexpr (FORMAT == PlaneFormat::tf32) {
#pragma unroll
      for (unsigned j = 0; j < CHUNK; ++j) words[0][j] = round_to_tf32(x[i + j]);
    } else {
#pragma unroll
      for (unsigned j = 0; j < CHUNK / 2; ++j) {
        std::uint32_t pairs[layout.planes];
        split_pair(__fmul_rn(x[i + 2 * j], factor), __fmul_rn(x[i + 2 * j + 1], factor), pairs);
#pragma unroll
        for (int plane = 0; plane < layout.planes; ++plane) words[plane][j] = pairs[plane];
      }
    }
    const int k = static_cast<int>(SplitStage<CHUNK>::k_of(i, static_cast<unsigned>(lane)));
#pragma unroll
    for (int plane = 0; plane < layout.planes; ++plane) {
      store_chunk(cell + place_in_cell(layout, plane, row, k), words[plane]);
    }
  }
}

/// Splits a row of the piece, both slabs of it, by its lanes; all lanes of the warp together. What is beyond the image
/// is not written. Returns what the lane has found.
template <PlaneFormat FORMAT>
__device__ __forceinline__ LaneFacts split_row(const SplitSmem<FORMAT>& smem, bool k_major, const PlaneImage& image,
                                               const SplitPiece& piece) {
  constexpr unsigned elements = SPLIT_SLABS * elements_of_lane;
  const unsigned row = threadIdx.x / lanes_of_row;
  const unsigned lane = threadIdx.x % lanes_of_row;
  float x[elements];
#pragma unroll
  for (unsigned slab = 0; slab < SPLIT_SLABS; ++slab) {
    smem.stage.read(k_major, row, slab, lane, x + slab * elements_of_lane);
  }

  // What the elements have in common
  LaneFacts found;
  if constexpr (FORMAT != PlaneFormat::tf32) {
    float largest = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < elements; ++i) largest = larger_magnitude(largest, x[i]);
    found.largest = bits_of(largest);
  }
  float factor = bf16x3_factor;
  const std::int64_t row_cell = piece.row0 / rows_of_cell + row / rows_of_cell;
  const bool has_cell = row_cell < image.row_cells;
  if constexpr (FORMAT == PlaneFormat::fp16x2) {
    const RowScale scale = row_scale(largest_in_lanes<lanes_of_row>(found.largest));
    const std::uint32_t losses = sum_in_lanes<lanes_of_row>(count_below(x, scale.kept_from));
    found.beyond = scale.beyond || losses >= losses_limit;
    factor = scale.factor;
    if (has_cell && lane == 0) {
      image.scales[piece.product * image.product_scales + piece.k0 / scaled_k * image.rows() + piece.row0 + row] =
          scale.scale;
    }
  }

  // The planes
  unsigned char* const cells = image.cells + piece.product * image.product_bytes;
#pragma unroll
  for (unsigned slab = 0; slab < SPLIT_SLABS; ++slab) {
    const std::int64_t slab_number = piece.k0 / slab_k + slab;
    if (!has_cell || slab_number >= image.slabs) continue;
    unsigned char* const cell = cells + (slab_number * image.row_cells + row_cell) * plane_layout(FORMAT).cell_bytes;
    write_planes<FORMAT>(x + slab * elements_of_lane, factor, cell, static_cast<int>(row % rows_of_cell),
                         static_cast<int>(lane));
  }
  return found;
}

/// Adds what the block's threads have found, all of them together, to what is known of the operand.
template <PlaneFormat FORMAT>
__device__ __forceinline__ void report(SplitSmem<FORMAT>& smem, const LaneFacts& found, RangeFacts* facts, bool is_b) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const std::uint32_t largest = largest_in_lanes<warp_size>(found.largest);
  const std::uint32_t beyond = FORMAT == PlaneFormat::fp16x2 ? largest_in_lanes<warp_size>(found.beyond) : 0;
  if (threadIdx.x % warp_size == 0) smem.largest[warp] = largest, smem.beyond[warp] = beyond;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t largest_of_block = 0;
  std::uint32_t beyond_of_block = 0;
  for (int i = 0; i < SPLIT_WARPS; ++i) {
    largest_of_block = smem.largest[i] > largest_of_block ? smem.largest[i] : largest_of_block;
    beyond_of_block |= smem.beyond[i];
  }
  if (largest_of_block != 0) raise_to(is_b ? &facts->largest_b : &facts->largest_a, largest_of_block);
  if (beyond_of_block != 0) raise_to(&facts->beyond_fp16, beyond_of_block);
}

template <PlaneFormat FORMAT>
__global__ void __launch_bounds__(SPLIT_THREADS, split_blocks<FORMAT>)
    split_operands(const GemmProduct first, const BatchLayout layout, const Epilogue, const SplitOperands planes,
                   const SplitPlan plan) {
  wait_for_previous_launch();
  let_next_launch_begin();
  const std::int64_t k = mainloop_k(first, load_scalars(first));
  if (k == 0 || (plan.gate == Gate::unless_fp16 && serves_fp16x2(planes.facts, k))) return;

  // Locate a piece, load it, split it
  auto& smem = block_smem<SplitSmem<FORMAT>>();
  const std::uint32_t pieces = plan.a.pieces + plan.b.pieces;
#pragma unroll 1
  for (std::uint32_t number = blockIdx.x; number < pieces; number += gridDim.x) {
    const SplitPiece piece = locate_piece(first, plan, number);
    const SplitSource source = source_of(first, layout, piece);
    smem.stage.fetch(source);
    wait_for_copies<0>();
    __syncthreads();
    const LaneFacts found = split_row(smem, source.k_major, image_of(planes, piece.is_b), piece);
    if constexpr (FORMAT != PlaneFormat::tf32) report(smem, found, planes.facts, piece.is_b);
    __syncthreads();
  }
}

// ---------------------------------------------------------------------------------------- host side

inline SplitShare split_share(std::int64_t rows, std::int64_t k, std::int64_t products) {
  const std::int64_t row_pieces = ceil_div(rows, SPLIT_EXTENT);
  const std::int64_t k_pieces = ceil_div(k, SPLIT_EXTENT);
  return {static_cast<std::uint32_t>(row_pieces), static_cast<std::uint32_t>(k_pieces),
          static_cast<std::uint32_t>(row_pieces * k_pieces * products)};
}

/// Enqueues the kernel that writes the planes of all products: a block for each piece, after all that is on the stream,
/// which may be no kernel. Behind rung 12, where most launches find nothing to do: as many blocks as are resident at
/// once, which may come early. `planes` are laid out for the problem (plane_plan.hpp);
/// where an image's product_bytes is 0, all products have the operand of the first one. Where alpha or k is 0, the
/// planes stay as they are, and so do those of an operand that is known.
template <PlaneFormat FORMAT>
LaunchStatus launch_split(const GemmProblem& p, Stream stream, const SplitOperands& planes, Gate gate = Gate::always,
                          const KnownFacts& known = {}) {
  const auto products = [&p](const PlaneImage& image) { return image.product_bytes == 0 ? 1 : p.batch; };
  SplitPlan plan{split_share(p.m, p.k, products(planes.a)), split_share(p.n, p.k, products(planes.b)), gate};
  if (known.a != nullptr) plan.a.pieces = 0;
  if (known.b != nullptr) plan.b.pieces = 0;
  const std::int64_t pieces = std::int64_t{plan.a.pieces} + plan.b.pieces;
  if (pieces == 0) return launch_ok;
  if (gate == Gate::always) {
    return launch_blocks<split_operands<FORMAT>, SplitSmem<FORMAT>>(pieces, SPLIT_THREADS, stream, p, planes, plan);
  }
  const std::int64_t at_once = std::int64_t{split_blocks<FORMAT>} * std::max(1, device_traits().multiprocessors);
  return launch_overlapping<split_operands<FORMAT>, SplitSmem<FORMAT>>(std::min(pieces, at_once), SPLIT_THREADS, stream,
                                                                       p, planes, plan);
}

}  // namespace ladder::LADDER_DEVICE

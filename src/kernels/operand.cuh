// SPDX-License-Identifier: MIT
// How a block finds its tile of C and its panels of op(A) and op(B), whatever the ops are.
#pragma once

#include <type_traits>

#include "scalars.cuh"
#include "tile_shape.hpp"

namespace ladder::LADDER_DEVICE {

/// The direction in which an operand's elements are neighbours in memory: along m (op(A)) or n (op(B)),
/// or along k. A is mn-major as stored and k-major transposed; B the other way round.
enum class Major : std::uint8_t { mn, k };

/// No block tile is as wide as this.
inline constexpr std::int64_t panel_limit = 1 << 20;

/// The rows of op(A), or columns of op(B), that a block needs: element (mn, k), counted from its first one.
template <Major MAJOR>
struct Panel {
  const float* origin;  ///< element (0, 0)
  std::int64_t ld;      ///< elements between two lines; a line is contiguous
  int mn_extent;        ///< how far the operand goes on from here, up to `panel_limit`
  std::int64_t k_extent;
  bool quads_aligned;  ///< every fourth element of a line may be accessed as 128 bits

  __device__ __forceinline__ const float* at(std::int64_t mn, std::int64_t k) const {
    return MAJOR == Major::mn ? origin + mn + k * ld : origin + k + mn * ld;
  }

  /// Moves the panel `steps` of k on.
  __device__ __forceinline__ void advance(int steps) {
    origin = at(0, steps);
    k_extent -= steps;
  }
};

/// True where every fourth element of every line that starts at `origin` is aligned for a 128-bit access.
__host__ __device__ __forceinline__ bool quads_aligned(const float* origin, std::int64_t ld) {
  return reinterpret_cast<std::uintptr_t>(origin) % sizeof(float4) == 0 && ld % vec == 0;
}

__device__ __forceinline__ int panel_extent(std::int64_t left) {
  return static_cast<int>(left < panel_limit ? left : panel_limit);
}

/// The same for every product of a batch, as far as the host knows: not where the addresses lie in arrays. `stride`: to
/// the next one.
__host__ __device__ __forceinline__ bool quads_in_batch(const BatchLayout& layout, const float* first, std::int64_t ld,
                                                        std::int64_t stride) {
  return layout.c_array == nullptr && quads_aligned(first, ld) && (layout.batch == 1 || stride % vec == 0);
}

/// A, B and C of product number `product` of the batch. Where addresses lie in arrays, those of A and B may be missing
/// if nothing is read.
__device__ __forceinline__ const float* a_at(const GemmProduct& first, const BatchLayout& layout,
                                             std::int64_t product) {
  if (layout.c_array == nullptr) return first.a + product * layout.stride_a;
  return in_global_memory(layout.a_array[product]);
}
__device__ __forceinline__ const float* b_at(const GemmProduct& first, const BatchLayout& layout,
                                             std::int64_t product) {
  if (layout.c_array == nullptr) return first.b + product * layout.stride_b;
  return in_global_memory(layout.b_array[product]);
}
__device__ __forceinline__ float* c_at(const GemmProduct& first, const BatchLayout& layout, std::int64_t product) {
  if (layout.c_array == nullptr) return first.c + product * layout.stride_c;
  return in_global_memory(layout.c_array[product]);
}

/// Product number `product` of the batch.
__device__ __forceinline__ GemmProduct product_at(const GemmProduct& first, const BatchLayout& layout,
                                                  std::int64_t product) {
  GemmProduct p = first;
  p.c = c_at(first, layout, product);
  p.a = p.b = p.c;  // where nothing is read, any address will do
  if (layout.c_array == nullptr || load_scalars(first).alpha != 0.0f) {
    p.a = a_at(first, layout, product);
    p.b = b_at(first, layout, product);
  }
  return p;
}

/// The number of the product that this block has a share in: blockIdx.y and .z count the batch.
__device__ __forceinline__ std::int64_t product_number() {
  return static_cast<std::int64_t>(gridDim.y) * blockIdx.z + blockIdx.y;
}

/// This block is one of those that the grid has too many.
__device__ __forceinline__ bool is_beyond(const BatchLayout& layout) { return product_number() >= layout.batch; }

/// The product that this block has a share in.
__device__ __forceinline__ GemmProduct product_of_block(const GemmProduct& first, const BatchLayout& layout) {
  return product_at(first, layout, product_number());
}

/// Whether a kernel is compiled for every problem, or for those alone whose matrices lie a stride apart and whose
/// epilogue is plain. In some kernels the compiler makes less of the mainloop where it sees the arrays, and what else
/// an epilogue may do: rungs 2 and 8 lost 24 % and 8 %, narrow and small problems of rung 9 about 5 %.
enum class Form : std::uint8_t { plain, general };

/// The product that this block has a share in. A block beyond the last one gets a product that leaves C alone where
/// FORM is plain, and otherwise asks is_beyond().
template <Form FORM>
__device__ __forceinline__ GemmProduct product_in(const GemmProduct& first, const BatchLayout& layout) {
  if constexpr (FORM == Form::general) return product_of_block(first, layout);
  const std::int64_t product = product_number();
  GemmProduct p = first;
  p.a += product * layout.stride_a;
  p.b += product * layout.stride_b;
  p.c += product * layout.stride_c;
  if (product >= layout.batch) {
    p.alpha = {nullptr, 0.0f};
    p.beta = {nullptr, 1.0f};
  }
  return p;
}

/// What the kernel was launched with; where FORM is plain, the compiler sees that there are no arrays of addresses.
template <Form FORM>
__device__ __forceinline__ BatchLayout layout_in(const BatchLayout& layout) {
  if constexpr (FORM == Form::general) return layout;
  return {layout.batch, layout.stride_a, layout.stride_b, layout.stride_c};
}

/// The same: that there is nothing beside alpha and beta.
template <Form FORM>
__device__ __forceinline__ Epilogue epilogue_in(const Epilogue& epilogue) {
  if constexpr (FORM == Form::general) return epilogue;
  return {};
}

/// The part of C that a block computes. How far C goes on from its corner is known up to `panel_limit`.
struct BlockTile {
  std::int64_t m0;  ///< first row of C
  std::int64_t n0;  ///< first column of C
  int rows;         ///< rows of C from m0 on
  int columns;      ///< columns of C from n0 on
};

/// The tile whose corner is (m0, n0).
__device__ __forceinline__ BlockTile tile_at(const GemmProduct& p, std::int64_t m0, std::int64_t n0) {
  return {m0, n0, panel_extent(p.m - m0), panel_extent(p.n - n0)};
}

/// Blocks of a one-dimensional grid over C.
template <class Tile>
std::int64_t tile_count(const GemmProblem& p) {
  return ceil_div(p.m, Tile::BM) * ceil_div(p.n, Tile::BN);
}

/// The order in which the blocks of a grid walk over C: down its columns of tiles, neighbours sharing a panel
/// of B, or along its rows of tiles, sharing a panel of A.
enum class Walk : std::uint8_t { along_m, along_n };

/// Tile of this block.
template <class Tile, Walk WALK = Walk::along_m>
__device__ __forceinline__ BlockTile locate_tile(const GemmProduct& p) {
  const std::int64_t tiles = WALK == Walk::along_m ? (p.m + Tile::BM - 1) / Tile::BM : (p.n + Tile::BN - 1) / Tile::BN;
  const std::uint32_t minor = blockIdx.x % static_cast<std::uint32_t>(tiles);
  const std::uint32_t major = blockIdx.x / static_cast<std::uint32_t>(tiles);
  const std::int64_t tile_m = WALK == Walk::along_m ? minor : major;
  const std::int64_t tile_n = WALK == Walk::along_m ? major : minor;
  return tile_at(p, tile_m * Tile::BM, tile_n * Tile::BN);
}

/// Rows m0 and on of op(A), k_extent deep.
template <Major MAJOR>
__device__ __forceinline__ Panel<MAJOR> panel_of_a(const GemmProduct& p, std::int64_t m0, std::int64_t k_extent) {
  const float* origin = p.a + (MAJOR == Major::mn ? m0 : m0 * p.lda);
  return {origin, p.lda, panel_extent(p.m - m0), k_extent, quads_aligned(origin, p.lda)};
}

/// Columns n0 and on of op(B), k_extent deep.
template <Major MAJOR>
__device__ __forceinline__ Panel<MAJOR> panel_of_b(const GemmProduct& p, std::int64_t n0, std::int64_t k_extent) {
  const float* origin = p.b + (MAJOR == Major::mn ? n0 : n0 * p.ldb);
  return {origin, p.ldb, panel_extent(p.n - n0), k_extent, quads_aligned(origin, p.ldb)};
}

/// Calls step(k) for the k of one slab, in order; unrolled UNROLL times where the slab is full. The last,
/// partial slab runs its own steps and no more: a padded step of zeros could turn a sum of -0 into +0.
template <int BK, int UNROLL = BK, class Step>
__device__ __forceinline__ void for_each_k(std::int64_t k_left, const Step& step) {
  if (k_left >= BK) {
#pragma unroll UNROLL
    for (int k = 0; k < BK; ++k) step(k);
  } else {
#pragma unroll 1
    for (int k = 0; k < static_cast<int>(k_left); ++k) step(k);
  }
}

/// Turns the form of the problem into a template argument: calls launch_with(form), an integral constant of Form. The
/// emulator, whose time does not matter, compiles the general one alone.
template <class LaunchWith>
LaunchStatus with_form(const GemmProblem& p, const LaunchWith& launch_with) {
#if !defined(LADDER_EMULATED)
  if (p.is_plain() && p.c_array == nullptr) return launch_with(std::integral_constant<Form, Form::plain>{});
#endif
  static_cast<void>(p);
  return launch_with(std::integral_constant<Form, Form::general>{});
}

/// Turns the run-time ops into template arguments: calls launch_with(a, b), two integral constants of Major.
template <class LaunchWith>
LaunchStatus with_majors(const GemmProblem& p, const LaunchWith& launch_with) {
  using Mn = std::integral_constant<Major, Major::mn>;
  using K = std::integral_constant<Major, Major::k>;
  const bool a_mn = p.op_a == Op::none;
  const bool b_mn = p.op_b == Op::transpose;
  if (a_mn) return b_mn ? launch_with(Mn{}, Mn{}) : launch_with(Mn{}, K{});
  return b_mn ? launch_with(K{}, Mn{}) : launch_with(K{}, K{});
}

}  // namespace ladder::LADDER_DEVICE

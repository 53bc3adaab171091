// SPDX-License-Identifier: MIT
// r09_outer_product.cu: k is so small that C is most of what there is to move.
//
// A thread keeps all of k of its rows of op(A) in registers and walks along the columns of C with them. The columns of
// op(B) lie in shared memory, so that one 128-bit read, the same for a whole warp, gives four k of a column: a column
// costs a thread its FMAs, k / 4 reads and one 128-bit store.
// Tile: 512 rows x as many columns as leave no round of blocks half empty.
// Cost: up to 128 registers for op(A). Limit: the memory's write rate up to k = 16, shared memory's reads above.
#include <algorithm>
#include <limits>

#include "device_traits.cuh"
#include "outer_product.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr int COLUMNS_OF_A_THREAD = 32;  // spread the cost of loading its rows

struct OuterPlan {
  std::uint32_t row_blocks;   ///< blocks along m
  std::uint32_t row_threads;  ///< threads along m in a block; the others are further groups of columns
  int columns;                ///< of a block
};

template <class Tile, Major MAJOR_A, bool QUADS, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(Tile::RESIDENT))
    sgemm_outer_product(const GemmProduct first, const BatchLayout layout, const Epilogue given, const OuterPlan plan) {
  if (FORM == Form::general && is_beyond(layout)) return;
  const GemmProduct p = product_in<FORM>(first, layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  OuterSmem<Tile, MAJOR_A>& smem = block_smem<OuterSmem<Tile, MAJOR_A>>();
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate tile
  const int block_rows = Tile::ROWS * static_cast<int>(plan.row_threads);
  const BlockTile block = tile_at(p, static_cast<std::int64_t>(blockIdx.x % plan.row_blocks) * block_rows,
                                  static_cast<std::int64_t>(blockIdx.x / plan.row_blocks) * plan.columns);
  const int columns = block.columns < plan.columns ? block.columns : plan.columns;
  const int row_threads = static_cast<int>(plan.row_threads);
  const int group = static_cast<int>(threadIdx.x) / row_threads;
  const int groups = Tile::THREADS / row_threads;
  const ThreadRows<QUADS> rows(static_cast<int>(threadIdx.x % plan.row_threads), static_cast<int>(plan.row_threads),
                               block.rows);

  // Load
  const int k_extent = static_cast<int>(mainloop_k(p, s));
  if (threadIdx.x == 0) smem.landed.init(Tile::THREADS);
  RowsOfA<Tile> a;
  if constexpr (MAJOR_A == Major::mn) {
    load_rows<Tile>(a, p.a + block.m0 + rows.first, p.lda, rows, k_extent);
  } else {
    stage_rows<Tile>(smem, panel_of_a<Major::k>(p, block.m0, k_extent), block_rows);
  }
  stage_columns<Tile>(smem.b, p, block.n0, columns, k_extent);
  __syncthreads();
  smem.landed.arrive_when_copies_land();
  smem.landed.wait(0);
  if constexpr (MAJOR_A == Major::k) take_rows<Tile>(a, smem, rows);
  if (rows.left <= 0) return;

  // Compute and store
  const auto walk = [&](const Scalars& scalars) {
    const std::int64_t c_step = groups * p.ldc;
    float* c = p.c + block.m0 + rows.first + (block.n0 + group) * p.ldc;
    int column = group;
#pragma unroll 1
    for (; column + (Tile::AT_ONCE - 1) * groups < columns; column += Tile::AT_ONCE * groups) {
      compute_columns<Tile::AT_ONCE, Tile>(scalars, a, smem.b[column], groups * Tile::DEPTH, c, c_step, rows);
      c += Tile::AT_ONCE * c_step;
    }
#pragma unroll 1
    for (; column < columns; column += groups) {
      compute_columns<1, Tile>(scalars, a, smem.b[column], 0, c, 0, rows);
      c += c_step;
    }
  };
  if (s.beta == 0.0f) {
    walk({s.alpha, 0.0f});  // a constant: the compiler drops what blend() does with C
  } else {
    walk(s);
  }
  if (epilogue.is_plain() || group >= columns) return;

  // The rest of the epilogue. What the loops above did not need stays out of their registers.
  constexpr int PIECES = QUADS ? 1 : Tile::ROWS;  // of a column that lie apart
  const int thread = computed_again(static_cast<int>(threadIdx.x));
  const ThreadRows<QUADS> own(thread % row_threads, row_threads, block.rows);
  const int column0 = thread / row_threads;
  finish_quads(epilogue, p, product_number(), (columns - column0 + groups - 1) / groups * PIECES, [&](int piece) {
    const int i = piece % PIECES;
    const std::int64_t n = block.n0 + column0 + piece / PIECES * groups;
    return QuadPlace{block.m0 + own.first + i * own.step, n, QUADS ? vec : own.has(i) ? 1 : 0};
  });
}

// ---------------------------------------------------------------------------------------- host side

constexpr int largest_k = 32;

/// Calls use(tile) with the tile for this k.
template <class Use>
auto with_outer_tile(std::int64_t k, const Use& use) {
  if (k <= 4) return use(OuterTile<4, 8, 4>{});
  if (k <= 8) return use(OuterTile<8, 8, 2>{});
  if (k <= 12) return use(OuterTile<12, 6, 2>{});
  if (k <= 16) return use(OuterTile<16, 4, 2>{});
  return use(OuterTile<32, 3, 2>{});
}

template <class Tile>
OuterPlan plan_of(const GemmProblem& p, int multiprocessors) {
  std::int64_t row_threads = 1;
  while (row_threads < Tile::THREADS && row_threads * Tile::ROWS < p.m) row_threads *= 2;
  const std::int64_t groups = Tile::THREADS / row_threads;
  const std::int64_t row_blocks = ceil_div(p.m, Tile::ROWS * row_threads);
  const std::int64_t most = std::min<std::int64_t>(Tile::COLUMNS, COLUMNS_OF_A_THREAD * groups);
  // As many blocks as fill the rounds that blocks of `most` columns need.
  const std::int64_t slots = std::int64_t{multiprocessors} * Tile::RESIDENT;
  const std::int64_t rounds = ceil_div(row_blocks * p.batch * ceil_div(p.n, most), slots);
  const std::int64_t column_blocks = std::max<std::int64_t>(1, rounds * slots / (row_blocks * p.batch));
  const std::int64_t columns = std::clamp(ceil_div(p.n, column_blocks), std::min(groups, most), most);
  return {static_cast<std::uint32_t>(row_blocks), static_cast<std::uint32_t>(row_threads), static_cast<int>(columns)};
}

bool allows_quads(const GemmProblem& p) {
  if (p.m % vec != 0) return false;
  return (p.op_a == Op::transpose || quads_in_batch(p, p.a, p.lda, p.stride_a)) &&
         quads_in_batch(p, p.c, p.ldc, p.stride_c);
}

template <class Tile, Major MAJOR_A, bool QUADS>
LaunchStatus launch_tile(const GemmProblem& p, Stream stream) {
  const OuterPlan plan = plan_of<Tile>(p, std::max(1, device_traits().multiprocessors));
  return with_form(p, [&](auto form) {
    return launch<sgemm_outer_product<Tile, MAJOR_A, QUADS, form()>, OuterSmem<Tile, MAJOR_A>>(
        plan.row_blocks * ceil_div(p.n, plan.columns), Tile::THREADS, stream, p, plan);
  });
}

}  // namespace

LaunchStatus launch_outer_product(const GemmProblem& p, Stream stream) {
  if (p.k > largest_k) return launch_not_supported;
  return with_outer_tile(p.k, [&](auto tile) {
    using Tile = decltype(tile);
    const bool a_mn = p.op_a == Op::none;
    if (allows_quads(p)) {
      return a_mn ? launch_tile<Tile, Major::mn, true>(p, stream) : launch_tile<Tile, Major::k, true>(p, stream);
    }
    return a_mn ? launch_tile<Tile, Major::mn, false>(p, stream) : launch_tile<Tile, Major::k, false>(p, stream);
  });
}

double outer_product_cycles(const GemmProblem& p, int multiprocessors) {
  if (p.k > largest_k) return std::numeric_limits<double>::infinity();
  return with_outer_tile(p.k, [&](auto tile) {
    using Tile = decltype(tile);
    constexpr double start = 4500;        // the launch, and one trip to memory before the first store
    constexpr double bytes_a_cycle = 14;  // of a multiprocessor's share of the memory's 16
    constexpr double block_cycles = 2500 + 175 * Tile::DEPTH;  // of a block with next to nothing to do
    constexpr double fmas_a_cycle = 128 * 0.58;
    constexpr int store_steps = 8;  // instructions of a store and its blend, counted like steps of k
    const OuterPlan plan = plan_of<Tile>(p, multiprocessors);
    const double passes_of_c = p.beta.device != nullptr || p.beta.value != 0.0f ? 2 : 1;
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double bytes = sizeof(float) * static_cast<double>(p.batch) * (m * n * passes_of_c + m * k + k * n);
    const double blocks = static_cast<double>(plan.row_blocks * ceil_div(p.n, plan.columns) * p.batch);
    const double fmas_of_a_block = static_cast<double>(ceil_div(plan.columns * plan.row_threads, Tile::THREADS)) *
                                   Tile::THREADS * Tile::ROWS * (Tile::DEPTH + store_steps);
    const double share = std::max(1.0, blocks / multiprocessors);
    const double rounds = std::max(1.0, share / Tile::RESIDENT);
    return start + std::max({bytes / (bytes_a_cycle * multiprocessors), share * fmas_of_a_block / fmas_a_cycle,
                             rounds * block_cycles});
  });
}

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// r08_warp_tiled — a warp tile between the block tile and the thread tile.
//
// Over r06: a warp's lanes no longer stretch over the whole block tile but own a 64 x 64 part of it, 8 lanes
// by 4. All 32 lanes together read 128 floats for each k, six quads a lane without a bank conflict, which feed
// a thread tile twice as large; rows are padded, so the transposing stores are free of conflicts too.
// Tile: BM x BN x BK = 128 x 128 x 16, warp tile 64 x 64, thread tile 8 x 16, 4 warps.
// Limit: few warps to hide latency behind, and every slab is still waited for; r09 sends it ahead.
// Reference: Boehm 2022, kernel 10; the hierarchy: NVIDIA CUTLASS, "Efficient GEMM in CUDA".
#include "load_tile.cuh"
#include "thread_quads.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = WarpTileShape<128, 128, 16, 64, 64, 8, 16>;
using Results = ThreadQuads<Tile::TM, Tile::TN, Tile::LANES_M * vec, Tile::LANES_N * vec>;
constexpr int unrolled_k = 8;

template <Major A_MAJOR, Major B_MAJOR>
struct WarpTiles {
  KRowTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS, PaddedRows> a;
  KRowTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS, PaddedRows> b;
};

template <Major A_MAJOR, Major B_MAJOR, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_warp_tiled(const GemmProduct first, const BatchLayout layout, const Epilogue given) {
  if (FORM == Form::general && is_beyond(layout)) return;
  const GemmProduct p = product_in<FORM>(first, layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate block tile, warp tile, thread tile
  auto& tile = block_smem<WarpTiles<A_MAJOR, B_MAJOR>>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  Results results(warp % Tile::WARPS_M * Tile::WM + lane % Tile::LANES_M * vec,
                  warp / Tile::WARPS_M * Tile::WN + lane / Tile::LANES_M * vec);
  const bool inside = results.inside(block);

  // Mainloop: load, sync, store to shared memory, sync, compute
  for (std::int64_t k_left = k_extent; k_left > 0; k_left -= Tile::BK) {
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

  // Epilogue
  if (inside) results.template store<Tile>(p, s, block);
  if (inside && !epilogue.is_plain()) results.finish(epilogue, p, block);
}

LaunchStatus launch_warp_tiled(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return with_form(p, [&](auto form) {
      return launch<sgemm_warp_tiled<a.value, b.value, form.value>, WarpTiles<a.value, b.value>>(
          tile_count<Tile>(p), Tile::THREADS, stream, p);
    });
  });
}

}  // namespace

extern const RungKernel r08{Tile::extents, launch_warp_tiled};

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// r02_coalesced — neighbouring threads touch neighbouring addresses.
//
// Over r01: the block is turned round. A warp owns 32 neighbouring rows of one column, so its loads of A
// and its access to C are one 128-byte line, and its load of B is one address for all lanes.
// Tile: BM x BN = 32 x 16, one result a thread, 512 threads; nothing is shared but what the L1 cache catches:
// neighbouring blocks read the same rows of A. Three such blocks a multiprocessor leave a thread 40 registers, for
// 16 loads in flight; with all 2048 threads resident there are 32, for 9, and it was a fifth slower.
// Limit: two load instructions for one FMA; r03 makes them cheaper, r04 makes them fewer.
// Reference: Boehm 2022, kernel 2.
#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<32, 16, 1, 1, 1>;
constexpr int loads_in_flight = 16;

template <Major A_MAJOR, Major B_MAJOR, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(3))
    sgemm_coalesced(const GemmProduct first, const BatchLayout layout, const Epilogue given) {
  if (FORM == Form::general && is_beyond(layout)) return;
  const GemmProduct p = product_in<FORM>(first, layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate element
  const BlockTile block = locate_tile<Tile, Walk::along_n>(p);
  const std::int64_t m = block.m0 + threadIdx.x % Tile::BM;
  const std::int64_t n = block.n0 + threadIdx.x / Tile::BM;
  if (m >= p.m || n >= p.n) return;

  // Mainloop
  const std::int64_t k_extent = mainloop_k(p, s);
  const Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, m, k_extent);
  const Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, n, k_extent);
  float sum = 0.0f;
#pragma unroll loads_in_flight
  for (std::int64_t k = 0; k < k_extent; ++k) sum = __fmaf_rn(*a.at(0, k), *b.at(0, k), sum);

  // Epilogue
  float* c = p.c + m + n * p.ldc;
  *c = blend(s, sum, c);
  if (!epilogue.is_plain()) *c = finished(epilogue, p, {product_number(), m, n}, *c);
}

LaunchStatus launch_coalesced(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return with_form(p, [&](auto form) {
      return launch<sgemm_coalesced<a.value, b.value, form.value>, NoSmem>(tile_count<Tile>(p), Tile::THREADS, stream,
                                                                           p);
    });
  });
}

}  // namespace

extern const RungKernel r02{Tile::extents, launch_coalesced};

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// r01_naive — one thread computes one element of C, straight from the definition.
//
// Over nothing: this is where the ladder stands on the ground.
// Tile: BM x BN = 16 x 16, one result a thread, 256 threads; nothing is shared.
// Limit: neighbouring threads own neighbouring columns of column-major matrices, so every access of a
//        warp falls apart into as many memory transactions as it has columns; r02 turns the block round.
// Reference: Boehm 2022, "How to Optimize a CUDA Matmul Kernel", kernel 1.
#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<16, 16, 1, 1, 1>;

__global__ void __launch_bounds__(Tile::THREADS)
    sgemm_naive(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  if (is_beyond(layout)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate element
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t n = block.n0 + threadIdx.x % Tile::BN;
  const std::int64_t m = block.m0 + threadIdx.x / Tile::BN;
  if (m >= p.m || n >= p.n) return;

  // Mainloop
  const bool a_stored = p.op_a == Op::none;
  const bool b_stored = p.op_b == Op::none;
  const float* a = p.a + (a_stored ? m : m * p.lda);
  const float* b = p.b + (b_stored ? n * p.ldb : n);
  const std::int64_t a_step = a_stored ? p.lda : 1;
  const std::int64_t b_step = b_stored ? 1 : p.ldb;
  const std::int64_t k_extent = mainloop_k(p, s);
  float sum = 0.0f;
  for (std::int64_t k = 0; k < k_extent; ++k) sum = __fmaf_rn(a[k * a_step], b[k * b_step], sum);

  // Epilogue
  float* c = p.c + m + n * p.ldc;
  *c = blend(s, sum, c);
  if (!epilogue.is_plain()) *c = finished(epilogue, p, {product_number(), m, n}, *c);
}

LaunchStatus launch_naive(const GemmProblem& p, Stream stream) {
  return launch<sgemm_naive, NoSmem>(tile_count<Tile>(p), Tile::THREADS, stream, p);
}

}  // namespace

extern const RungKernel r01{Tile::extents, launch_naive};

}  // namespace ladder::LADDER_DEVICE

// SPDX-License-Identifier: MIT
// r12_fp32_tensor_scaled: two planes instead of three, where a row's values are alike.
//
// Over r11: fp16 has eleven bits, so two planes hold 22 of them, and three products do for six. fp16 spans few binades,
// so each row of op(A) and column of op(B) is divided by a power of two for every 64 of k, which the sums of 64 k are
// multiplied with again. Where a row has values too far apart for that, or too far out, the device hands the problem to
// rung 11, whose kernels stand behind this rung's.
// Bound, before alpha, with u = 2^-24, S = sum |a||b| and t = min(K, 64):
//   |error| <= (14 + t/2 + 2.5 ceil(t/16) + ceil(K/64)) u S + 2^-39 sum (A |b| + B |a|),
// A and B being the largest elements in the same row of op(A) or column of op(B) and the same 64 of k; so
//   |error| <= (58 + K/64) 2^-24 * K * max |row of op(A)| * max |column of op(B)|.    FMAs in FP32: K u S.
// Of the factor of S, 12 are the planes': |x - high - low| <= 2^-22 |x|, or 2^-39 of the largest where low is subnormal
// (split_element.cuh), and low * low, below 2^-22 of the product, is left out. The tensor cores cut each of 16 products
// and their old sum off at 2^-25 of the largest, and the sum at 2^-23 of itself: t/2 + 2.5 ceil(t/16) for the large
// products, less than 1 for the small ones. What is left are the additions in FP32.
// Tile: 256 x 128 x 64 for large problems, 128 x 128 and 64 x 128 for smaller ones; 128 x 64 where there is no wgmma.
// Cost: 4 bytes of memory for each element of A and B, 6 where it hands over, and the time to write them; five
// launches. Limit: shared memory and the power that the tensor cores draw; the launches where a side or k is short.
// Reference: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the FP32
// theoretical peak performance", arXiv 2203.03341, 2022, sections 3 and 4.
#include "plane_configs.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr PlaneFormat fp16x2 = PlaneFormat::fp16x2;

template <MultiplyPlanes multiply>
constexpr KernelConfig config(const char* name, const TileExtents& tile,
                              double (*cycles)(const GemmProblem& problem, int multiprocessors)) {
  return {name, tile, launch_fp16x2<multiply>, cycles, Sums::by_slab};
}

#if !defined(LADDER_EMULATED)
using Wgmma256 = WgmmaVariant<PlaneTile<fp16x2, 256, 128, 128, 4>, 84>;
using Wgmma128 = WgmmaVariant<PlaneTile<fp16x2, 128, 128, 128, 6>, 71>;
using Wgmma64 = WgmmaVariant<PlaneTile<fp16x2, 64, 128, 64, 8>, 57>;
#endif

constexpr KernelConfig configs[] = {
#if !defined(LADDER_EMULATED)
    config<launch_wgmma<Wgmma256>>("wgmma_256x128", Wgmma256::Tile::extents, wgmma_cycles<Wgmma256>),
    config<launch_wgmma<Wgmma128>>("wgmma_128x128", Wgmma128::Tile::extents, wgmma_cycles<Wgmma128>),
    config<launch_wgmma<Wgmma64>>("wgmma_64x128", Wgmma64::Tile::extents, wgmma_cycles<Wgmma64>),
#endif
    config<launch_multiply_planes<fp16x2>>("mma_128x64", MmaTile<fp16x2>::extents, mma_cycles<fp16x2>),
};

LaunchStatus launch_r12(const GemmProblem& p, Stream stream) {
  return chosen_config(rung_key("r12"), configs, p).launch(p, stream);
}

}  // namespace

extern const RungKernel r12{configs[0].tile, launch_r12, configs, declines_planes<128>};

}  // namespace ladder::LADDER_DEVICE

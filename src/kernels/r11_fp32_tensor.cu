// SPDX-License-Identifier: MIT
// r11_fp32_tensor: FP32 products on tensor cores that only know 16 bits.
//
// Over r09: an FP32 number is the sum of three bf16 numbers, its planes. A first kernel writes both operands as planes;
// a product of elements is then six products of planes, and the tensor cores are fifteen times as quick at those as
// FMAs. What they add up of 32 k is added to a thread's own sum in FP32, for they cut off where FP32 rounds; the small
// products have a sum of their own. Where values do not suit the planes (Inf, NaN, near the end of FP32's range), a
// last kernel does the problem with FMAs.
// Tile: 128 x 128 x 32, 64 x 128 for smaller problems; 128 x 64 where there is no wgmma.
// Cost: 6 bytes of memory for each element of A and B, and the time to write them; three launches.
// Limit: the power that the tensor cores draw; the first kernel where a side or k is short.
// Reference: Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for higher-precision
// computations", 2019 (the planes); Ootomo and Yokota, arXiv 2203.03341, 2022, section 3 (sums outside tensor cores).
#include "plane_configs.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr PlaneFormat bf16x3 = PlaneFormat::bf16x3;

template <MultiplyPlanes multiply>
constexpr Multiplier multiplier(const char* name, const TileExtents& tile,
                                double (*cycles)(const GemmProblem& problem, int multiprocessors)) {
  return {{name, tile, launch_bf16x3<multiply>, cycles, Sums::by_slab}, multiply};
}

#if !defined(LADDER_EMULATED)
using Wgmma128 = WgmmaVariant<PlaneTile<bf16x3, 128, 128, 128, 4>, 86>;
using Wgmma64 = WgmmaVariant<PlaneTile<bf16x3, 64, 128, 64, 6>, 81>;
#endif

constexpr std::array multipliers {
#if !defined(LADDER_EMULATED)
  multiplier<launch_wgmma<Wgmma128>>("wgmma_128x128", Wgmma128::Tile::extents, wgmma_cycles<Wgmma128>),
      multiplier<launch_wgmma<Wgmma64>>("wgmma_64x128", Wgmma64::Tile::extents, wgmma_cycles<Wgmma64>),
#endif
      multiplier<launch_multiply_planes<bf16x3>>("mma_128x64", MmaTile<bf16x3>::extents, mma_cycles<bf16x3>),
};
constexpr auto configs = configs_of(multipliers);

const KernelConfig& chosen(const GemmProblem& p) { return chosen_config(rung_key("r11"), configs, p); }

LaunchStatus launch_r11(const GemmProblem& p, Stream stream) { return chosen(p).launch(p, stream); }

}  // namespace

LaunchStatus multiply_bf16x3(const GemmProblem& p, Stream stream, const SplitOperands& planes, Gate gate) {
  return multipliers[static_cast<std::size_t>(&chosen(p) - configs.data())].multiply(p, stream, planes, gate);
}

extern const RungKernel r11{configs.front().tile, launch_r11, configs, declines_planes<48>};

}  // namespace ladder::LADDER_DEVICE

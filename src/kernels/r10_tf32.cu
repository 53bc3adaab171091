// SPDX-License-Identifier: MIT
// r10_tf32: the tensor cores multiply numbers rounded to TF32.
//
// Over r09: the same producers, ring and shared tiles, but a consuming warp multiplies 16 x 8 x 8 an instruction
// (mma.sync); operands are read in place in every layout, and fragments rounded to nearest, not cut off as the tensor
// cores would. On Hopper a warpgroup multiplies 64 x 256 x 8 (wgmma): what lies along k comes straight to shared
// memory, one operand that lies across goes through registers, and another one, or one not aligned, is written anew
// before.
// Tile: mma.sync 256 x 128 x 16, warp tile 64 x 64, 8 stages; wgmma 256 x 128 x 32, 4 stages; smaller ones.
// Where memory sets the time rung 9's members serve, in FP32: TF32 would be no quicker.
// Cost: 168 registers lent up to 224, 204 KiB of shared memory, one block an SM. Limit: mma.sync, which on an H200
// reached a third of the tensor cores' peak; with wgmma the power they draw, and what has to be written before.
// Reference: PTX ISA, mma.m16n8k8 with .tf32; CUTLASS's multistage mainloops.
#include "pipeline_kernel.cuh"
#include "r09_members.hpp"
#include "tensor_tile.cuh"
#if !defined(LADDER_EMULATED)
#include "wgmma_registers.cuh"
#endif

namespace ladder::LADDER_DEVICE {

namespace {

// ---------------------------------------------------------------------------------------- tiles

constexpr int tf32_fma_per_cycle = 1024;  // of a multiprocessor: H200

template <Major A, Major B>
using Mma256x128 =
    Variant<TensorTileShape<256, 128, 16, 64, 64, 8, A, B>, LendingRoles<1, 224, 48>, 32, 32, tf32_fma_per_cycle>;
template <Major A, Major B>
using Lending128x128 =
    Variant<TensorTileShape<128, 128, 16, 64, 64, 4, A, B>, LendingRoles<2, 216, 40>, 18, 30, tf32_fma_per_cycle>;
template <Major A, Major B>
using Mma128x128 =
    Variant<TensorTileShape<128, 128, 16, 64, 32, 4, A, B>, PlainRoles<2, 1>, 27, 27, tf32_fma_per_cycle>;
template <Major A, Major B>
using Mma128x64 = Variant<TensorTileShape<128, 64, 16, 64, 32, 4, A, B>, PlainRoles<2, 2>, 15, 25, tf32_fma_per_cycle>;
template <Major A, Major B>
using Mma64x64 = Variant<TensorTileShape<64, 64, 16, 32, 32, 4, A, B>, PlainRoles<2, 3>, 8, 18, tf32_fma_per_cycle>;

// ---------------------------------------------------------------------------------------- host side

const char* declines_r10(const GemmProblem&) {
  return has_tensor_cores() ? nullptr : "no TF32 below compute capability 8.0";
}

template <template <Major, Major> class Tiles>
LaunchStatus launch_tiles(const GemmProblem& p, Stream stream) {
  if (!has_tensor_cores()) return launch_not_supported;
  if (p.op_a == Op::none) {
    return p.op_b == Op::none ? launch_specialized<Tiles<Major::mn, Major::k>>(p, stream)
                              : launch_specialized<Tiles<Major::mn, Major::mn>>(p, stream);
  }
  return p.op_b == Op::none ? launch_specialized<Tiles<Major::k, Major::k>>(p, stream)
                            : launch_specialized<Tiles<Major::k, Major::mn>>(p, stream);
}

template <template <Major, Major> class Tiles>
double tiles_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr double waits = 1.3;  // of the time that the tile's rate promises: H200, median of the shapes of ladder tune
  if (!has_tensor_cores()) return std::numeric_limits<double>::infinity();
  return waits * cycles_of<Tiles<Major::mn, Major::mn>>(p, multiprocessors);
}

template <template <Major, Major> class Tiles>
constexpr KernelConfig tiles(const char* name) {
  return {name, Tiles<Major::mn, Major::mn>::Tile::extents, launch_tiles<Tiles>, tiles_cycles<Tiles>, Sums::by_slab};
}

// Of a member of rung 9. Where an element's bits are to depend on its own row and column alone, all elements take the
// same way: over mma.sync.
template <double (*CYCLES)(const GemmProblem&, int)>
double member_cycles(const GemmProblem& p, int multiprocessors) {
  return plain_sums() ? std::numeric_limits<double>::infinity() : CYCLES(p, multiprocessors);
}

#if !defined(LADDER_EMULATED)

// Where bits are to depend on k alone, mma.sync has all problems.
template <class Variant>
double wgmma_tiles_cycles(const GemmProblem& p, int multiprocessors) {
  if (plain_sums()) return std::numeric_limits<double>::infinity();
  return tf32_in_place_cycles<Variant>(p, multiprocessors);
}

template <class Variant>
constexpr KernelConfig wgmma_tiles(const char* name) {
  return {name, Variant::Tile::extents, launch_tf32_in_place<Variant>, wgmma_tiles_cycles<Variant>, Sums::by_slab};
}

template <class Variants>
double register_tiles_cycles(const GemmProblem& p, int multiprocessors) {
  if (plain_sums()) return std::numeric_limits<double>::infinity();
  return tf32_registers_cycles<Variants>(p, multiprocessors);
}

template <class Variants>
constexpr KernelConfig register_tiles(const char* name) {
  return {name, Variants::Straight::Tile::extents, launch_tf32_registers<Variants>, register_tiles_cycles<Variants>,
          Sums::by_slab};
}

using Wgmma256x128 = WgmmaVariant<PlaneTile<PlaneFormat::tf32, 256, 128, 256, 4>, 80>;
using Wgmma128x128 = WgmmaVariant<PlaneTile<PlaneFormat::tf32, 128, 128, 128, 6>, 68>;
using Wgmma128x64 = WgmmaVariant<PlaneTile<PlaneFormat::tf32, 128, 64, 128, 8>, 55>;
using Registers256x128 = RegisterVariants<256, 4, 79>;
using Registers128x128 = RegisterVariants<128, 6, 66>;
using Registers64x128 = RegisterVariants<64, 8, 50>;

#endif

constexpr KernelConfig configs[] = {
#if !defined(LADDER_EMULATED)
    wgmma_tiles<Wgmma256x128>("wgmma_256x128"),
    wgmma_tiles<Wgmma128x128>("wgmma_128x128"),
    wgmma_tiles<Wgmma128x64>("wgmma_128x64"),
    register_tiles<Registers256x128>("registers_256x128"),
    register_tiles<Registers128x128>("registers_128x128"),
    register_tiles<Registers64x128>("registers_64x128"),
#endif
    tiles<Mma256x128>("mma_256x128"),
    tiles<Lending128x128>("mma_lending_128x128"),
    tiles<Mma128x128>("mma_128x128"),
    tiles<Mma128x64>("mma_128x64"),
    tiles<Mma64x64>("mma_64x64"),
#define MEMBER(name, bm, bn, bk, stages, launch, cycles, sums) \
  {#name, {bm, bn, bk, stages}, launch, member_cycles<cycles>, sums},
#include "r09_members.def"
#undef MEMBER
};

LaunchStatus launch_r10(const GemmProblem& p, Stream stream) {
  return chosen_config(rung_key("r10"), configs, p).launch(p, stream);
}

}  // namespace

extern const RungKernel r10{Mma256x128<Major::mn, Major::mn>::Tile::extents, launch_r10, configs, declines_r10};

}  // namespace ladder::LADDER_DEVICE

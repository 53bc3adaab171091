// SPDX-License-Identifier: MIT
// r09_double_buffered: the next K slab travels while this one is computed.
//
// Over r08: a ring of stages in shared memory, filled by asynchronous copies several slabs ahead; full and
// empty barriers per stage, so that no warp waits for the whole block; fragments double-buffered in registers.
// On sm_90a a producer warpgroup does nothing but issue the copies and lends its registers to the others.
// Blocks stay and walk over tiles; tiles that would leave a wave of blocks half empty are cut along k and shared.
// Tile: 256 x 128 x 16, warp tile 64 x 64, thread tile 16 x 8, 8 stages; 128 x 128 and 128 x 64 for smaller problems.
// What no such tile suits (a narrow side, a short k, small or many small products) is in r09_<member>.cu.
// Cost: 168 registers lent up to 224, 196 KiB of shared memory, one block an SM. Limit: issue slots, register ports.
// Reference: CUTLASS's multistage and warp-specialised mainloops; PTX ISA, mbarrier, setmaxnreg.
#include "pipeline_kernel.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

// ---------------------------------------------------------------------------------------- the kernel without roles

// Every warp copies and computes.
struct AllCopy {
  static constexpr int RESIDENT = 2;
  static constexpr bool LENDS_REGISTERS = false;
};

// Every warp copies its share of the next slab, then computes.
template <class Tile, Feed FEED_A, Feed FEED_B>
__global__ void __launch_bounds__(Tile::THREADS, AllCopy::RESIDENT)
    sgemm_double_buffered(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
                          const WorkPlan plan) {
  PipelineSmem<Tile>& smem = block_smem<PipelineSmem<Tile>>();
  if (leaves_c_alone(load_scalars(first, epilogue), epilogue)) return;
  init_barriers(smem, Tile::THREADS, plan.arrivals_per_warp);

  Producer<Tile, FEED_A, FEED_B, Tile::THREADS> producer(smem, first, layout, plan, threadIdx.x);
  const auto refill = [&producer] {
    if (producer.done()) return;
    if (producer.stage_is_used()) producer.empty().wait(producer.empty_parity());
    producer.issue();
  };
  for (int ahead = 0; ahead < Tile::STAGES - 1; ++ahead) refill();
  consume<ThreadTile<Tile>>(smem, first, layout, epilogue, plan, refill);
}

// ---------------------------------------------------------------------------------------- host side

using Variant256x128 = Variant<WarpTileShape<256, 128, 16, 64, 64, 16, 8, 8>, LendingRoles<1, 224, 48>, 76, 76>;
using Variant128x128 = Variant<WarpTileShape<128, 128, 16, 64, 64, 16, 8, 4>, LendingRoles<2, 216, 40>, 50, 75>;
using Variant128x64 = Variant<WarpTileShape<128, 64, 16, 64, 32, 8, 8, 4>, PlainRoles<2, 2>, 43, 72>;
using AllCopy128x128 = Variant<WarpTileShape<128, 128, 16, 64, 64, 16, 8, 4>, AllCopy, 45, 70>;

template <class Variant>
LaunchStatus launch_all_copy(const GemmProblem& p, Stream stream) {
  using Tile = typename Variant::Tile;
  const PlannedWork work = planned<Variant>(p, stream);
  return with_feed(feed_of_every_a(p, p), [&](auto a) {
    return with_feed(feed_of_every_b(p, p), [&](auto b) {
      return launch_blocks<sgemm_double_buffered<Tile, a(), b()>, PipelineSmem<Tile>>(work.blocks, Tile::THREADS,
                                                                                      stream, p, work.plan);
    });
  });
}

template <class Variant>
constexpr KernelConfig specialized(const char* name) {
  return {name, Variant::Tile::extents, launch_specialized<Variant>, cycles_of<Variant>, Sums::as_asked};
}

constexpr KernelConfig configs[] = {
    specialized<Variant256x128>("warp_specialized_256x128"),
    specialized<Variant128x128>("warp_specialized_128x128"),
    specialized<Variant128x64>("warp_specialized_128x64"),
    {"all_copy_128x128", AllCopy128x128::Tile::extents, launch_all_copy<AllCopy128x128>, cycles_of<AllCopy128x128>,
     Sums::as_asked},
#define MEMBER(name, bm, bn, bk, stages, launch, cycles, sums) {#name, {bm, bn, bk, stages}, launch, cycles, sums},
#include "r09_members.def"
#undef MEMBER
};

LaunchStatus launch_r09(const GemmProblem& p, Stream stream) {
  return chosen_config(rung_key("r09"), configs, p).launch(p, stream);
}

}  // namespace

extern const RungKernel r09{Variant256x128::Tile::extents, launch_r09, configs};

}  // namespace ladder::LADDER_DEVICE

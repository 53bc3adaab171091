// SPDX-License-Identifier: MIT
// Writes the planes of an operand that stays as it is, and tells each product that uses them what is known of its
// values.
#include "prepared_planes.hpp"
#include "split_planes.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

__device__ __forceinline__ void raise_if_any(std::uint32_t* word, std::uint32_t value) {
  if (value != 0) raise_to(word, value);
}

__global__ void add_known_facts(const GemmProduct first, const BatchLayout, const Epilogue, RangeFacts* facts,
                                const RangeFacts* of_a, const RangeFacts* of_b) {
  wait_for_previous_launch();
  let_next_launch_begin();
  if (threadIdx.x != 0 || mainloop_k(first, load_scalars(first)) == 0) return;
  if (of_a != nullptr) {
    raise_if_any(&facts->largest_a, of_a->largest_a);
    raise_if_any(&facts->beyond_fp16, of_a->beyond_fp16);
  }
  if (of_b != nullptr) {
    raise_if_any(&facts->largest_b, of_b->largest_a);
    raise_if_any(&facts->beyond_fp16, of_b->beyond_fp16);
  }
}

}  // namespace

LaunchStatus write_planes(const PreparedOperand& operand, Stream stream, const PreparedPlanes& planes) {
  GemmProblem as_a;
  as_a.op_a = operand.k_major ? Op::transpose : Op::none;
  as_a.m = operand.rows;
  as_a.n = 1;
  as_a.k = operand.k;
  as_a.alpha.value = 1.0f;
  as_a.a = operand.matrix;
  as_a.lda = operand.ld;
  const SplitOperands scaled{.a = planes.fp16x2, .b = {}, .facts = planes.facts};
  const SplitOperands wide{.a = planes.bf16x3, .b = {}, .facts = planes.facts};
  const KnownFacts no_b{.a = nullptr, .b = planes.facts};
  const LaunchStatus status = launch_split<PlaneFormat::fp16x2>(as_a, stream, scaled, Gate::always, no_b);
  return status == launch_ok ? launch_split<PlaneFormat::bf16x3>(as_a, stream, wide, Gate::always, no_b) : status;
}

LaunchStatus recall_facts(const GemmProblem& problem, Stream stream, RangeFacts* facts, const KnownFacts& known) {
  if (known.a == nullptr && known.b == nullptr) return launch_ok;
  return launch_blocks<add_known_facts, NoSmem>(1, warp_size, stream, problem, facts, known.a, known.b);
}

}  // namespace ladder::LADDER_DEVICE

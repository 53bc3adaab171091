// SPDX-License-Identifier: MIT
// The consumers of a pipelined rung that multiplies on the tensor cores with mma.sync: a thread's sums and fragments,
// and the mainloop.
//
// The instruction's rows are columns of C, its columns rows of C. Which of a warp's columns of op(B) and rows of op(A)
// make up an instruction's eight is free: they are chosen so that a lane ends up with quads of C (TileSums), and that
// what lanes read together lies in different banks, in mn-major slabs as in k-major ones.
#pragma once

#include "tensor_panel.cuh"
#include "tensor_words.cuh"
#include "tf32_words.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- a thread's share

/// A thread's results, and the fragments that they are summed up from. The instruction's row or column `group` of a
/// chunk stands for quad spread(group): lane `member` then holds, of the columns 2 * member and 2 * member + 1, the
/// quads number `member` of the chunk's two halves.
template <class Tile>
class TensorShare : public TileSums<Tile> {
 public:
  __device__ __forceinline__ explicit TensorShare(int thread)
      : Base(warp_m(thread) + thread % MEMBERS * vec, warp_n(thread) + spread(thread)),
        a_(PanelA::place(warp_m(thread) + spread(thread), 0) + PanelA::place(0, thread % MEMBERS)),
        b_(PanelB::place(warp_n(thread) + spread(thread), 0) + PanelB::place(0, thread % MEMBERS)) {}

  __device__ __forceinline__ void clear() {
    for_each_product([](float(&sum)[vec], int) { sum[0] = sum[1] = sum[2] = sum[3] = 0.0f; });
  }

  /// Sets the sums aside in `part`, instruction by instruction.
  __device__ __forceinline__ void store_part(float* part, int thread) {
    for_each_product([=](const float(&sum)[vec], int number) {
      *Base::quad_of_part(part, thread, number) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    });
  }

  /// sum = part.
  __device__ __forceinline__ void load_part_of(const float* part, int thread) {
    for_each_product([=](float(&sum)[vec], int number) {
      const float4 theirs = load_part(reinterpret_cast<const float*>(Base::quad_of_part(part, thread, number)));
      sum[0] = theirs.x, sum[1] = theirs.y, sum[2] = theirs.z, sum[3] = theirs.w;
    });
  }

  /// sum += part.
  __device__ __forceinline__ void add_part(const float* part, int thread) {
    for_each_product([=](float(&sum)[vec], int number) {
      const float4 theirs = load_part(reinterpret_cast<const float*>(Base::quad_of_part(part, thread, number)));
      sum[0] += theirs.x, sum[1] += theirs.y, sum[2] += theirs.z, sum[3] += theirs.w;
    });
  }

  /// The same as TileSums::store(), of the instructions' sums.
  __device__ __forceinline__ void store(const GemmProduct& p, const Scalars& s, const BlockTile& block) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
        this->sum_[j][i] = product_[j / 2][i / (2 * vec) * vec + i % vec][j % 2 * 2 + i / vec % 2];
      }
    }
    Base::store(p, s, block);
  }

  /// Fragments of the MMA_K steps from k on.
  __device__ __forceinline__ void load_fragments(const Stage<Tile>& stage, int k) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      PanelA::load(a_frag_[half], &stage.a[0][0] + a_ + PanelA::place(0, k + half * MEMBERS));
      PanelB::load(b_frag_[half], &stage.b[0][0] + b_ + PanelB::place(0, k + half * MEMBERS));
    }
  }

  /// Makes those of the fragments zeros that stand for steps beyond `steps`, which may hold anything.
  __device__ __forceinline__ void cut_fragments(int steps) {
    const int member = static_cast<int>(threadIdx.x) % MEMBERS;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const bool inside = member + half * MEMBERS < steps;
#pragma unroll
      for (float& value : a_frag_[half]) value = inside ? value : 0.0f;
#pragma unroll
      for (float& value : b_frag_[half]) value = inside ? value : 0.0f;
    }
  }

  /// sum += a_frag * b_frag, rounded to TF32.
  __device__ __forceinline__ void accumulate() {
    std::uint32_t columns[A_COUNT][2];
#pragma unroll
    for (int i = 0; i < A_COUNT; ++i)
      columns[i][0] = nearest_when_cut(a_frag_[0][i]), columns[i][1] = nearest_when_cut(a_frag_[1][i]);
#pragma unroll
    for (int j = 0; j < B_COUNT; j += 2) {
      const std::uint32_t rows[4] = {nearest_when_cut(b_frag_[0][j]), nearest_when_cut(b_frag_[0][j + 1]),
                                     nearest_when_cut(b_frag_[1][j]), nearest_when_cut(b_frag_[1][j + 1])};
#pragma unroll
      for (int i = 0; i < A_COUNT; ++i) mma_tf32(product_[j / 2][i], rows, columns[i]);
    }
  }

 private:
  using Base = TileSums<Tile>;
  using PanelA = typename Panels<Tile>::PanelA;
  using PanelB = typename Panels<Tile>::PanelB;
  static constexpr int A_COUNT = Tile::WM / GROUPS;  // rows of op(A) in the fragments of one k
  static constexpr int B_COUNT = Tile::WN / GROUPS;

  static __device__ __forceinline__ int warp_m(int thread) { return thread / warp_size % Tile::WARPS_M * Tile::WM; }
  static __device__ __forceinline__ int warp_n(int thread) { return thread / warp_size / Tile::WARPS_M * Tile::WN; }

  /// Where the rows (columns) of this lane's group begin in a chunk: even groups in its first half, odd ones in its
  /// second.
  static __device__ __forceinline__ int spread(int thread) {
    const int group = thread % warp_size / MEMBERS;
    return group % 2 * (CHUNK / 2) + group / 2 * vec;
  }

  /// Calls body(sums, number) for each instruction's sums.
  template <class Body>
  __device__ __forceinline__ void for_each_product(const Body& body) {
#pragma unroll
    for (int j = 0; j < B_COUNT / 2; ++j) {
#pragma unroll
      for (int i = 0; i < A_COUNT; ++i) body(product_[j][i], j * A_COUNT + i);
    }
  }

  int a_;  // floats from a panel's first to this lane's first
  int b_;
  float product_[B_COUNT / 2][A_COUNT][vec];  // of an instruction's registers
  float a_frag_[2][A_COUNT];
  float b_frag_[2][B_COUNT];
};

template <int BM, int BN, int BK, int WM, int WN, int STAGES, Major MAJOR_A, Major MAJOR_B>
struct ShareOf<TensorTileShape<BM, BN, BK, WM, WN, STAGES, MAJOR_A, MAJOR_B>> {
  using Type = TensorShare<TensorTileShape<BM, BN, BK, WM, WN, STAGES, MAJOR_A, MAJOR_B>>;
};

// ---------------------------------------------------------------------------------------- mainloop

/// Adds `slabs` slabs of the ring to the sums; the last has `last` steps of k. While a warp fetches fragments, others
/// have products under way: a second set of fragments would take its registers from the sums.
template <class Tile, class Refill>
__device__ __forceinline__ void mainloop(PipelineSmem<Tile>& smem, RingCursor<Tile::STAGES>& use, const WorkPlan& plan,
                                         int slabs, int last, TensorShare<Tile>& share, const Refill& refill) {
  const bool partial = last < Tile::BK;
#pragma unroll 1
  for (int left = slabs; left > 0; --left) {
    refill();
    Stage<Tile>& stage = smem.stage[use.stage()];
    stage.full.wait(use.parity());
    if (left > 1 || !partial) {
#pragma unroll
      for (int k = 0; k < Tile::BK; k += MMA_K) {
        share.load_fragments(stage, k);
        if (k + MMA_K == Tile::BK) release_stage(stage.empty, plan.arrivals_per_warp);
        share.accumulate();
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < last; k += MMA_K) {
        share.load_fragments(stage, k);
        share.cut_fragments(last - k);
        share.accumulate();
      }
      release_stage(stage.empty, plan.arrivals_per_warp);
    }
    use.advance();
  }
}

}  // namespace ladder::LADDER_DEVICE

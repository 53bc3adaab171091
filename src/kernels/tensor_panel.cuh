// SPDX-License-Identifier: MIT
// Tiles of a pipelined rung that multiplies on the tensor cores with mma.sync, and how their slabs lie in shared
// memory.
#pragma once

#include "pipeline_consumer.cuh"

namespace ladder::LADDER_DEVICE {

inline constexpr int MMA_K = 8;    ///< steps of k of an instruction
inline constexpr int CHUNK = 32;   ///< rows (columns) of C of which a lane holds two quads (one quad)
inline constexpr int MEMBERS = 4;  ///< lanes along an instruction's k
inline constexpr int GROUPS = 8;   ///< lanes along its rows and columns

/// A block tile of warp tiles of WM x WN. Its slabs keep the layouts that the operands have in memory.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, Major MAJOR_A_, Major MAJOR_B_>
struct TensorTileShape : WarpTileShape<BM, BN, BK, WM, WN, WM / MEMBERS, WN / GROUPS, STAGES> {
  static constexpr Major MAJOR_A = MAJOR_A_;
  static constexpr Major MAJOR_B = MAJOR_B_;

  static_assert(WM % CHUNK == 0 && WN % CHUNK == 0, "warp tiles are whole chunks");
  static_assert(BK % MMA_K == 0, "a slab is whole instructions");
};

// ---------------------------------------------------------------------------------------- slabs in shared memory

/// A panel of BK steps of BMN rows (columns), and how a lane reads its fragments there.
template <Major MAJOR, int BMN, int BK>
struct TensorPanel {
  using Floats = float[BK][BMN + SKEW];

  static __device__ __forceinline__ int place(int mn, int k) { return k * (BMN + SKEW) + mn; }

  /// to[i] = the element i rows (columns) after the first one; each quad lies in the next chunk.
  template <int COUNT>
  static __device__ __forceinline__ void load(float (&to)[COUNT], const float* first) {
#pragma unroll
    for (int i = 0; i < COUNT; i += vec) {
      const float4 quad = *reinterpret_cast<const float4*>(first + place(i / vec * CHUNK, 0));
      to[i] = quad.x, to[i + 1] = quad.y, to[i + 2] = quad.z, to[i + 3] = quad.w;
    }
  }

  template <class Body>
  static __device__ __forceinline__ void with_feed(bool quads, const Body& body) {
    if (quads) return body(std::integral_constant<Feed, Feed::vector_mn>{});
    body(std::integral_constant<Feed, Feed::element_mn>{});
  }
};

template <int BMN, int BK>
struct TensorPanel<Major::k, BMN, BK> {
  using Floats = decltype(KMajorPanel<BMN, BK>::group);

  static __device__ __forceinline__ int place(int mn, int k) { return KMajorPanel<BMN, BK>::place(mn, k); }

  template <int COUNT>
  static __device__ __forceinline__ void load(float (&to)[COUNT], const float* first) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) to[i] = first[place(i / vec * CHUNK + i % vec, 0)];
  }

  template <class Body>
  static __device__ __forceinline__ void with_feed(bool quads, const Body& body) {
    if (quads) return body(std::integral_constant<Feed, Feed::vector_k>{});
    body(std::integral_constant<Feed, Feed::kept_k>{});
  }
};

template <int BM, int BN, int BK, int WM, int WN, int STAGES, Major MAJOR_A, Major MAJOR_B>
struct Panels<TensorTileShape<BM, BN, BK, WM, WN, STAGES, MAJOR_A, MAJOR_B>> {
  using PanelA = TensorPanel<MAJOR_A, BM, BK>;
  using PanelB = TensorPanel<MAJOR_B, BN, BK>;
  using A = typename PanelA::Floats;
  using B = typename PanelB::Floats;

  template <class Body>
  static __device__ __forceinline__ void with_feed_of_a(const GemmProduct& first, const BatchLayout& layout,
                                                        const Body& body) {
    PanelA::with_feed(quads_in_batch(layout, first.a, first.lda, layout.stride_a), body);
  }
  template <class Body>
  static __device__ __forceinline__ void with_feed_of_b(const GemmProduct& first, const BatchLayout& layout,
                                                        const Body& body) {
    PanelB::with_feed(quads_in_batch(layout, first.b, first.ldb, layout.stride_b), body);
  }
};

}  // namespace ladder::LADDER_DEVICE

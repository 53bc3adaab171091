// SPDX-License-Identifier: MIT
// r09_small_batch.cu: a batch of products so small that a block takes several of them whole.
//
// The matrices of a block's products travel to shared memory as one stream of asynchronous copies, and the next ones
// start on their way before these are computed. There each thread multiplies a 4 x 4 piece of one product, and the
// results leave through shared memory as a stream again, so that m need not suit a warp. A block stays and takes one
// group of products after the other.
// Tile: 128 threads of 4 x 4; as many products as have threads and 18 KiB, twice.
// Cost: 96 registers, five blocks an SM. Limit: the memory's speed; shared memory's from about m = n = k = 32 on.
#include <algorithm>
#include <limits>

#include "device_traits.cuh"
#include "r09_members.hpp"
#include "small_products.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr int THREADS = SMALL_THREADS;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr int RESIDENT = 4;  // as many blocks as shared memory has room for
#else
constexpr int RESIDENT = 5;
#endif
constexpr int BUFFER = 4608;  // floats: two products of 32 x 32 x 32 with both operands k-major

struct SmallSmem {
  alignas(16) float buffer[2][BUFFER];  // op(A) and op(B) of a group's products, later their results
};

struct SmallPlan {
  SmallMatrix a, b, c;
  int products;  ///< of a block
  int tiles_m;   ///< threads that share a column of a product
  int tiles_n;
  Divisor by_tiles;
  Divisor by_tiles_m;
};

template <Major MAJOR_A, Major MAJOR_B>
__device__ __forceinline__ void multiply(float (&sum)[vec][vec], Fragment<MAJOR_A>& a, Fragment<MAJOR_B>& b,
                                         int k_extent) {
  const auto accumulate = [&](int k) {
#pragma unroll
    for (int j = 0; j < vec; ++j) {
#pragma unroll
      for (int i = 0; i < vec; ++i) sum[j][i] = __fmaf_rn(a.at(i, k), b.at(j, k), sum[j][i]);
    }
  };
  int k0 = 0;
#pragma unroll 1
  for (; k0 + vec <= k_extent; k0 += vec) {
    a.load(k0, vec);
    b.load(k0, vec);
#pragma unroll
    for (int k = 0; k < vec; ++k) accumulate(k);
  }
  const int residue = k_extent - k0;
  if (residue == 0) return;
  a.load(k0, residue);
  b.load(k0, residue);
#pragma unroll
  for (int k = 0; k < vec - 1; ++k) {
    if (k < residue) accumulate(k);
  }
}

template <Major MAJOR_A, Major MAJOR_B>
__device__ __forceinline__ void stage_results(float* smem, const SmallMatrix& c, const float (&sum)[vec][vec],
                                              const Fragment<MAJOR_A>& a, const Fragment<MAJOR_B>& b) {
#pragma unroll
  for (int j = 0; j < vec; ++j) {
    if (b.index(j) >= c.lines) continue;
    float* line = smem + b.index(j) * c.line_floats;
    if (MAJOR_A == Major::mn) {
      *reinterpret_cast<float4*>(line + a.index(0)) = make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
    } else {
#pragma unroll
      for (int i = 0; i < vec; ++i) {
        if (a.index(i) < c.extent) line[a.index(i)] = sum[j][i];
      }
    }
  }
}

template <Major MAJOR_A, Major MAJOR_B>
__global__ void __launch_bounds__(THREADS, resident_blocks<THREADS>(RESIDENT))
    sgemm_small_batch(const GemmProduct p, const BatchLayout layout, const Epilogue epilogue, const SmallPlan plan) {
  SmallSmem& smem = block_smem<SmallSmem>();
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate this thread's piece
  const int k_extent = static_cast<int>(mainloop_k(p, s));
  const int floats_a = plan.products * plan.a.product_floats;
  const int product = plan.by_tiles.quotient(threadIdx.x);
  const int tile = threadIdx.x - product * plan.tiles_m * plan.tiles_n;
  const int tile_n = plan.by_tiles_m.quotient(tile);

  const auto products_from = [&](std::int64_t first) {
    const std::int64_t left = layout.batch - first;
    return left < plan.products ? static_cast<int>(left) : plan.products;
  };
  const auto fetch = [&](float* buffer, std::int64_t first) {
    if (k_extent == 0 || first >= layout.batch) return;
    const int products = products_from(first);
    if (layout.c_array == nullptr) {
      copy_in(buffer, plan.a, p.a + first * layout.stride_a, {p.lda, layout.stride_a}, products);
      copy_in(buffer + floats_a, plan.b, p.b + first * layout.stride_b, {p.ldb, layout.stride_b}, products);
    } else {
      copy_in_listed(buffer, plan.a, layout.a_array + first, p.lda, products);
      copy_in_listed(buffer + floats_a, plan.b, layout.b_array + first, p.ldb, products);
    }
    close_copies();
  };

  std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * plan.products;
  fetch(smem.buffer[0], first);
#pragma unroll 1
  for (int half = 0; first < layout.batch; half ^= 1) {
    float* buffer = smem.buffer[half];
    const std::int64_t next = first + static_cast<std::int64_t>(gridDim.x) * plan.products;
    const int products = products_from(first);
    wait_for_copies<0>();
    __syncthreads();  // this group is here, and the results of the one before have left
    fetch(smem.buffer[half ^ 1], next);

    // Compute
    Fragment<MAJOR_A> a(plan.a, buffer, product, tile - tile_n * plan.tiles_m, plan.tiles_m);
    Fragment<MAJOR_B> b(plan.b, buffer + floats_a, product, tile_n, plan.tiles_n);
    float sum[vec][vec] = {};
    if (product < products) multiply(sum, a, b, k_extent);
    __syncthreads();

    // Epilogue
    if (product < products) stage_results(buffer + product * plan.c.product_floats, plan.c, sum, a, b);
    __syncthreads();
    if (layout.c_array == nullptr && epilogue.is_plain()) {
      copy_out(buffer, plan.c, s, p.c + first * layout.stride_c, {p.ldc, layout.stride_c}, products);
    } else {
      finish_out(buffer, plan.c, epilogue, p, layout, s, first, products);
    }
    first = next;
  }
}

// ---------------------------------------------------------------------------------------- host side

/// No products where one does not fit a block.
SmallPlan plan_of(const GemmProblem& p) {
  SmallPlan plan{};
  if (p.m > BUFFER || p.n > BUFFER || p.k > BUFFER) return plan;
  plan.a = operand_of({p.a, {p.lda, p.stride_a}, p}, p.op_a == Op::none, p.m, p.k);
  plan.b = operand_of({p.b, {p.ldb, p.stride_b}, p}, p.op_b == Op::transpose, p.n, p.k);
  plan.c = matrix_of({p.c, {p.ldc, p.stride_c}, p}, p.n, p.n, p.m, round_up(p.m, vec));
  plan.tiles_m = static_cast<int>(ceil_div(p.m, vec));
  plan.tiles_n = static_cast<int>(ceil_div(p.n, vec));
  const int tiles = plan.tiles_m * plan.tiles_n;
  plan.by_tiles = Divisor::by(tiles);
  plan.by_tiles_m = Divisor::by(plan.tiles_m);
  const int floats = std::max(plan.a.product_floats + plan.b.product_floats, plan.c.product_floats);
  plan.products = std::min(THREADS / tiles, BUFFER / floats);
  return plan;
}

}  // namespace

LaunchStatus launch_small_batch(const GemmProblem& p, Stream stream) {
  const SmallPlan plan = plan_of(p);
  if (plan.products == 0) return launch_not_supported;
  const std::int64_t slots = std::int64_t{RESIDENT} * std::max(1, device_traits().multiprocessors);
  const std::int64_t blocks = std::min(ceil_div(p.batch, plan.products), slots);
  return with_majors(p, [&](auto a, auto b) {
    return launch_blocks<sgemm_small_batch<a(), b()>, SmallSmem>(blocks, THREADS, stream, p, plan);
  });
}

double small_batch_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr double start = 4500;         // the launch, and one trip to memory before the first product
  constexpr double bytes_a_cycle = 12;   // of a multiprocessor's share of the memory's 16
  constexpr double block_cycles = 2500;  // of a block with next to nothing to do
  constexpr double float_copies = 2;     // times as long where an operand comes float by float
  constexpr double fmas_a_cycle = 128 * 0.4;
  const SmallPlan plan = plan_of(p);
  if (plan.products == 0) return std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double passes_of_c = p.beta.device != nullptr || p.beta.value != 0.0f ? 2 : 1;
  const double bytes = sizeof(float) * static_cast<double>(p.batch) * (m * k + k * n + m * n * passes_of_c);
  const double width = plan.a.quads && plan.b.quads && plan.c.quads ? 1 : float_copies;
  const double share = std::max(1.0, static_cast<double>(ceil_div(p.batch, plan.products)) / multiprocessors);
  const double rounds = std::max(1.0, share / RESIDENT);
  return start + std::max({width * bytes / (bytes_a_cycle * multiprocessors),
                           share * THREADS * vec * vec * k / fmas_a_cycle, rounds * block_cycles});
}

}  // namespace ladder::LADDER_DEVICE

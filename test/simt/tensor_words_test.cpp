// SPDX-License-Identifier: MIT
// Matrix products of a warp: where the numbers of a fragment stand, and how their sums are cut off.
#include "tensor_words.cuh"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int rows = 16;
constexpr int columns = 8;
constexpr int warps = 2;
constexpr int threads = warps * warp_size;

// Each format: how many k a word multiplies, and the register bits of a number that the format has.
struct Bf16 {
  static constexpr int k = 16;
  static std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x) >> 16; }
  static void multiply(float (&d)[4], std::uint32_t (&a)[4], std::uint32_t (&b)[2]) { mma_bf16(d, a, b); }
};
struct Fp16 {
  static constexpr int k = 16;
  static std::uint32_t bits(float x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }
  static void multiply(float (&d)[4], std::uint32_t (&a)[4], std::uint32_t (&b)[2]) { mma_fp16(d, a, b); }
};
struct Tf32 {
  static constexpr int k = 8;
  static std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
  static void multiply(float (&d)[4], std::uint32_t (&a)[4], std::uint32_t (&b)[2]) { mma_tf32(d, a, b); }
};

/// The register that holds the numbers from `first` on.
template <class Format>
std::uint32_t pack(const float* first, int apart) {
  if (Format::k == 8) return Format::bits(first[0]);
  return Format::bits(first[0]) | Format::bits(first[apart]) << 16;
}

// Each warp has matrices of its own, by rows: C += A B.
template <class Format>
__global__ void multiply(const GemmProduct p, const BatchLayout, const Epilogue) {
  constexpr int k_extent = Format::k;
  constexpr int numbers = k_extent / 8;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int group = static_cast<int>(threadIdx.x) % warp_size / 4;
  const int member = static_cast<int>(threadIdx.x) % 4;
  const float* a = p.a + warp * rows * k_extent;
  const float* b = p.b + warp * k_extent * columns;
  float* c = p.c + warp * rows * columns;
  std::uint32_t a_registers[4];
  std::uint32_t b_registers[2];
  float d[4];
  for (int i = 0; i < 4; ++i) {
    a_registers[i] = pack<Format>(a + (group + i % 2 * 8) * k_extent + member * numbers + i / 2 * 4 * numbers, 1);
  }
  for (int i = 0; i < 2; ++i) b_registers[i] = pack<Format>(b + (member + i * 4) * numbers * columns + group, columns);
  for (int i = 0; i < 4; ++i) d[i] = c[(group + i / 2 * 8) * columns + 2 * member + i % 2];
  Format::multiply(d, a_registers, b_registers);
  for (int i = 0; i < 4; ++i) c[(group + i / 2 * 8) * columns + 2 * member + i % 2] = d[i];
}

__global__ void half_of_a_warp_multiplies(const GemmProduct, const BatchLayout, const Epilogue) {
  float d[4] = {};
  std::uint32_t a[4] = {};
  std::uint32_t b[2] = {};
  if (threadIdx.x % 2 == 0) mma_bf16(d, a, b);
}

template <class Format>
struct Matrices {
  std::vector<float> a = std::vector<float>(warps * rows * Format::k, 0.0f);
  std::vector<float> b = std::vector<float>(warps * Format::k * columns, 0.0f);
  std::vector<float> c = std::vector<float>(warps * rows * columns, 0.0f);

  LaunchStatus multiply_them(int block = threads) {
    GemmProblem problem = problem_of(a, c);
    problem.b = b.data();
    return launch<multiply<Format>, NoSmem>(1, block, nullptr, problem);
  }
};

/// old + the sum of the products of `row` and `column`, as the word gives it.
template <class Format>
float sum_of(float old, std::initializer_list<float> row, std::initializer_list<float> column) {
  Matrices<Format> m;
  std::copy(row.begin(), row.end(), m.a.begin());
  for (std::size_t k = 0; k < column.size(); ++k) m.b[k * columns] = column.begin()[k];
  m.c[0] = old;
  REQUIRE(m.multiply_them() == launch_ok);
  return m.c[0];
}

/// old + 16 (8 of TF32) products x * y.
template <class Format>
float sum_of_equal_products(float old, float x, float y) {
  Matrices<Format> m;
  std::fill(m.a.begin(), m.a.end(), x);
  std::fill(m.b.begin(), m.b.end(), y);
  std::fill(m.c.begin(), m.c.end(), old);
  REQUIRE(m.multiply_them() == launch_ok);
  for (const float sum : m.c) CHECK(sum == m.c[0]);
  return m.c[0];
}

}  // namespace

TEST_CASE_TEMPLATE("a warp multiplies its own two matrices", Format, Bf16, Fp16, Tf32) {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    Matrices<Format> m;
    for (std::size_t i = 0; i < m.a.size(); ++i) m.a[i] = static_cast<float>(i * 7 % 31) - 15.0f;
    for (std::size_t i = 0; i < m.b.size(); ++i) m.b[i] = static_cast<float>(i * 5 % 29) - 14.0f;
    for (std::size_t i = 0; i < m.c.size(); ++i) m.c[i] = static_cast<float>(i * 3 % 23);
    std::vector<float> due = m.c;
    for (int warp = 0; warp < warps; ++warp) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          for (int k = 0; k < Format::k; ++k) {
            due[(warp * rows + i) * columns + j] +=
                m.a[(warp * rows + i) * Format::k + k] * m.b[(warp * Format::k + k) * columns + j];
          }
        }
      }
    }
    REQUIRE(m.multiply_them() == launch_ok);
    CHECK(m.c == due);
  }
}

TEST_CASE("sums are cut off toward zero, all products of a word at once") {
  // Two bits below the last one of the largest term count, bits below those do not.
  CHECK(sum_of_equal_products<Bf16>(1.0f, 0x1p-14f, 0x1p-14f) == 1.0f);
  CHECK(sum_of_equal_products<Bf16>(1.0f, 0x1p-12f, 0x1p-13f) == 1.0f + 0x1p-21f);
  CHECK(sum_of_equal_products<Fp16>(1.0f, 0x1p-12f, 0x1p-13f) == 1.0f + 0x1p-21f);
  CHECK(sum_of_equal_products<Tf32>(1.0f, 0x1p-12f, 0x1p-13f) == 1.0f + 0x1p-22f);
  CHECK(sum_of<Bf16>(1.0f, {0x1p-12f, 0x1p-12f, 0x1p-12f}, {0x1p-13f, 0x1p-13f, 0x1p-13f}) == 1.0f);
  CHECK(sum_of<Bf16>(-1.0f, {0x1p-12f, 0x1p-12f, 0x1p-12f}, {-0x1p-13f, -0x1p-13f, -0x1p-13f}) == -1.0f);
  CHECK(sum_of<Bf16>(1.0f, {0x1p-12f}, {-0x1p-13f}) == 1.0f - 0x1p-24f);
  // What is large takes the bits of what is small along although it cancels.
  CHECK(sum_of<Bf16>(0x1p-30f, {1.0f, 1.0f}, {1.0f, -1.0f}) == 0.0f);
}

TEST_CASE("inputs: TF32 is cut off to 10 bits, subnormals count") {
  CHECK(sum_of<Tf32>(0.0f, {1.0f + 0x1p-10f + 0x1p-11f}, {-1.0f}) == -1.0f - 0x1p-10f);
  CHECK(sum_of<Bf16>(0.0f, {0x1p-133f}, {0x1p100f}) == 0x1p-33f);
  CHECK(sum_of<Fp16>(0.0f, {-0x1.8p-23f, 0x1.ffcp15f}, {0x1p15f, 0x1p-14f}) == 0x1.ffcp1f - 0x1.8p-8f);
  CHECK(sum_of<Bf16>(0x1p-149f, {0x1p-74f}, {0x1.8p-74f}) == 0x1p-147f);
}

TEST_CASE_TEMPLATE("what is NaN or infinite is so by IEEE's rules", Format, Bf16, Fp16, Tf32) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(sum_of<Format>(1.0f, {infinity, 3.0f}, {-2.0f, 1.0f}) == -infinity);
  CHECK(sum_of<Format>(infinity, {2.0f, 3.0f}, {-2.0f, 1.0f}) == infinity);
  CHECK(std::isnan(sum_of<Format>(1.0f, {infinity}, {0.0f})));
  CHECK(std::isnan(sum_of<Format>(infinity, {infinity}, {-1.0f})));
  CHECK(std::isnan(sum_of<Format>(1.0f, {nan}, {0.0f})));
  CHECK(std::isnan(sum_of<Format>(nan, {1.0f}, {1.0f})));
}

TEST_CASE("a matrix product needs all of a whole warp") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> nothing;
    const GemmProblem problem = problem_of({}, nothing);
    CHECK(launch<half_of_a_warp_multiplies, NoSmem>(1, warp_size, nullptr, problem) == emulator_diverged);
    CHECK(Matrices<Bf16>().multiply_them(warp_size + 8) == emulator_fault);
  }
}

}  // namespace ladder::emulated

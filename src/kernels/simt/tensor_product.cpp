// SPDX-License-Identifier: MIT
#include "tensor_product.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

// Eight columns are two vectors of AVX2. run_grid() has made sure of it before any lane runs.
#if defined(__x86_64__)
#define LADDER_VECTORIZED __attribute__((target("avx2,fma")))
#else
#define LADDER_VECTORIZED
#endif

namespace ladder::simt {

namespace {

constexpr int rows = 16;
constexpr int columns = 8;
constexpr int lanes_of_a_row = 4;

double of_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// What cuts a sum off to FP32.
LADDER_VECTORIZED inline float toward_zero(double value) {
  constexpr double least_normal = 0x1p-126, per_subnormal = 0x1p149;
  constexpr std::uint64_t beyond_fp32 = (std::uint64_t{1} << (53 - 24)) - 1;
  const bool subnormal = std::fabs(value) < least_normal;
  return static_cast<float>(subnormal ? std::trunc(value * per_subnormal) / per_subnormal
                                      : of_bits(bits_of(value) & ~beyond_fp32));
}

/// One row of the product: sums[j] += a[0] b[0][j] + a[1] b[1][j] + ...
template <int K>
LADDER_VECTORIZED void add_row(const double (&a)[K], const double (&b)[K][columns], double (&sums)[columns]) {
  constexpr double kept_units = 0x1p25;   // in the largest term: 23 bits below its first, and two more
  constexpr double below_all = 0x1p-300;  // the least product of two FP32 numbers is 2^-298
  constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
  double products[K][columns];
  double largest[columns];
  for (int j = 0; j < columns; ++j) largest[j] = std::fabs(sums[j]) > below_all ? std::fabs(sums[j]) : below_all;
  for (int k = 0; k < K; ++k) {
    for (int j = 0; j < columns; ++j) {
      products[k][j] = a[k] * b[k][j];
      const double size = std::fabs(products[k][j]);
      largest[j] = size > largest[j] ? size : largest[j];
    }
  }
  double units[columns];
  double per_unit[columns];
  for (int j = 0; j < columns; ++j) {
    const double power = of_bits(bits_of(largest[j]) & exponent);
    units[j] = power / kept_units;
    per_unit[j] = kept_units / power;  // 0 for an infinity, which makes its term a NaN
  }
  double total[columns];
  for (int j = 0; j < columns; ++j) total[j] = std::trunc(sums[j] * per_unit[j]);
  for (int k = 0; k < K; ++k) {
    for (int j = 0; j < columns; ++j) total[j] += std::trunc(products[k][j] * per_unit[j]);
  }
  double plain[columns];
  for (int j = 0; j < columns; ++j) plain[j] = sums[j];
  for (int k = 0; k < K; ++k) {
    for (int j = 0; j < columns; ++j) plain[j] += products[k][j];
  }
  for (int j = 0; j < columns; ++j) {
    const auto cut_off = static_cast<double>(toward_zero(total[j] * units[j]));
    sums[j] = std::isnan(total[j]) ? plain[j] : cut_off;
  }
}

}  // namespace

template <int NUMBERS_IN_REGISTER>
LADDER_VECTORIZED void add_warp_product(const void* const* lanes) {
  constexpr int k_extent = 2 * lanes_of_a_row * NUMBERS_IN_REGISTER;
  double a[rows][k_extent];
  double b[k_extent][columns];
  double sums[rows][columns];
  for (int lane = 0; lane < lanes_per_warp; ++lane) {
    const auto& from = *static_cast<const TensorLane*>(lanes[lane]);
    const int group = lane / lanes_of_a_row;
    const int member = lane % lanes_of_a_row;
    for (int half = 0; half < 2; ++half) {
      for (int number = 0; number < NUMBERS_IN_REGISTER; ++number) {
        const int k = (half * lanes_of_a_row + member) * NUMBERS_IN_REGISTER + number;
        a[group][k] = static_cast<double>(from.a[2 * half * NUMBERS_IN_REGISTER + number]);
        a[group + rows / 2][k] = static_cast<double>(from.a[(2 * half + 1) * NUMBERS_IN_REGISTER + number]);
        b[k][group] = static_cast<double>(from.b[half * NUMBERS_IN_REGISTER + number]);
      }
      for (int i = 0; i < 2; ++i) {
        sums[group + half * rows / 2][2 * member + i] = static_cast<double>(from.sums[2 * half + i]);
      }
    }
  }
  for (int row = 0; row < rows; ++row) add_row(a[row], b, sums[row]);
  for (int lane = 0; lane < lanes_per_warp; ++lane) {
    float* to = static_cast<const TensorLane*>(lanes[lane])->sums;
    const int group = lane / lanes_of_a_row;
    const int column = 2 * (lane % lanes_of_a_row);
    for (int i = 0; i < 4; ++i) to[i] = static_cast<float>(sums[group + i / 2 * rows / 2][column + i % 2]);
  }
}

template void add_warp_product<1>(const void* const* lanes);
template void add_warp_product<2>(const void* const* lanes);

}  // namespace ladder::simt

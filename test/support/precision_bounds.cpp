// SPDX-License-Identifier: MIT
#include "precision_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ladder::test {

namespace {

constexpr double unit = 0x1p-24;
constexpr std::int64_t slab = 32;
constexpr std::int64_t chunk = 64;

double steps(std::int64_t k, std::int64_t of) { return std::ceil(static_cast<double>(k) / static_cast<double>(of)); }

/// The roundings that a sum goes through.
double roundings(std::int64_t k, Precision precision, bool surely_in_range) {
  const auto fma = static_cast<double>(k);
  const auto of_slab = static_cast<double>(std::min(k, slab));
  const auto of_chunk = static_cast<double>(std::min(k, chunk));
  const double bf16x6 = of_slab / 2 + 7 + 2 * steps(k, slab);
  const double fp16x3 = 14 + of_chunk / 2 + 2.5 * steps(std::min(k, chunk), 16) + steps(k, chunk);
  switch (precision) {
    case Precision::tf32:
      return fma + 3;
    case Precision::bf16x6:
      return surely_in_range ? bf16x6 : std::max(fma, bf16x6);
    case Precision::fp16x3:
      return surely_in_range ? std::max(bf16x6, fp16x3) : std::max({fma, bf16x6, fp16x3});
    case Precision::fp32:
      break;
  }
  return fma;
}

}  // namespace

double gamma(double roundings, double unit) {
  const double product = roundings * unit;
  return product / (1.0 - product);
}

template <class At>
SumBounds::Chunks SumBounds::chunks_of(std::int64_t lines, std::int64_t k, const At& at) {
  const auto count = static_cast<std::size_t>(lines * ((k + chunk - 1) / chunk));
  Chunks found{std::vector<double>(count, 0.0), std::vector<double>(count, 0.0)};
  for (std::int64_t l = 0; l < k; ++l) {
    for (std::int64_t line = 0; line < lines; ++line) {
      const double element = std::fabs(static_cast<double>(at(line, l)));
      const double size = std::isnan(element) ? std::numeric_limits<double>::infinity() : element;
      const auto place = static_cast<std::size_t>(l / chunk * lines + line);
      found.sums[place] += size;
      found.largest[place] = std::max(found.largest[place], size);
    }
  }
  return found;
}

SumBounds::SumBounds(const GemmProblem& p, std::int64_t k, Precision precision) {
  // Far inside the range of planes, whatever the sums: what is outside may go either way.
  constexpr double safe_product = 0x1p80;
  bool surely_in_range = true;
  if (precision != Precision::fp32) {
    chunks_ = (k + chunk - 1) / chunk;
    a_ = chunks_of(p.m, k, [&p](std::int64_t i, std::int64_t l) {
      return p.op_a == Op::none ? p.a[i + l * p.lda] : p.a[l + i * p.lda];
    });
    b_ = chunks_of(p.n, k, [&p](std::int64_t j, std::int64_t l) {
      return p.op_b == Op::none ? p.b[l + j * p.ldb] : p.b[j + l * p.ldb];
    });
    const auto largest_of = [](const Chunks& chunks) {
      return chunks.largest.empty() ? 0.0 : *std::max_element(chunks.largest.begin(), chunks.largest.end());
    };
    const double a = largest_of(a_);
    const double b = largest_of(b_);
    surely_in_range = a < safe_product && b < safe_product && a * b * static_cast<double>(k) < safe_product;
  }
  relative_ = gamma(roundings(k, precision, surely_in_range), unit);
  if (precision == Precision::tf32) {
    constexpr double unit_of_tf32 = 0x1p-11;
    constexpr double least_normal = 0x1p-126;
    relative_ += 2 * unit_of_tf32 + unit_of_tf32 * unit_of_tf32;
    of_elements_ = least_normal;
  }
  if (precision == Precision::fp16x3) of_largest_ = 0x1p-39;
}

double SumBounds::at(std::int64_t i, std::int64_t j, double magnitude) const {
  double bound = relative_ * magnitude;
  if (of_elements_ == 0.0 && of_largest_ == 0.0) return bound;
  const std::int64_t a_lines = static_cast<std::int64_t>(a_.sums.size()) / std::max<std::int64_t>(chunks_, 1);
  const std::int64_t b_lines = static_cast<std::int64_t>(b_.sums.size()) / std::max<std::int64_t>(chunks_, 1);
  for (std::int64_t c = 0; c < chunks_; ++c) {
    const auto a = static_cast<std::size_t>(c * a_lines + i);
    const auto b = static_cast<std::size_t>(c * b_lines + j);
    bound += of_elements_ * (a_.sums[a] + b_.sums[b]);
    bound += of_largest_ * (a_.largest[a] * b_.sums[b] + b_.largest[b] * a_.sums[a]);
  }
  return bound;
}

}  // namespace ladder::test

// SPDX-License-Identifier: MIT
#include "judgement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "running_bound.hpp"

namespace ladder::bench {

namespace {

constexpr std::uint64_t places_seed = 3;

// The element at that place in the order of memory, were there nothing between the columns.
Sample place_of(const GemmProblem& p, std::uint64_t index) {
  const auto m = static_cast<std::uint64_t>(p.m);
  const auto n = static_cast<std::uint64_t>(p.n);
  Sample sample;
  sample.row = static_cast<std::int64_t>(index % m);
  sample.column = static_cast<std::int64_t>(index / m % n);
  sample.member = static_cast<std::int64_t>(index / m / n);
  return sample;
}

std::string element_text(const GemmProblem& p, const Sample& at) {
  const std::string member = p.batch > 1 ? fmt::format(" of batch member {}", at.member) : std::string();
  return fmt::format("C({}, {}){}", at.row, at.column, member);
}

}  // namespace

Accuracy accuracy_of(Precision precision) {
  switch (precision) {
    case Precision::tf32:
      return Accuracy::tf32;
    case Precision::fp16x3:
      return Accuracy::fp16x3;
    case Precision::bf16x6:
    case Precision::fp32:
      break;
  }
  return Accuracy::fp32;
}

double error_bound(const Sample& sample, std::int64_t k, Accuracy accuracy) {
  const double fp32 = running_bound(sample.sum, sample.partial_sums, k);
  const auto terms = static_cast<double>(k);
  switch (accuracy) {
    case Accuracy::tf32:
      return fp32 + 0x1p-9 * sample.magnitude + 0x1p-126 * terms * (sample.largest_a + sample.largest_b);
    case Accuracy::fp16x3:
      return fp32 + 0x1p-21 * sample.magnitude + 0x1p-38 * terms * sample.largest_a * sample.largest_b;
    case Accuracy::fp32:
      break;
  }
  return fp32;
}

double stated_bound_of_fp16x3(std::int64_t k) {
  constexpr double of_a_chunk = 58.0, chunk = 64.0;
  return (of_a_chunk + static_cast<double>(k) / chunk) * 0x1p-24;
}

Judgement judge_samples(const GemmProblem& problem, const std::vector<Sample>& samples,
                        const std::vector<float>& values, const NanCount& nans, Accuracy accuracy) {
  if (nans.count > 0) {
    return {fmt::format("{} elements are NaN, the first {}", nans.count,
                        element_text(problem, place_of(problem, nans.first))),
            std::numeric_limits<double>::quiet_NaN()};
  }
  Judgement judgement{"right", 0.0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double value = values[i];
    const double error = std::abs(value - samples[i].sum);
    const double share = error == 0.0 ? 0.0 : error / error_bound(samples[i], problem.k, accuracy);
    if (!(share <= judgement.worst_error)) judgement.worst_error = share;
    if (share <= 1.0 || !judgement.right()) continue;
    judgement.verdict = fmt::format("{} is {:.9g}, not {:.9g}: {:.3g} times the bound",
                                    element_text(problem, samples[i]), value, samples[i].sum, share);
  }
  return judgement;
}

std::vector<Sample> sample_places(const GemmProblem& p, std::size_t count) {
  const auto m = static_cast<std::uint64_t>(p.m);
  const auto n = static_cast<std::uint64_t>(p.n);
  const std::uint64_t one = m * n;
  const std::uint64_t all = one * static_cast<std::uint64_t>(p.batch);
  std::set<std::uint64_t> chosen;
  if (all <= count) {
    for (std::uint64_t index = 0; index < all; ++index) chosen.insert(index);
  } else {
    for (const std::uint64_t member : {std::uint64_t{0}, all - one}) {
      chosen.insert({member, member + m - 1, member + one - m, member + one - 1});
    }
    std::mt19937_64 generator(places_seed);
    while (chosen.size() < count) chosen.insert(generator() % all);
  }
  std::vector<Sample> places;
  for (const std::uint64_t index : chosen) places.push_back(place_of(p, index));
  return places;
}

}  // namespace ladder::bench

// SPDX-License-Identifier: MIT
#include "host_door_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ladder::bench {

namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;  // elements that one generator draws

using Draw = std::function<void(std::mt19937_64& generator, float* first, float* last)>;

/// [0, 1) from the upper bits that an FP32 number can hold.
float unit(std::mt19937_64& generator) {
  constexpr int unused_bits = 40;
  return static_cast<float>(generator() >> unused_bits) * 0x1p-24f;
}

Draw draw_of(Data data) {
  switch (data) {
    case Data::zeros:
      return [](std::mt19937_64&, float* first, float* last) { std::fill(first, last, 0.0f); };
    case Data::uniform:
      return [](std::mt19937_64& g, float* first, float* last) {
        std::generate(first, last, [&g] { return 2.0f * unit(g) - 1.0f; });
      };
    case Data::positive:
      return
          [](std::mt19937_64& g, float* first, float* last) { std::generate(first, last, [&g] { return unit(g); }); };
    default:
      break;
  }
  return [](std::mt19937_64& g, float* first, float* last) {
    std::normal_distribution<float> normal;
    std::generate(first, last, [&] { return normal(g); });
  };
}

/// Calls work(i) for i = 0 ... count - 1 on all of the machine's threads.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  const std::size_t threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max<std::size_t>(1, count));
  std::vector<std::jthread> others;
  const auto every_nth = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += threads) work(i);
  };
  for (std::size_t first = 1; first < threads; ++first) others.emplace_back(every_nth, first);
  every_nth(0);
}

void fill(float* matrix, std::size_t elements, const Draw& draw, std::uint64_t seed) {
  in_parallel((elements + chunk - 1) / chunk, [&](std::size_t i) {
    std::seed_seq words{seed, seed >> 32, static_cast<std::uint64_t>(i)};
    std::mt19937_64 generator(words);
    draw(generator, matrix + i * chunk, matrix + std::min(elements, (i + 1) * chunk));
  });
}

std::size_t elements_of(std::int64_t stride, std::int64_t batch) { return static_cast<std::size_t>(stride * batch); }

GemmProblem shape_of(const BenchProblem& p) {
  GemmProblem shape;
  shape.op_a = p.op_a;
  shape.op_b = p.op_b;
  shape.m = p.m;
  shape.n = p.n;
  shape.k = p.k;
  shape.alpha.value = 1.0f;
  shape.lda = p.lda;
  shape.ldb = p.ldb;
  shape.ldc = p.ldc;
  shape.batch = p.batch;
  shape.stride_a = stride_a(p);
  shape.stride_b = stride_b(p);
  shape.stride_c = stride_c(p);
  return shape;
}

std::optional<double> available_bytes() {
  constexpr double kibibyte = 1024.0;
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double amount = 0.0;
    if (word == "MemAvailable:" && file >> amount) return amount * kibibyte;
  }
  return std::nullopt;
}

// The system promises more memory than it has, and kills who uses it.
const BenchProblem& that_fits_memory(const BenchProblem& p) {
  constexpr double giga = 1e9;
  const double bytes =
      static_cast<double>(p.batch) * sizeof(float) *
      (static_cast<double>(stride_a(p)) + static_cast<double>(stride_b(p)) + static_cast<double>(stride_c(p)));
  const auto available = available_bytes();
  if (!available || bytes <= *available) return p;
  throw std::runtime_error(
      fmt::format("the matrices take {:.3g} GB, and {:.3g} GB of memory are free", bytes / giga, *available / giga));
}

// Not std::make_unique: the pages are first touched by the threads that fill them.
std::unique_ptr<float[]> uninitialised(std::size_t elements) { return std::unique_ptr<float[]>(new float[elements]); }

}  // namespace

HostMatrices::HostMatrices(const HostTask& task)
    : problem_(that_fits_memory(task.problem)),
      elements_c_(elements_of(stride_c(problem_), problem_.batch)),
      a_(uninitialised(elements_of(stride_a(problem_), problem_.batch))),
      b_(uninitialised(elements_of(stride_b(problem_), problem_.batch))),
      c_(uninitialised(elements_c_)) {
  const Draw draw = draw_of(task.data);
  fill(a_.get(), elements_of(stride_a(problem_), problem_.batch), draw, 2 * task.seed);
  fill(b_.get(), elements_of(stride_b(problem_), problem_.batch), draw, 2 * task.seed + 1);
  poison();
}

void HostMatrices::poison() {
  const auto nan = [](std::mt19937_64&, float* first, float* last) {
    std::fill(first, last, std::numeric_limits<float>::quiet_NaN());
  };
  fill(c_.get(), elements_c_, nan, 0);
}

void HostMatrices::sum_up(Sample& sample) const {
  const bool plain_a = problem_.op_a == Op::none, plain_b = problem_.op_b == Op::none;
  const float* a_at = a(sample.member) + (plain_a ? sample.row : sample.row * problem_.lda);
  const float* b_at = b(sample.member) + (plain_b ? sample.column * problem_.ldb : sample.column);
  const std::int64_t step_a = plain_a ? problem_.lda : 1, step_b = plain_b ? 1 : problem_.ldb;
  for (std::int64_t l = 0; l < problem_.k; ++l) {
    const double product = static_cast<double>(a_at[l * step_a]) * static_cast<double>(b_at[l * step_b]);
    sample.sum += product;
    sample.partial_sums += std::abs(sample.sum);
    sample.magnitude += std::abs(product);
    sample.largest_a = std::max<double>(sample.largest_a, std::abs(a_at[l * step_a]));
    sample.largest_b = std::max<double>(sample.largest_b, std::abs(b_at[l * step_b]));
  }
}

NanCount HostMatrices::nans() const {
  NanCount found;
  for (std::int64_t column = problem_.n * problem_.batch - 1; column >= 0; --column) {
    const std::int64_t member = column / problem_.n;
    const float* begin = c_.get() + member * stride_c(problem_) + column % problem_.n * problem_.ldc;
    for (std::int64_t row = problem_.m - 1; row >= 0; --row) {
      if (!std::isnan(begin[row])) continue;
      ++found.count;
      found.first = static_cast<std::uint64_t>(row + problem_.m * column);
    }
  }
  return found;
}

Judgement HostMatrices::judgement(Accuracy accuracy) const {
  constexpr std::size_t judged_elements = 128;
  const GemmProblem shape = shape_of(problem_);
  std::vector<Sample> samples = sample_places(shape, judged_elements);
  std::vector<float> values;
  for (Sample& sample : samples) {
    sum_up(sample);
    values.push_back(
        c_[static_cast<std::size_t>(sample.member * stride_c(problem_) + sample.row + sample.column * problem_.ldc)]);
  }
  return judge_samples(shape, samples, values, nans(), accuracy);
}

}  // namespace ladder::bench

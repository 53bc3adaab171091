// SPDX-License-Identifier: MIT
#include "batch_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace ladder::test {

namespace {

constexpr float canary = -77.0f;  // where no product of a batch has an element

/// Floats for `batch` matrices, `stride` apart (either sign), and the address of the first.
struct Stack {
  Stack(std::int64_t batch, std::int64_t stride, std::int64_t extent)
      : storage(static_cast<std::size_t>((batch - 1) * (stride < 0 ? -stride : stride) + extent), canary),
        first(stride < 0 ? (1 - batch) * stride : 0) {}

  float* data() { return storage.data() + first; }
  const float* data() const { return storage.data() + first; }

  std::vector<float> storage;
  std::int64_t first;
};

/// Integers from -5 to 5, or numbers that make every sum of products round.
void fill(std::vector<float>& values, unsigned seed, bool exact) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned random = static_cast<unsigned>(i + 1) * 2654435761u * seed;
    values[i] = exact ? static_cast<float>(static_cast<int>(random % 11u) - 5)
                      : static_cast<float>(static_cast<int>(random % 2001u) - 1000) / 499.0f;
  }
}

/// A batch with its matrices, and what rung 1 makes of them product by product.
class Batch {
 public:
  Batch(const BatchCase& how, bool exact)
      : problem_(problem_of(how)),
        slots_(how),
        in_arrays_(how.in_arrays),
        a_(how.batch, problem_.stride_a, problem_.m * problem_.k),
        b_(how.batch, problem_.stride_b, problem_.k * problem_.n),
        c_(how.batch, problem_.stride_c, problem_.m * problem_.n),
        old_c_(static_cast<std::size_t>(floats_of_old_c(problem_))),
        bias_(static_cast<std::size_t>(floats_of_bias(problem_))) {
    fill(a_.storage, 1, exact);
    fill(b_.storage, 2, exact);
    fill(old_c_, 3, exact);
    fill(bias_, 4, exact);
    for (std::int64_t product = 0; product < how.batch; ++product) {
      float* c = c_.data() + product * problem_.stride_c;
      for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i) c[i] = 0.25f * static_cast<float>(i % 9);
    }
    problem_.a = a_.data();
    problem_.b = b_.data();
    if (how.finish.old_c_elsewhere) problem_.old_c = old_c_.data();
    if (how.finish.bias != Bias::none) problem_.bias = bias_.data();
    due_ = result_one_by_one(find_rung("naive")->emulated->launch);
    REQUIRE(due_ != c_.storage);
  }

  const std::vector<float>& due() const { return due_; }

  /// C and what is between its matrices, after a launch for each product.
  template <class Launch>
  std::vector<float> result_one_by_one(Launch launch) const {
    Stack c = c_;
    GemmProblem problem = problem_;
    problem.c = c.data();
    for (std::int64_t product = 0; product < problem.batch; ++product) {
      REQUIRE(launch(product_of(problem, slots_, product), nullptr) == launch_ok);
    }
    return c.storage;
  }

  /// Calls use(problem) with C in `c`.
  template <class Use>
  auto with_problem(Stack& c, const Use& use) const {
    GemmProblem problem = problem_;
    problem.c = c.data();
    if (!in_arrays_) return use(problem);
    const std::vector<const float*> a_array = addresses_of(slots_.a, problem.a, problem.stride_a);
    const std::vector<const float*> b_array = addresses_of(slots_.b, problem.b, problem.stride_b);
    const std::vector<float*> c_array = addresses_of(slots_.c, problem.c, problem.stride_c);
    problem = without_strides(problem);
    problem.a_array = a_array.data();
    problem.b_array = b_array.data();
    problem.c_array = c_array.data();
    return use(problem);
  }

  bool runs(const KernelConfig& config) const {
    Stack c = c_;
    return with_problem(c, [&](const GemmProblem& problem) { return can_run(config, problem); });
  }

  /// C and what is between its matrices, after a launch.
  template <class Launch>
  std::vector<float> result_of(Launch launch) const {
    Stack c = c_;
    REQUIRE(with_problem(c, [&](const GemmProblem& problem) { return launch(problem, nullptr); }) == launch_ok);
    return c.storage;
  }

 private:
  GemmProblem problem_;  // with the addresses of the first of each stack
  BatchSlots slots_;
  bool in_arrays_;
  Stack a_, b_, c_;
  std::vector<float> old_c_, bias_;
  std::vector<float> due_;
};

struct Batches {
  Batch random, exact;
};

template <class Launch>
void check_launch(Launch launch, Sums sums, const Batches& batches) {
  if (sums == Sums::by_k) {
    CHECK(batches.random.result_of(launch) == batches.random.due());
    return;
  }
  CHECK(batches.exact.result_of(launch) == batches.exact.due());
  if (sums == Sums::by_slab && effort() == Effort::tiny) return;
  CHECK(batches.random.result_of(launch) == batches.random.result_of(launch));
  if (sums == Sums::in_blocks) return;
  const PlainSums asked;
  INFO("in the order of k");
  const std::vector<float> result = batches.random.result_of(launch);
  CHECK(result == (sums == Sums::by_slab ? batches.random.result_one_by_one(launch) : batches.random.due()));
}

}  // namespace

GemmProblem problem_of(const BatchCase& how) {
  GemmProblem p;
  p.op_a = how.op_a;
  p.op_b = how.op_b;
  p.m = how.shape.m;
  p.n = how.shape.n;
  p.k = how.shape.k;
  p.alpha.value = 0.75f;
  p.beta.value = 1.25f;
  p.lda = how.op_a == Op::none ? p.m : p.k;
  p.ldb = how.op_b == Op::none ? p.k : p.n;
  p.ldc = p.m;
  p.batch = how.batch;
  p.stride_a = how.strides.a * (p.m * p.k + how.apart);
  p.stride_b = how.strides.b * (p.k * p.n + 2 * how.apart);
  p.stride_c = how.strides.c * (p.m * p.n + 3 * how.apart);
  p.ld_old_c = p.m + 1;
  p.stride_old_c = how.finish.old_c_elsewhere ? p.ld_old_c * p.n + 2 : 0;
  p.bias_by_column = how.finish.bias == Bias::by_column;
  const std::int64_t bias = p.bias_by_column ? p.n : p.m;
  p.bias_stride = how.finish.bias == Bias::none || how.shares_bias ? 0 : bias + 1;
  p.activation = how.finish.activation;
  return p;
}

BatchSlots::BatchSlots(const BatchCase& batch) : a(static_cast<std::size_t>(batch.batch)), b(a), c(a) {
  std::iota(a.begin(), a.end(), 0);
  b = c = a;
  if (!batch.in_arrays) return;
  std::mt19937 generator(1);
  std::shuffle(a.begin(), a.end(), generator);
  std::shuffle(b.begin(), b.end(), generator);
  std::shuffle(c.begin(), c.end(), generator);
  for (std::size_t i = 1; i < a.size(); i += 2) a[i] = a[i - 1];
}

GemmProblem product_of(const GemmProblem& batch, const BatchSlots& slots, std::int64_t number) {
  const auto i = static_cast<std::size_t>(number);
  GemmProblem one = batch;
  one.batch = 1;
  one.a += slots.a[i] * batch.stride_a;
  one.b += slots.b[i] * batch.stride_b;
  one.c += slots.c[i] * batch.stride_c;
  if (one.old_c != nullptr) one.old_c += number * batch.stride_old_c;
  if (one.bias != nullptr) one.bias += number * batch.bias_stride;
  return one;
}

GemmProblem without_strides(GemmProblem problem) {
  constexpr std::int64_t nonsense = -4611686018427387;
  problem.a = problem.b = problem.c = nullptr;
  problem.stride_a = problem.stride_b = problem.stride_c = nonsense;
  return problem;
}

std::int64_t floats_of_old_c(const GemmProblem& batch) { return batch.batch * batch.stride_old_c; }

std::int64_t floats_of_bias(const GemmProblem& batch) {
  return batch.batch * batch.bias_stride + std::max(batch.m, batch.n);
}

void check_batch(const Rung& rung, const BatchCase& batch, Ran* ran) {
  const std::string text = std::string(rung.id) + " m=" + std::to_string(batch.shape.m) +
                           " n=" + std::to_string(batch.shape.n) + " k=" + std::to_string(batch.shape.k) +
                           " batch=" + std::to_string(batch.batch) + " apart=" + std::to_string(batch.apart) +
                           (batch.in_arrays ? " in arrays" : "") + describe(batch.finish);
  INFO(text);
  const Batches batches{Batch(batch, false), Batch(batch, true)};
  check_launch(rung.emulated->launch, emulated_sums_of(rung), batches);
  if (spares_configs(rung)) return;
  for (const KernelConfig& config : rung.emulated->configs) {
    if (!batches.random.runs(config)) continue;
    INFO(config.name);
    check_launch(config.launch, config.sums, batches);
    if (ran != nullptr) ran->insert(&config);
  }
}

}  // namespace ladder::test

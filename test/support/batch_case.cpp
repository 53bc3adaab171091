// SPDX-License-Identifier: MIT
#include "batch_case.hpp"

#include <doctest/doctest.h>

#include <cstddef>
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
        a_(how.batch, problem_.stride_a, problem_.m * problem_.k),
        b_(how.batch, problem_.stride_b, problem_.k * problem_.n),
        c_(how.batch, problem_.stride_c, problem_.m * problem_.n) {
    fill(a_.storage, 1, exact);
    fill(b_.storage, 2, exact);
    for (std::int64_t product = 0; product < how.batch; ++product) {
      float* c = c_.data() + product * problem_.stride_c;
      for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i) c[i] = 0.25f * static_cast<float>(i % 9);
    }
    problem_.a = a_.data();
    problem_.b = b_.data();
    due_ = c_.storage;
    const RungKernel& rung_1 = *find_rung("naive")->emulated;
    for (std::int64_t product = 0; product < how.batch; ++product) {
      GemmProblem one = problem_;
      one.a += product * problem_.stride_a;
      one.b += product * problem_.stride_b;
      one.c = due_.data() + c_.first + product * problem_.stride_c;
      one.batch = 1;
      REQUIRE(rung_1.launch(one, nullptr) == launch_ok);
    }
    REQUIRE(due_ != c_.storage);
  }

  const GemmProblem& problem() const { return problem_; }
  const std::vector<float>& due() const { return due_; }

  /// C and what is between its matrices, after a launch.
  template <class Launch>
  std::vector<float> result_of(Launch launch) const {
    Stack c = c_;
    GemmProblem problem = problem_;
    problem.c = c.data();
    REQUIRE(launch(problem, nullptr) == launch_ok);
    return c.storage;
  }

 private:
  GemmProblem problem_;
  Stack a_, b_, c_;
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
  CHECK(batches.random.result_of(launch) == batches.random.result_of(launch));
  if (sums != Sums::as_asked) return;
  const PlainSums asked;
  INFO("in the order of k");
  CHECK(batches.random.result_of(launch) == batches.random.due());
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
  return p;
}

void check_batch(const Rung& rung, const BatchCase& batch, Ran* ran) {
  const std::string text = std::string(rung.id) + " m=" + std::to_string(batch.shape.m) +
                           " n=" + std::to_string(batch.shape.n) + " k=" + std::to_string(batch.shape.k) +
                           " batch=" + std::to_string(batch.batch) + " apart=" + std::to_string(batch.apart);
  INFO(text);
  const Batches batches{Batch(batch, false), Batch(batch, true)};
  check_launch(rung.emulated->launch, sums_of(*rung.emulated), batches);
  for (const KernelConfig& config : rung.emulated->configs) {
    if (!can_run(config, batches.random.problem())) continue;
    INFO(config.name);
    check_launch(config.launch, config.sums, batches);
    if (ran != nullptr) ran->insert(&config);
  }
}

}  // namespace ladder::test

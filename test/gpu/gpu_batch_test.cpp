// SPDX-License-Identifier: MIT
// A batch in one launch on the GPU: bit for bit what rung 1 gives product by product.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "gpu_kernels.hpp"
#include "support/config_cases.hpp"

namespace ladder::test {

namespace {

/// Values in GPU memory.
template <class Value>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<Value>& values) : count_(values.size()) {
    REQUIRE(cudaMalloc(&memory_, count_ * sizeof(Value)) == cudaSuccess);
    write(values);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  Value* data() const { return static_cast<Value*>(memory_); }

  void write(const std::vector<Value>& values) const {
    REQUIRE(cudaMemcpy(memory_, values.data(), count_ * sizeof(Value), cudaMemcpyHostToDevice) == cudaSuccess);
  }

  std::vector<Value> values() const {
    std::vector<Value> host(count_);
    REQUIRE(cudaMemcpy(host.data(), memory_, count_ * sizeof(Value), cudaMemcpyDeviceToHost) == cudaSuccess);
    return host;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

/// Normal, or integers whose sums are exact in any order.
std::vector<float> random_values(std::int64_t count, unsigned seed, bool exact) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> integer(-5, 5);
  std::vector<float> values(static_cast<std::size_t>(count + 1));  // no array is empty
  for (float& value : values) value = exact ? static_cast<float>(integer(generator)) : normal(generator);
  return values;
}

/// Floats from the first product's matrix to the lowest address of a batch.
std::int64_t below(std::int64_t batch, std::int64_t stride) { return stride < 0 ? (1 - batch) * stride : 0; }

/// What a batch of matrices takes, and one more: what a block too many would read or write.
std::int64_t room(std::int64_t batch, std::int64_t stride, std::int64_t extent) {
  return (batch + 1) * (stride < 0 ? -stride : stride) + extent;
}

/// A batch on the GPU and what rung 1 makes of it, one launch a product.
class DeviceBatch {
 public:
  DeviceBatch(const BatchCase& how, bool exact)
      : shape_(problem_of(how)),
        slots_(how),
        before_(random_values(room(how.batch, shape_.stride_c, shape_.m * shape_.n), 3, exact)),
        a_(random_values(room(how.batch, shape_.stride_a, shape_.m * shape_.k), 1, exact)),
        b_(random_values(room(how.batch, shape_.stride_b, shape_.k * shape_.n), 2, exact)),
        c_(before_),
        old_c_(random_values(floats_of_old_c(shape_), 4, exact)),
        bias_(random_values(floats_of_bias(shape_), 5, exact)),
        a_array_(addresses_of<const float>(slots_.a, a_.data() + below(how.batch, shape_.stride_a), shape_.stride_a)),
        b_array_(addresses_of<const float>(slots_.b, b_.data() + below(how.batch, shape_.stride_b), shape_.stride_b)),
        c_array_(addresses_of(slots_.c, c_.data() + below(how.batch, shape_.stride_c), shape_.stride_c)) {
    shape_.a = a_.data() + below(how.batch, shape_.stride_a);
    shape_.b = b_.data() + below(how.batch, shape_.stride_b);
    shape_.c = c_.data() + below(how.batch, shape_.stride_c);
    if (how.finish.old_c_elsewhere) shape_.old_c = old_c_.data();
    if (how.finish.bias != Bias::none) shape_.bias = bias_.data();
    for (std::int64_t product = 0; product < how.batch; ++product) {
      REQUIRE(find_rung("naive")->gpu->launch(product_of(shape_, slots_, product), nullptr) == launch_ok);
    }
    due_ = c_.values();
    REQUIRE(due_ != before_);
    if (!how.in_arrays) return;
    shape_ = without_strides(shape_);
    shape_.a_array = a_array_.data();
    shape_.b_array = b_array_.data();
    shape_.c_array = c_array_.data();
  }

  const GemmProblem& problem() const { return shape_; }

  void check(const Kernel& kernel) const { CHECK(result_of(kernel) == due_); }
  void check_repeats(const Kernel& kernel) const { CHECK(result_of(kernel) == result_of(kernel)); }

 private:
  std::vector<float> result_of(const Kernel& kernel) const {
    c_.write(before_);
    REQUIRE(kernel.launch()(shape_, nullptr) == launch_ok);
    return c_.values();
  }

  GemmProblem shape_;
  BatchSlots slots_;
  std::vector<float> before_;
  DeviceArray<float> a_, b_, c_, old_c_, bias_;
  DeviceArray<const float*> a_array_, b_array_;
  DeviceArray<float*> c_array_;
  std::vector<float> due_;
};

struct DeviceBatches {
  explicit DeviceBatches(const BatchCase& how) : random(how, false), exact(how, true) {}

  DeviceBatch random, exact;
};

void check_batch_on_gpu(const Kernel& kernel, const DeviceBatches& batches) {
  if (!kernel.runs(batches.random.problem())) return;
  const GemmProblem& p = batches.random.problem();
  const std::string text = kernel.name() + " m=" + std::to_string(p.m) + " n=" + std::to_string(p.n) +
                           " k=" + std::to_string(p.k) + " batch=" + std::to_string(p.batch) +
                           (p.c_array != nullptr ? " in arrays" : "") +
                           (p.is_plain() ? "" : " with more to its epilogue");
  INFO(text);
  if (kernel.sums() == Sums::by_k) return batches.random.check(kernel);
  batches.exact.check(kernel);
  batches.random.check_repeats(kernel);
  if (kernel.sums() != Sums::as_asked) return;
  const PlainSums asked;
  batches.random.check(kernel);
}

constexpr Op ops[] = {Op::none, Op::transpose};

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("at the edges of its tile, a batch gives the bits of its products one by one") {
    std::size_t turn = 0;
    for (const Kernel& kernel : gpu_kernels()) {
      const TileExtents& tile = kernel.tile();
      const Shape cut{tile.bm + 1, tile.bn / 2 + 1, tile.bk + 3}, whole{tile.bm, tile.bn, tile.bk};
      for (const Shape& shape : {cut, whole}) {
        for (const Op op_a : ops) {
          for (const Op op_b : ops) {
            BatchCase how{.shape = shape, .op_a = op_a, .op_b = op_b, .batch = 5, .strides = {1, 0, 1}, .apart = 1};
            check_batch_on_gpu(kernel, DeviceBatches(how));
            how.in_arrays = turn % 2 == 0;
            how.finish = finishes[turn++ % std::size(finishes)];
            check_batch_on_gpu(kernel, DeviceBatches(how));
          }
        }
      }
    }
  }

  TEST_CASE("batches that configurations are made for") {
    const std::vector<Kernel> kernels = gpu_kernels();
    for (const BatchCase& how : batches_for_configs(Effort::full)) {
      const DeviceBatches batches(how);
      for (const Kernel& kernel : kernels) check_batch_on_gpu(kernel, batches);
    }
  }

  TEST_CASE("a batch that does not fill its last layer of blocks") {
    constexpr std::int64_t more_than_one_layer = 65537;
    for (const bool in_arrays : {false, true}) {
      const DeviceBatches batches({.shape = {2, 3, 4}, .batch = more_than_one_layer, .in_arrays = in_arrays});
      for (const Kernel& kernel : gpu_kernels()) check_batch_on_gpu(kernel, batches);
    }
  }
}

// Few and small: compute-sanitizer slows a kernel down a hundredfold.
TEST_SUITE("sanitize") {
  TEST_CASE("small batches, aligned or not") {
    for (const BatchCase& how : batches_for_configs(Effort::small)) {
      const DeviceBatches batches(how);
      for (const Kernel& kernel : gpu_kernels()) check_batch_on_gpu(kernel, batches);
    }
  }
}

}  // namespace ladder::test

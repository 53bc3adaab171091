// SPDX-License-Identifier: MIT
// auto: which rung serves a problem, by measurement and by the models, and when the tensor cores are left alone.
#include "auto_rung.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "choose_config.hpp"
#include "sum_order.hpp"
#include "tensor_model.hpp"

namespace ladder::test {

namespace {

GemmProblem cube(std::int64_t size) {
  GemmProblem p;
  p.alpha.value = 1.0f;
  p.m = p.n = p.k = size;
  p.lda = p.ldb = p.ldc = (size + 3) / 4 * 4;
  return p;
}

std::string chosen(const GemmProblem& problem, bool tensor_cores_allowed = true) {
  return auto_rung(problem, tensor_cores_allowed, KernelHome::emulated).name;
}

const DeviceTraits h200{.multiprocessors = 132, .compute_capability = 90};

constexpr double product_cycles = 1e6;

/// What the model adds to a product, in microseconds.
double beside_product_us(Precision precision, const GemmProblem& problem, const DeviceTraits& device = h200) {
  constexpr double cycles_per_us = 1755;
  return (tensor_cycles(precision, problem, product_cycles, device) - product_cycles) / cycles_per_us;
}

TuningRecord measured(std::int64_t size, const char* rung) {
  return {.rung = auto_rung_id, .m = size, .n = size, .k = size, .config = rung, .ms = 1.0};
}

/// With `records` published for the emulator while this lives.
struct Published {
  explicit Published(const std::vector<TuningRecord>& records) : table(records) {
    publish_tuning_table(emulator_slot, &table);
  }
  ~Published() { publish_tuning_table(emulator_slot, nullptr); }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  TuningTable table;
};

}  // namespace

TEST_CASE("auto chooses among the rungs that are as good as FP32, rung 9 first") {
  const std::span<const KernelConfig> candidates = auto_entry().emulated->configs;
  REQUIRE_FALSE(candidates.empty());
  CHECK(std::string(candidates.front().name) == default_rung().name);
  std::size_t on_tensor_cores = 0;
  for (const Rung& rung : rungs())
    on_tensor_cores += uses_tensor_cores(rung.precision) && is_as_good_as_fp32(rung.precision);
  CHECK(candidates.size() == 1 + on_tensor_cores);
  for (const KernelConfig& candidate : candidates) {
    const Rung* rung = find_rung(candidate.name);
    REQUIRE(rung != nullptr);
    CHECK(is_as_good_as_fp32(rung->precision));
  }
}

TEST_CASE("auto is no rung of the ladder, but has the name under which tables know it") {
  CHECK(find_rung(auto_rung_id) == nullptr);
  CHECK(tuned_rung(auto_rung_id) == &auto_entry());
  CHECK(tuned_rung("r09") == &default_rung());
  CHECK(tuned_rung("9") == nullptr);
  CHECK(tuned_rung("r99") == nullptr);
}

TEST_CASE("the model leaves small problems to rung 9 and takes large ones to the tensor cores") {
  CHECK(chosen(cube(64)) == default_rung().name);
  CHECK(chosen(cube(1)) == default_rung().name);
  const Rung* quickest = rung_of(Precision::fp16x3);
  REQUIRE(quickest != nullptr);
  CHECK(chosen(cube(8192)) == quickest->name);
}

TEST_CASE("who allows no tensor cores, or wants the plain order of k, gets rung 9") {
  CHECK(chosen(cube(8192), false) == default_rung().name);
  set_plain_sums(true);
  CHECK(chosen(cube(8192)) == default_rung().name);
  set_plain_sums(false);
  CHECK(chosen(cube(8192)) != default_rung().name);
}

TEST_CASE("a problem without products is rung 9's") {
  for (const auto extent : {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k}) {
    for (const std::int64_t none : {0, -1}) {
      GemmProblem p = cube(8192);
      p.*extent = none;
      CHECK(chosen(p) == default_rung().name);
    }
  }
  GemmProblem p = cube(8192);
  p.batch = 0;
  CHECK(chosen(p) == default_rung().name);
  p = cube(8192);
  p.alpha.value = 0.0f;
  CHECK(chosen(p) == default_rung().name);
}

TEST_CASE("a measurement of the very problem wins against the models, one of its class within a tenth of them") {
  const Rung* quickest = rung_of(Precision::fp16x3);
  const Rung* unscaled = rung_of(Precision::bf16x6);
  REQUIRE(quickest != nullptr);
  REQUIRE(unscaled != nullptr);
  const Published published({measured(8192, unscaled->name), measured(4096, default_rung().name)});
  CHECK(published.table.size() == 2);
  CHECK(chosen(cube(8192)) == unscaled->name);
  CHECK(chosen(cube(4096)) == default_rung().name);
  CHECK(chosen(cube(8188)) == quickest->name);  // of the same class, but the models see half the time
}

TEST_CASE("a measurement does not take a problem to a rung that declines it") {
  for (const Precision precision : {Precision::bf16x6, Precision::fp16x3}) {
    const Rung* rung = rung_of(precision);
    REQUIRE(rung != nullptr);
    const GemmProblem p = cube(1);
    const bool may_decline = rung->emulated->declines != nullptr;
    REQUIRE(may_decline);
    REQUIRE(rung->emulated->declines(p) != nullptr);
    const Published published({measured(1, rung->name)});
    CHECK(chosen(p) == default_rung().name);
  }
}

TEST_CASE("beside the product the model counts the launches, and the bytes of the planes at an H200's rate") {
  CHECK(beside_product_us(Precision::bf16x6, cube(1)) == doctest::Approx(8).epsilon(0.01));
  CHECK(beside_product_us(Precision::fp16x3, cube(1)) == doctest::Approx(11).epsilon(0.01));
  const double elements = 2.0 * 8192 * 8192;
  constexpr double bytes_per_us = 3.6e6;
  CHECK(beside_product_us(Precision::bf16x6, cube(8192)) ==
        doctest::Approx(8 + 10 * elements / bytes_per_us).epsilon(0.05));
  CHECK(beside_product_us(Precision::fp16x3, cube(8192)) ==
        doctest::Approx(11 + 8 * elements / bytes_per_us).epsilon(0.05));
  GemmProblem batch = cube(8192);
  batch.batch = 3;
  CHECK(beside_product_us(Precision::bf16x6, batch) == doctest::Approx(8 + 30 * elements / bytes_per_us).epsilon(0.05));
}

TEST_CASE("the model rules out what has no such tensor cores, and precisions that do not stand in for FP32") {
  const auto cycles = [](Precision precision, int capability) {
    const DeviceTraits device{.multiprocessors = 132, .compute_capability = capability};
    return tensor_cycles(precision, cube(8192), product_cycles, device);
  };
  for (const Precision precision : {Precision::bf16x6, Precision::fp16x3}) {
    CHECK(std::isinf(cycles(precision, 0)));
    CHECK(std::isinf(cycles(precision, 75)));
    for (const int slower : {80, 86, 89, 100, 120}) {
      CHECK(std::isfinite(cycles(precision, slower)));
      CHECK(cycles(precision, slower) > cycles(precision, 90));
    }
  }
  for (const Precision precision : {Precision::fp32, Precision::tf32}) CHECK(std::isinf(cycles(precision, 90)));
}

}  // namespace ladder::test

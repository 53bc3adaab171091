// SPDX-License-Identifier: MIT
// The choice of a configuration: what was measured, what is alike, what the model says; and that publishing a table
// disturbs nobody.
#include "choose_config.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sum_order.hpp"
#include "tuning_builtin.hpp"

namespace ladder::test {

namespace {

constexpr int multiprocessors = 132;

// Cycles of the three configurations below, whatever the problem.
std::array<double, 3> model_says;

template <int INDEX>
double said_of(const GemmProblem&, int) {
  return model_says[INDEX];
}

const Rung& tunable() { return *find_rung("r07"); }

// The first three names of rung 7, so that records can name them, with a model that the test sets.
std::vector<KernelConfig> configs() {
  std::vector<KernelConfig> three(tunable().emulated->configs.begin(), tunable().emulated->configs.begin() + 3);
  three[0].predicted_cycles = said_of<0>;
  three[1].predicted_cycles = said_of<1>;
  three[2].predicted_cycles = said_of<2>;
  return three;
}

GemmProblem square(std::int64_t size) {
  GemmProblem p;
  p.m = p.n = p.k = size;
  p.lda = p.ldb = p.ldc = (size + 3) / 4 * 4;
  return p;
}

TuningRecord record(std::int64_t size, std::size_t config) {
  return {
      .rung = "r07", .m = size, .n = size, .k = size, .config = tunable().emulated->configs[config].name, .ms = 1.0};
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

/// A choice from the first three of rung 7, where the second sums as it is asked and the last one in an order given.
std::size_t choice_among_orders(const GemmProblem& problem, Sums last = Sums::in_blocks) {
  std::vector<KernelConfig> three = configs();
  three[1].sums = Sums::as_asked;
  three[2].sums = last;
  const KernelConfig& chosen = choose_config(rung_key("r07"), three, problem, multiprocessors, emulator_slot);
  return static_cast<std::size_t>(&chosen - three.data());
}

std::size_t choice(const GemmProblem& problem, TuningSlot slot = emulator_slot) {
  static const std::vector<KernelConfig> three = configs();
  const KernelConfig& chosen = choose_config(rung_key("r07"), three, problem, multiprocessors, slot);
  return static_cast<std::size_t>(&chosen - three.data());
}

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("without a measurement the model decides; of equals the earlier") {
  model_says = {3, 2, 1};
  CHECK(choice(square(512)) == 2);
  model_says = {2, 1, 1};
  CHECK(choice(square(512)) == 1);
  model_says = {1, 1, 1};
  CHECK(choice(square(512)) == 0);
}

TEST_CASE("a measurement of the very problem wins against the model, however sure that is") {
  const Published published({record(512, 2)});
  model_says = {1, 1, 100};
  CHECK(choice(square(512)) == 2);
}

TEST_CASE("a measured configuration that cannot run here is not taken") {
  const Published published({record(512, 2)});
  model_says = {2, 1, never};
  CHECK(choice(square(512)) == 1);
  CHECK(choice(square(511)) == 1);
}

TEST_CASE("a measurement counts for its ops, alignment, batch and rung alone") {
  const Published published({record(512, 2)});
  model_says = {1, 2, 100};
  GemmProblem transposed = square(512);
  transposed.op_a = Op::transpose;
  CHECK(choice(transposed) == 0);
  GemmProblem unaligned = square(512);
  unaligned.lda = 513;
  CHECK(choice(unaligned) == 0);
  GemmProblem batched = square(512);
  batched.batch = 96;
  CHECK(choice(batched) == 0);
  const std::vector<KernelConfig> three = configs();
  CHECK(&choose_config(rung_key("r09"), three, square(512), multiprocessors, emulator_slot) == &three[0]);
}

TEST_CASE("problems alike take what mostly won, unless the model sees a cliff") {
  const Published published({record(1000, 2), record(1024, 2), record(1056, 1)});
  model_says = {1.00, 1.05, 1.09};
  CHECK(choice(square(1020)) == 2);  // within a tenth of the model's best
  model_says = {1.00, 1.05, 1.11};
  CHECK(choice(square(1020)) == 0);  // a cliff
  CHECK(choice(square(1056)) == 1);  // measured itself
  model_says = {1.00, 1.05, 1.09};
  CHECK(choice(square(2048)) == 0);  // not alike
}

TEST_CASE("where the order of k is asked for, nothing that sums in blocks is taken") {
  set_plain_sums(true);
  model_says = {3, 2, 1};
  CHECK(choice_among_orders(square(512)) == 1);  // the model's best of those that may
  model_says = {2, 3, 1};
  CHECK(choice_among_orders(square(512)) == 0);
  {
    const Published published({record(512, 2)});
    CHECK(choice_among_orders(square(512)) == 0);  // measured
    CHECK(choice_among_orders(square(511)) == 0);  // alike
  }
  model_says = {2, 3, 1};
  CHECK(choice_among_orders(square(512), Sums::by_slab) == 2);  // the tensor cores have no other order
  set_plain_sums(false);
  CHECK(choice_among_orders(square(512)) == 2);
}

TEST_CASE("a class is half an octave with the power of two in its middle") {
  const auto same = [](std::int64_t left, std::int64_t right) {
    return class_of(tuning_key(rung_key("r07"), square(left))) == class_of(tuning_key(rung_key("r07"), square(right)));
  };
  CHECK(same(4096, 4097));
  CHECK(same(4095, 4097));
  CHECK(same(3500, 4800));
  CHECK(same(4900, 6144));
  CHECK_FALSE(same(4096, 6144));
  CHECK_FALSE(same(3400, 4096));
  CHECK_FALSE(same(4096, 4900));
  CHECK_FALSE(same(0, 1));
  CHECK(same(std::int64_t{1} << 60, (std::int64_t{1} << 60) + 1));
}

TEST_CASE("a later record replaces an earlier one of the same problem") {
  const Published published({record(512, 1), record(512, 2)});
  CHECK(published.table.size() == 1);
  model_says = {1, 1, 1};
  CHECK(choice(square(512)) == 2);
}

TEST_CASE("records of rungs and configurations that do not exist are left out") {
  TuningRecord no_config_so_named = record(512, 1);
  no_config_so_named.config = "1x1x1_1x1";
  TuningRecord no_rung = record(512, 1);
  no_rung.rung = "r99";
  TuningRecord by_number = record(512, 1);
  by_number.rung = "7";
  CHECK(TuningTable(std::vector<TuningRecord>{no_config_so_named, no_rung, by_number}).empty());
}

TEST_CASE("a large table finds each of its problems and no other") {
  std::vector<TuningRecord> records;
  constexpr std::int64_t sizes = 2000;
  for (std::int64_t size = 1; size <= sizes; ++size)
    records.push_back(record(size, static_cast<std::size_t>(size % 3)));
  const TuningTable table(records);
  REQUIRE(table.size() == sizes);
  for (std::int64_t size = 1; size <= sizes; ++size) {
    TuningKey key = tuning_key(rung_key("r07"), square(size));
    CHECK(table.measured(key) == size % 3);
    key.k += 1;
    CHECK(table.measured(key) == no_config);
  }
}

TEST_CASE("a batch is aligned where all its products are") {
  GemmProblem p = square(512);
  CHECK(alignment_of(p) == Alignment::both);
  p.batch = 2;
  p.stride_a = 512 * 512;
  p.stride_b = 512 * 512 + 1;
  CHECK(alignment_of(p) == Alignment::a);
  p.lda = 513;
  CHECK(alignment_of(p) == Alignment::none);
}

TEST_CASE("of addresses that lie in arrays no alignment is known") {
  float* addresses[] = {nullptr};
  GemmProblem p = square(512);
  p.c_array = addresses;
  CHECK(alignment_of(p) == Alignment::none);
}

TEST_CASE("threads that choose while tables come and go get one configuration or the other") {
  model_says = {1, 2, 3};
  const TuningTable second(std::vector<TuningRecord>{record(512, 1)});
  const TuningTable third(std::vector<TuningRecord>{record(512, 2)});
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> choosers;
  publish_tuning_table(emulator_slot, &second);
  for (int i = 0; i < 3; ++i) {
    choosers.emplace_back([&] {
      while (!stop.load()) {
        const std::size_t chosen = choice(square(512));
        if (chosen != 1 && chosen != 2) ++wrong;
      }
    });
  }
  for (int turn = 0; turn < 1000; ++turn) publish_tuning_table(emulator_slot, turn % 2 == 0 ? &third : &second);
  stop.store(true);
  for (std::thread& chooser : choosers) chooser.join();
  publish_tuning_table(emulator_slot, nullptr);
  CHECK(wrong == 0);
}

TEST_CASE("the first choice on a GPU asks for its table once, whoever makes it, and all go by the answer") {
  static const TuningTable third(std::vector<TuningRecord>{record(512, 2)});
  static std::atomic<int> asked;
  asked = 0;
  set_tuning_source([](const GpuIdentity&) {
    ++asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the others come meanwhile
    return &third;
  });
  model_says = {1, 2, 3};
  constexpr TuningSlot gpu{tracked_devices - 1};
  std::atomic<int> wrong{0};
  std::vector<std::thread> choosers;
  for (int i = 0; i < 8; ++i) choosers.emplace_back([&] { wrong += choice(square(512), gpu) != 2; });
  for (std::thread& chooser : choosers) chooser.join();
  CHECK(wrong == 0);
  CHECK(asked == 1);
  publish_tuning_table(gpu, nullptr);
  CHECK(choice(square(512), gpu) == 0);
  CHECK(asked == 1);

  set_tuning_source([](const GpuIdentity&) -> const TuningTable* { throw std::bad_alloc(); });
  CHECK(choice(square(512), TuningSlot{tracked_devices - 2}) == 0);
  set_tuning_source(builtin_tuning_table);
  CHECK(choice(square(512), TuningSlot{tracked_devices + 1}) == 0);
  CHECK(choice(square(512), no_slot) == 0);
}

TEST_CASE("every tunable rung has a model for each configuration, and names for all of them that differ") {
  for (const Rung& rung : rungs()) {
    if (rung.emulated == nullptr) continue;
    std::set<std::string> names;
    for (const KernelConfig& config : rung.emulated->configs) {
      CAPTURE(config.name);
      CHECK(names.insert(config.name).second);
      const double once = config.predicted_cycles(square(1024), multiprocessors);
      CHECK(once > 0.0);
      if (std::isinf(once)) continue;  // made for other problems
      CHECK(config.predicted_cycles(square(4096), multiprocessors) > once);
      GemmProblem batched = square(1024);
      batched.batch = 64;
      CHECK(config.predicted_cycles(batched, multiprocessors) > once);
    }
    CHECK(std::string(rung.id).size() <= sizeof(RungKey));
  }
}

}  // namespace ladder::test

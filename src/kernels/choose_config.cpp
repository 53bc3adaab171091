// SPDX-License-Identifier: MIT
#include "choose_config.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>

#include "sum_order.hpp"
#include "tuning_builtin.hpp"

namespace ladder {

namespace {

constexpr double class_tolerance = 1.1;  // of the model's best

// All of these are there before any constructor runs and after every destructor has: calls may come at both times.
constinit std::atomic<const TuningTable*> tables[tracked_devices + 1];  // null: nothing measured
constinit std::atomic<bool> settled[tracked_devices];                   // false: not asked for yet
constinit std::atomic<TuningSource> source_of_tables{builtin_tuning_table};
constinit std::atomic<std::uint32_t> changes_of_tables{0};
constinit std::mutex first_choice;  // one GPU at a time, so that all of its choices are made by the same table

void ask_for_table(int device) {
  const std::lock_guard lock(first_choice);
  if (settled[device].load(std::memory_order_relaxed)) return;
  try {
    const TuningSource source = source_of_tables.load(std::memory_order_acquire);
    tables[device].store(source(gpu_identity(device)), std::memory_order_release);
  } catch (const std::exception&) {
    // No memory: the model decides.
  }
  settled[device].store(true, std::memory_order_release);
  changes_of_tables.fetch_add(1, std::memory_order_release);
}

/// Null where nothing was measured.
const TuningTable* table_of(TuningSlot slot) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return nullptr;
  if (slot != emulator_slot && !settled[index].load(std::memory_order_acquire)) ask_for_table(index);
  return tables[index].load(std::memory_order_acquire);
}

/// All that a choice depends on, in a form that is quick to compare: see KernelConfig::predicted_cycles.
using Question = std::array<std::uint64_t, 14>;

struct Answer {
  Question question{};
  const KernelConfig* config = nullptr;  // null: nothing remembered here
};

// For each thread: the products of a step of a program, and for each the rung and its configuration; a power of two.
constexpr std::size_t most_answers = 32;
constinit thread_local std::array<Answer, most_answers> answers{};

Question question_of(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& p, int multiprocessors,
                     TuningSlot slot) {
  constexpr unsigned alignment_bits = 4;
  constexpr unsigned half_word = 32;
  std::uint64_t kind = 0;
  const auto add = [&kind](unsigned bits, std::uint64_t value) { kind = kind << bits | value; };
  const bool in_arrays = p.c_array != nullptr;
  add(1, in_arrays);
  for (const auto* address : {p.a, p.b, static_cast<const float*>(p.c)}) {
    add(alignment_bits, in_arrays ? 0 : reinterpret_cast<std::uintptr_t>(address) % (1u << alignment_bits));
  }
  for (const Scalar& scalar : {p.alpha, p.beta}) {
    add(1, scalar.device != nullptr);
    add(1, scalar.device == nullptr && scalar.value == 0.0f);
  }
  add(1, static_cast<std::uint64_t>(p.op_a));
  add(1, static_cast<std::uint64_t>(p.op_b));
  add(1, plain_sums());
  add(half_word, static_cast<std::uint64_t>(rung));
  const auto packed = [](auto high, auto low) {
    return static_cast<std::uint64_t>(high) << half_word | static_cast<std::uint32_t>(low);
  };
  const auto word = [](std::int64_t extent) { return static_cast<std::uint64_t>(extent); };
  return {kind,
          reinterpret_cast<std::uintptr_t>(configs.data()),
          packed(changes_of_tables.load(std::memory_order_acquire), multiprocessors),
          word(static_cast<int>(slot)),
          word(p.m),
          word(p.n),
          word(p.k),
          word(p.batch),
          word(p.lda),
          word(p.ldb),
          word(p.ldc),
          word(p.stride_a),
          word(p.stride_b),
          word(p.stride_c)};
}

// Extents of one program are often multiples of each other's: the high bits of the product tell them apart.
std::size_t place_of(const Question& question) {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  constexpr int unused_bits = 59;
  static_assert(most_answers == std::size_t{1} << (64 - unused_bits));
  std::uint64_t hash = question[0];
  for (std::size_t i = 4; i < 9; ++i) hash = (hash ^ question[i]) * golden_ratio;
  return hash >> unused_bits;
}

}  // namespace

void set_tuning_source(TuningSource source) { source_of_tables.store(source, std::memory_order_release); }

void publish_tuning_table(TuningSlot slot, const TuningTable* table) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return;
  const std::lock_guard lock(first_choice);
  tables[index].store(table, std::memory_order_release);
  if (slot != emulator_slot) settled[index].store(true, std::memory_order_release);
  changes_of_tables.fetch_add(1, std::memory_order_release);
}

const KernelConfig& choose_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& problem,
                                  int multiprocessors, TuningSlot slot) {
  const bool by_k = plain_sums();
  const auto cycles = [&](const KernelConfig& config) {
    if (by_k && config.sums == Sums::in_blocks) return std::numeric_limits<double>::infinity();
    return config.predicted_cycles(problem, multiprocessors);
  };
  const auto exists = [&](int index) { return index != no_config && index < static_cast<int>(configs.size()); };
  int typical = no_config;
  if (const TuningTable* table = table_of(slot); table != nullptr && !table->empty()) {
    const TuningKey key = tuning_key(rung, problem);
    const int measured = table->measured(key);
    if (exists(measured) && std::isfinite(cycles(configs[measured]))) return configs[measured];
    typical = table->typical(key);
  }

  const KernelConfig* best = &configs.front();
  double best_cycles = cycles(*best);
  for (const KernelConfig& config : configs.subspan(1)) {
    const double its_cycles = cycles(config);
    if (its_cycles < best_cycles) best = &config, best_cycles = its_cycles;
  }
  if (exists(typical) && cycles(configs[typical]) <= class_tolerance * best_cycles) return configs[typical];
  return *best;
}

const KernelConfig& remembered_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& problem,
                                      int multiprocessors, TuningSlot slot) {
  const Question question = question_of(rung, configs, problem, multiprocessors, slot);
  Answer& answer = answers[place_of(question)];
  if (answer.config == nullptr || answer.question != question) {
    const KernelConfig& chosen = choose_config(rung, configs, problem, multiprocessors, slot);
    answer = {question, &chosen};
  }
  return *answer.config;
}

}  // namespace ladder

// SPDX-License-Identifier: MIT
#include "choose_config.hpp"

#include <atomic>
#include <cmath>
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
}

/// Null where nothing was measured.
const TuningTable* table_of(TuningSlot slot) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return nullptr;
  if (slot != emulator_slot && !settled[index].load(std::memory_order_acquire)) ask_for_table(index);
  return tables[index].load(std::memory_order_acquire);
}

}  // namespace

void set_tuning_source(TuningSource source) { source_of_tables.store(source, std::memory_order_release); }

void publish_tuning_table(TuningSlot slot, const TuningTable* table) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return;
  const std::lock_guard lock(first_choice);
  tables[index].store(table, std::memory_order_release);
  if (slot != emulator_slot) settled[index].store(true, std::memory_order_release);
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

}  // namespace ladder

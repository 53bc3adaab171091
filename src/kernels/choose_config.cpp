// SPDX-License-Identifier: MIT
#include "choose_config.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>

#include "tuning_builtin.hpp"

namespace ladder {

namespace {

constexpr double class_tolerance = 1.1;  // of the model's best

const TuningTable nothing_measured;
std::atomic<const TuningTable*> tables[tracked_devices + 1];  // null: not asked for yet
std::atomic<TuningSource> source_of_tables{builtin_tuning_table};

const TuningTable& ask_for_table(int device) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::atomic<const TuningTable*>& kept = tables[device];
  const TuningTable* table = kept.load(std::memory_order_acquire);
  if (table != nullptr) return *table;
  try {
    table = source_of_tables.load(std::memory_order_acquire)(gpu_identity(device));
  } catch (const std::exception&) {
    table = nullptr;  // no memory: the model does
  }
  if (table == nullptr) table = &nothing_measured;
  kept.store(table, std::memory_order_release);
  return *table;
}

const TuningTable& table_of(TuningSlot slot) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return nothing_measured;
  if (const TuningTable* table = tables[index].load(std::memory_order_acquire)) return *table;
  return slot == emulator_slot ? nothing_measured : ask_for_table(index);
}

}  // namespace

void set_tuning_source(TuningSource source) { source_of_tables.store(source, std::memory_order_release); }

void publish_tuning_table(TuningSlot slot, const TuningTable* table) {
  const int index = static_cast<int>(slot);
  if (index < 0 || index > tracked_devices) return;
  tables[index].store(table ? table : &nothing_measured, std::memory_order_release);
}

const KernelConfig& choose_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& problem,
                                  int multiprocessors, TuningSlot slot) {
  const auto cycles = [&](const KernelConfig& config) { return config.predicted_cycles(problem, multiprocessors); };
  const auto exists = [&](int index) { return index != no_config && index < static_cast<int>(configs.size()); };
  const TuningTable& table = table_of(slot);
  int typical = no_config;
  if (!table.empty()) {
    const TuningKey key = tuning_key(rung, problem);
    const int measured = table.measured(key);
    if (exists(measured) && std::isfinite(cycles(configs[measured]))) return configs[measured];
    typical = table.typical(key);
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

// SPDX-License-Identifier: MIT
#include "rung_wish.hpp"

#include <atomic>

#include "tuning_source.hpp"

namespace ladder::shim {

namespace {

std::atomic<const Rung*> process_rung{nullptr};
thread_local const Rung* thread_rung = nullptr;
std::atomic<unsigned> next_turn{0};

RungWish wish_of_environment(const RungSetting& setting) {
  if (setting.automatic) return {&auto_entry(), "auto", true};
  if (setting.turns.empty()) return {&default_rung(), "default", false};
  if (setting.turns.size() == 1) return {setting.turns[0], "LADDER_RUNG", true};
  const unsigned turn = next_turn.fetch_add(1, std::memory_order_relaxed);
  return {setting.turns[turn % setting.turns.size()], "turn", true};
}

}  // namespace

RungWish wished_rung() {
  if (thread_rung != nullptr) return {thread_rung, "api-thread", true};
  if (const Rung* rung = process_rung.load(std::memory_order_acquire)) return {rung, "api", true};
  return wish_of_environment(config().rung);
}

RungWish settled(RungWish wish, const GemmProblem& problem, bool tensor_cores_allowed, KernelHome home) {
  if (wish.rung != &auto_entry()) return wish;
  if (home == KernelHome::gpu) heed_tuning_setting();
  wish.rung = &auto_rung(problem, tensor_cores_allowed, home);
  return wish;
}

RungWish settled_without_gpu(RungWish wish) {
  if (wish.rung == &auto_entry()) wish.rung = &default_rung();
  return wish;
}

void wish_for_process(const Rung* rung) { process_rung.store(rung, std::memory_order_release); }
void wish_for_thread(const Rung* rung) { thread_rung = rung; }
const Rung* wish_of_process() { return process_rung.load(std::memory_order_acquire); }
const Rung* wish_of_thread() { return thread_rung; }

}  // namespace ladder::shim

// SPDX-License-Identifier: MIT
// Choices that are remembered: when the models are asked again.
#include <doctest/doctest.h>

#include <thread>

#include "choose_config.hpp"
#include "sum_order.hpp"

namespace ladder::test {

namespace {

int models_asked = 0;

double counted(const GemmProblem&, int) {
  ++models_asked;
  return 1.0;
}

/// Whether remembered_config() asked a model for that problem.
bool asks_for(const GemmProblem& problem, RungKey rung = rung_key("r07")) {
  static constexpr KernelConfig one[] = {{"only", {}, nullptr, counted}};
  models_asked = 0;
  CHECK(&remembered_config(rung, one, problem, 132, emulator_slot) == one);
  return models_asked > 0;
}

GemmProblem square(std::int64_t size) {
  GemmProblem p;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = size;
  return p;
}

}  // namespace

TEST_CASE("a choice is remembered for the very problem") {
  const GemmProblem p = square(512);
  CHECK(asks_for(p));
  CHECK_FALSE(asks_for(p));
  const auto asks_if = [&p](auto change) {
    asks_for(p);  // others may have taken its place
    GemmProblem other = p;
    change(other);
    return asks_for(other) && !asks_for(other);
  };
  alignas(16) float floats[5] = {};
  CHECK(asks_if([](GemmProblem& q) { q.op_a = Op::transpose; }));
  CHECK(asks_if([](GemmProblem& q) { q.op_b = Op::transpose; }));
  CHECK(asks_if([](GemmProblem& q) { q.m = 511; }));
  CHECK(asks_if([](GemmProblem& q) { q.n = 511; }));
  CHECK(asks_if([](GemmProblem& q) { q.k = 511; }));
  CHECK(asks_if([](GemmProblem& q) { q.batch = 2; }));
  for (const auto field : {&GemmProblem::lda, &GemmProblem::ldb, &GemmProblem::ldc}) {
    CHECK(asks_if([field](GemmProblem& q) { q.*field = 513; }));
  }
  for (const auto field : {&GemmProblem::stride_a, &GemmProblem::stride_b, &GemmProblem::stride_c}) {
    CHECK(asks_if([field](GemmProblem& q) { q.*field = -1; }));
  }
  for (const auto field : {&GemmProblem::a, &GemmProblem::b}) {
    CHECK(asks_if([&](GemmProblem& q) { q.*field = floats + 1; }));
    CHECK_FALSE(asks_if([&](GemmProblem& q) { q.*field = floats + 4; }));
  }
  CHECK(asks_if([&](GemmProblem& q) { q.c = floats + 1; }));
  float* addresses[] = {floats, floats};
  CHECK(asks_if([&](GemmProblem& q) { q.c_array = addresses; }));
  CHECK(asks_if([](GemmProblem& q) { q.alpha.value = 2.0f; }));
  CHECK(asks_if([](GemmProblem& q) { q.beta.value = 2.0f; }));
  CHECK(asks_if([&](GemmProblem& q) { q.beta.device = floats; }));
  CHECK(asks_for(p, rung_key("r09")));
}

TEST_CASE("where addresses lie in arrays, others are not looked at") {
  alignas(16) float floats[5] = {};
  float* addresses[] = {floats, floats};
  GemmProblem p = square(576);
  p.c_array = addresses;
  CHECK(asks_for(p));
  p.c_array = addresses + 1;
  p.a = p.b = p.c = floats + 1;
  CHECK_FALSE(asks_for(p));
}

TEST_CASE("a remembered choice gives way to a table, to an order of sums, and is a thread's own") {
  const GemmProblem p = square(640);
  CHECK(asks_for(p));
  CHECK_FALSE(asks_for(p));
  {
    const TuningTable table;
    publish_tuning_table(emulator_slot, &table);
    CHECK(asks_for(p));
    CHECK_FALSE(asks_for(p));
    publish_tuning_table(emulator_slot, nullptr);
  }
  CHECK(asks_for(p));
  set_plain_sums(true);
  CHECK(asks_for(p));
  set_plain_sums(false);
  bool other_thread_asks = false;
  std::thread([&] { other_thread_asks = asks_for(p); }).join();
  CHECK(other_thread_asks);
}

}  // namespace ladder::test

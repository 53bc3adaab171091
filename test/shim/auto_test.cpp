// SPDX-License-Identifier: MIT
// LADDER_RUNG=auto under LADDER_DEVICE=emulate: which rung serves a call through a door, and what a pedantic caller
// gets.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <string>
#include <vector>

#include "choose_config.hpp"
#include "counters.hpp"
#include "cublas_doors.hpp"
#include "dispatch.hpp"

using namespace ladder;
using namespace ladder::shim;

extern "C" void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*);

namespace {

const Rung& tensor_rung() {
  const Rung* rung = rung_of(Precision::fp16x3);
  REQUIRE(rung != nullptr);
  return *rung;
}

GemmProblem cube(std::int64_t size) {
  GemmProblem p;
  p.alpha.value = 1.0f;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = size;
  return p;
}

/// The edge of the smallest cube of these that the rung does not leave to others.
int served_size() {
  for (const int size : {64, 96, 128, 160, 192, 256, 320, 384}) {
    if (tensor_rung().emulated->declines(cube(size)) == nullptr) return size;
  }
  return 0;
}

/// While this lives, the rung was measured to be the quickest for cubes of that size on the emulator.
struct Measured {
  Measured(std::int64_t size, const Rung& rung)
      : table(std::vector<TuningRecord>{
            {.rung = auto_rung_id, .m = size, .n = size, .k = size, .config = rung.name, .ms = 1.0}}) {
    publish_tuning_table(emulator_slot, &table);
  }
  ~Measured() { publish_tuning_table(emulator_slot, nullptr); }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

  TuningTable table;
};

/// "fp32_tensor_scaled auto"
std::string first_of(const Plan& plan) { return std::string(plan.front().rung->name) + " " + plan.front().why; }

std::string by_default(const char* why) { return std::string(default_rung().name) + " " + why; }

struct Matrices {
  std::vector<float> a, b, c;
  explicit Matrices(int size) : a(static_cast<std::size_t>(size * size), 1.0f), b(a), c(a) {}
};

}  // namespace

TEST_CASE("auto takes the rung that was measured to be the quickest, and says auto") {
  const int size = served_size();
  REQUIRE(size > 0);
  CHECK(first_of(plan_by_wish(cube(size), true, Tf32Wish::unsaid)) == by_default("auto"));
  const Measured measured(size, tensor_rung());
  const std::string tensor = std::string(tensor_rung().name) + " auto";
  CHECK(first_of(plan_by_wish(cube(size), true, Tf32Wish::unsaid)) == tensor);
  CHECK(first_of(plan_by_wish(cube(1), true, Tf32Wish::unsaid)) == by_default("auto"));
}

TEST_CASE("under auto a pedantic caller gets rung 9; TF32 is neither served nor missed") {
  const int size = served_size();
  const Measured measured(size, tensor_rung());
  const std::string tensor = std::string(tensor_rung().name) + " auto";
  CHECK(first_of(plan_by_wish(cube(size), true, Tf32Wish::pedantic)) == by_default("auto"));
  CHECK(first_of(plan_by_wish(cube(size), true, Tf32Wish::forbidden)) == tensor);
  CHECK(first_of(plan_by_wish(cube(size), true, Tf32Wish::allowed)) == tensor);
}

TEST_CASE("a call is counted for the rung that auto took") {
  const int size = served_size();
  const Measured measured(size, tensor_rung());
  Matrices matrices(size);
  const float one = 1.0f, zero = 0.0f;
  reset_counters();
  sgemm_("N", "T", &size, &size, &size, &one, matrices.a.data(), &size, matrices.b.data(), &size, &zero,
         matrices.c.data(), &size);
  CHECK(count_of(Door::sgemm_, &default_rung()) == 1);  // N,T was not measured
  sgemm_("N", "N", &size, &size, &size, &one, matrices.a.data(), &size, matrices.b.data(), &size, &zero,
         matrices.c.data(), &size);
  CHECK(count_of(Door::sgemm_, &tensor_rung()) == 1);
  CHECK(matrices.c == std::vector<float>(matrices.c.size(), static_cast<float>(size)));

  cublas::Handle handle = nullptr;
  REQUIRE(cublasCreate_v2(&handle) == cublas::STATUS_SUCCESS);
  const auto call = [&] {
    return cublasSgemm_v2(handle, cublas::OP_N, cublas::OP_N, size, size, size, &one, matrices.a.data(), size,
                          matrices.b.data(), size, &zero, matrices.c.data(), size);
  };
  CHECK(call() == cublas::STATUS_SUCCESS);
  CHECK(count_of(Door::cublasSgemm_v2, &tensor_rung()) == 1);
  REQUIRE(cublasSetMathMode(handle, cublas::PEDANTIC_MATH) == cublas::STATUS_SUCCESS);
  CHECK(call() == cublas::STATUS_SUCCESS);
  CHECK(count_of(Door::cublasSgemm_v2, &tensor_rung()) == 1);
  CHECK(count_of(Door::cublasSgemm_v2, &default_rung()) == 1);
  CHECK(cublasDestroy_v2(handle) == cublas::STATUS_SUCCESS);
}

TEST_CASE("a program may ask for auto, and take it back") {
  CHECK(ladder_set_thread_rung("8") == LADDER_OK);
  CHECK(ladder_set_rung("auto") == LADDER_OK);
  CHECK(std::string(ladder_get_rung()) == "auto");
  CHECK(first_of(plan_by_wish(cube(64), true, Tf32Wish::unsaid)) == "warp_tiled api-thread");
  CHECK(ladder_set_thread_rung("auto") == LADDER_OK);
  CHECK(std::string(ladder_get_thread_rung()) == "auto");
  CHECK(first_of(plan_by_wish(cube(1), true, Tf32Wish::unsaid)) == by_default("api-thread"));
  CHECK(ladder_set_thread_rung(nullptr) == LADDER_OK);
  CHECK(first_of(plan_by_wish(cube(1), true, Tf32Wish::unsaid)) == by_default("api"));
  CHECK(ladder_set_rung(nullptr) == LADDER_OK);
  CHECK(ladder_get_rung() == nullptr);
}

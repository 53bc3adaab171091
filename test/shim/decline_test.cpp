// SPDX-License-Identifier: MIT
// A rung that declines a problem, or fails at it: who serves it then, and what the log says.
#include <doctest/doctest.h>

#include <string>

#include "counters.hpp"
#include "last_error.hpp"
#include "serve_device.hpp"
#include "served_text.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

int launches = 0;

LaunchStatus launch(const GemmProblem&, Stream) {
  ++launches;
  return launch_ok;
}

LaunchStatus fail(const GemmProblem&, Stream) {
  constexpr LaunchStatus some_cuda_error = 209;
  return some_cuda_error;
}

const char* decline_short_k(const GemmProblem& p) { return p.k < 48 ? "k below 48" : nullptr; }
const char* decline_all(const GemmProblem&) { return "No Tensor cores"; }

constexpr TileExtents tile{8, 8, 8, 1};
const RungKernel serving{tile, launch};
const RungKernel choosy{tile, launch, {}, decline_short_k};
const RungKernel useless{tile, launch, {}, decline_all};
const RungKernel failing{tile, fail};

Rung rung_with(const RungKernel& kernel) {
  Rung rung = default_rung();
  rung.gpu = rung.emulated = &kernel;
  return rung;
}

GemmProblem with_k(std::int64_t k) {
  GemmProblem p;
  p.m = p.n = 8;
  p.k = k;
  return p;
}

/// Who served, and why: "8 LADDER_RUNG".
std::string outcome(const Plan& plan, const GemmProblem& problem) {
  launches = 0;
  const char* failure = nullptr;
  for (const Route& route : plan) {
    cublas::Status status = cublas::STATUS_NOT_INITIALIZED;
    const char* its_failure = launch_route(route, problem, nullptr, status);
    if (its_failure == nullptr) {
      CHECK(status == cublas::STATUS_SUCCESS);
      CHECK(launches == 1);
      return std::to_string(route.rung->number) + " " + why_text(served_by(route, failure));
    }
    CHECK(status != cublas::STATUS_SUCCESS);
    if (route.why != nullptr) failure = its_failure;
  }
  return "nobody";
}

}  // namespace

TEST_CASE("a rung declines some problems and serves others") {
  Rung first = rung_with(choosy);
  first.number = 12;
  const Rung last = rung_with(serving);
  for (const Target target : {Target::gpu, Target::emulated}) {
    const Plan plan = Plan().then({target, &first, "LADDER_RUNG"}).then({target, &last, nullptr});
    CHECK(outcome(plan, with_k(48)) == "12 LADDER_RUNG");
    CHECK(outcome(plan, with_k(47)) == "9 fallback:k-below-48");
  }
}

TEST_CASE("the log says why the rung that was asked for did not serve, not why the one below it did not either") {
  const Rung first = rung_with(choosy);
  const Rung second = rung_with(useless);
  const Rung third = rung_with(failing);
  const Rung last = rung_with(serving);
  const Plan plan = Plan()
                        .then({Target::gpu, &first, "auto"})
                        .then({Target::gpu, &second, nullptr})
                        .then({Target::gpu, &third, nullptr})
                        .then({Target::gpu, &last, nullptr});
  CHECK(outcome(plan, with_k(1)) == "9 fallback:k-below-48");
  CHECK(outcome(Plan().then({Target::gpu, &second, "turn"}).then({Target::gpu, &last, nullptr}), with_k(1)) ==
        "9 fallback:no-tensor-cores");
}

TEST_CASE("whoever serves in place of a rung that declines is the one that is counted") {
  Rung first = rung_with(useless);
  const Plan plan = Plan().then({Target::gpu, &first, "tf32"}).then({Target::next, &cublas_rung(), nullptr});
  reset_counters();
  bool asked = false;
  const auto real = [&] {
    asked = true;
    return cublas::STATUS_SUCCESS;
  };
  CHECK(serve_device_call(Door::cublasSgemm_v2, plan, with_k(1), nullptr, real) == cublas::STATUS_SUCCESS);
  CHECK(asked);
  CHECK(count_of(Door::cublasSgemm_v2, &cublas_rung()) == 1);
  CHECK(count_of(std::nullopt, nullptr) == 1);
}

TEST_CASE("to decline is no error") {
  set_last_error("an older one");
  const Rung first = rung_with(useless);
  const Rung last = rung_with(serving);
  CHECK(outcome(Plan().then({Target::gpu, &first, "auto"}).then({Target::gpu, &last, nullptr}), with_k(1)) ==
        "9 fallback:no-tensor-cores");
  CHECK(std::string(last_error()) == "an older one");
}

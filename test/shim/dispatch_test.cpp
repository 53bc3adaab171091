// SPDX-License-Identifier: MIT
// The policy: which routes a call is given, in which order, and why.
#include "dispatch.hpp"

#include <doctest/doctest.h>

#include <string>

#include "counters.hpp"
#include "serve_device.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

const Rung* rung(const char* name) { return find_rung(name); }

RungWish by_default() { return {&default_rung(), "default", false}; }
RungWish by_variable(const char* name) { return {rung(name), "LADDER_RUNG", true}; }

/// "gpu:warp_tiled:default next:-:small ..."
std::string spell(const Plan& plan) {
  constexpr const char* targets[] = {"gpu", "emulated", "next"};
  std::string text;
  for (const Route& route : plan) {
    if (!text.empty()) text += ' ';
    text += std::string(targets[static_cast<int>(route.target)]) + ':' + (route.rung ? route.rung->name : "-") + ':' +
            (route.why ? route.why : "-");
  }
  return text;
}

}  // namespace

TEST_CASE("host doors under LADDER_DEVICE=auto") {
  CHECK(spell(plan_host_call({by_default(), DeviceWish::automatic, false, true})) ==
        "gpu:double_buffered:default next:-:- emulated:double_buffered:no-blas");
  CHECK(spell(plan_host_call({by_default(), DeviceWish::automatic, true, true})) ==
        "next:-:small gpu:double_buffered:no-blas emulated:double_buffered:no-blas");
  CHECK(spell(plan_host_call({by_default(), DeviceWish::automatic, false, false})) ==
        "next:-:no-gpu emulated:double_buffered:no-blas");
}

TEST_CASE("host doors with a device that was asked for") {
  for (const bool small : {false, true}) {
    CHECK(spell(plan_host_call({by_variable("8"), DeviceWish::gpu, small, false})) ==
          "gpu:warp_tiled:LADDER_RUNG next:-:- emulated:warp_tiled:no-blas");
    CHECK(spell(plan_host_call({by_variable("8"), DeviceWish::cpu, small, true})) ==
          "next:-:LADDER_DEVICE emulated:warp_tiled:no-blas");
    CHECK(spell(plan_host_call({by_variable("8"), DeviceWish::emulate, small, true})) ==
          "emulated:warp_tiled:LADDER_RUNG");
  }
}

TEST_CASE("rung 0 on host doors: the real cuBLAS on a GPU, the next BLAS elsewhere") {
  CHECK(spell(plan_host_call({by_variable("0"), DeviceWish::gpu, false, true})) ==
        "gpu:cublas:LADDER_RUNG next:-:- emulated:double_buffered:no-blas");
  CHECK(spell(plan_host_call({by_variable("0"), DeviceWish::emulate, false, true})) ==
        "next:-:LADDER_RUNG emulated:double_buffered:no-blas");
}

TEST_CASE("device doors with a handle of the real cuBLAS") {
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, false})) ==
        "gpu:double_buffered:default next:cublas:-");
  CHECK(spell(plan_device_call({by_variable("0"), DeviceWish::gpu, false, false})) ==
        "next:cublas:LADDER_RUNG gpu:double_buffered:-");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::cpu, false, false})) ==
        "next:cublas:LADDER_DEVICE gpu:double_buffered:-");
}

TEST_CASE("TF32 asked for in the math mode goes to the real cuBLAS, unless a rung was asked for") {
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, true})) ==
        "next:cublas:tf32 gpu:double_buffered:-");
  CHECK(spell(plan_device_call({by_variable("4"), DeviceWish::automatic, false, true})) ==
        "gpu:thread_tile_1d:LADDER_RUNG next:cublas:-");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, true, true})) ==
        "gpu:double_buffered:fallback:no-tf32");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::emulate, true, true})) ==
        "emulated:double_buffered:fallback:no-tf32");
}

TEST_CASE("where TF32 is forbidden, the default rung serves those who ask for it") {
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, true, true})) ==
        "gpu:double_buffered:NVIDIA_TF32_OVERRIDE next:cublas:-");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::emulate, true, true, true})) ==
        "emulated:double_buffered:NVIDIA_TF32_OVERRIDE");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, false, true})) ==
        "gpu:double_buffered:default next:cublas:-");
  CHECK(spell(plan_device_call({by_variable("4"), DeviceWish::automatic, false, true, true})) ==
        "gpu:thread_tile_1d:LADDER_RUNG next:cublas:-");
}

TEST_CASE("a handle of our own never meets the real cuBLAS") {
  CHECK(spell(plan_device_call({by_variable("0"), DeviceWish::gpu, true, false})) ==
        "gpu:double_buffered:fallback:no-cublas");
  CHECK(spell(plan_device_call({by_variable("5"), DeviceWish::cpu, true, false})) == "gpu:thread_tile_2d:LADDER_RUNG");
}

TEST_CASE("device doors under LADDER_DEVICE=emulate") {
  CHECK(spell(plan_device_call({by_variable("5"), DeviceWish::emulate, true, true})) ==
        "emulated:thread_tile_2d:LADDER_RUNG");
  CHECK(spell(plan_device_call({by_variable("0"), DeviceWish::emulate, true, false})) ==
        "emulated:double_buffered:fallback:rung-not-emulated");
}

TEST_CASE("small means few operations, also where a product of extents would not fit an integer") {
  GemmProblem p;
  p.m = p.n = p.k = 128;
  CHECK(is_small(p));
  p.m = p.n = p.k = 2048;
  CHECK_FALSE(is_small(p));
  p.m = p.n = p.k = std::int64_t{1} << 40;
  CHECK_FALSE(is_small(p));
  p.k = 0;
  CHECK(is_small(p));
}

TEST_CASE("a device call whose kernel cannot be launched goes to the real cuBLAS, and says so") {
  constexpr LaunchStatus some_cuda_error = 209;
  const RungKernel failing{{8, 8, 8, 1}, [](const GemmProblem&, Stream) -> LaunchStatus { return some_cuda_error; }};
  Rung broken = default_rung();
  broken.gpu = &failing;
  const Plan plan = Plan().then({Target::gpu, &broken, "default"}).then({Target::next, &cublas_rung(), nullptr});
  GemmProblem p;
  p.m = p.n = p.k = 1;
  reset_counters();
  bool inside = false;
  const auto real = [&] {
    inside = inside_next_library();
    return cublas::STATUS_SUCCESS;
  };
  CHECK(serve_device_call(Door::cublasSgemm_v2, plan, p, nullptr, real) == cublas::STATUS_SUCCESS);
  CHECK(inside);
  CHECK_FALSE(inside_next_library());
  CHECK(count_of(Door::cublasSgemm_v2, &cublas_rung()) == 1);
  CHECK(count_of(std::nullopt, nullptr) == 1);

  cublas::Status status = cublas::STATUS_SUCCESS;
  CHECK(launch_route({Target::gpu, &broken, "default"}, p, nullptr, status) != nullptr);
  CHECK(status == cublas::STATUS_EXECUTION_FAILED);
  broken.gpu = nullptr;
  CHECK(launch_route({Target::gpu, &broken, "default"}, p, nullptr, status) != nullptr);
  CHECK(status == cublas::STATUS_ARCH_MISMATCH);
}

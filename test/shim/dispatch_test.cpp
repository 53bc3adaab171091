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

/// Rungs on the tensor cores, whether the library has some or not. Nothing is ever launched on them.
Rung tensor_rung(const char* name, Precision precision) {
  Rung made = default_rung();
  made.name = name;
  made.precision = precision;
  return made;
}
const Rung tf32 = tensor_rung("some_tf32", Precision::tf32);
const Rung unscaled = tensor_rung("some_bf16x6", Precision::bf16x6);
const Rung scaled = tensor_rung("some_fp16x3", Precision::fp16x3);

/// A call of a host door, LADDER_OFFLOAD unset.
HostCall host_call(RungWish wish, DeviceWish device, const char* left_to_cpu, bool gpu_works) {
  return {wish, device, OffloadWish::automatic, left_to_cpu, gpu_works};
}

/// A caller who asked for TF32, with a handle of our own or of the real cuBLAS.
DeviceCall for_tf32(RungWish wish, DeviceWish device, bool own_handle, const Rung* tf32_rung) {
  return {wish, device, own_handle, true, false, tf32_rung};
}

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

TEST_CASE("matrices in a GPU's memory stay there, however small, and no CPU is asked") {
  for (const OffloadWish offload : {OffloadWish::automatic, OffloadWish::never}) {
    for (const char* word : {static_cast<const char*>(nullptr), "small"}) {
      const HostCall call{by_default(), DeviceWish::automatic, offload, word, true, true};
      CHECK(spell(plan_host_call(call)) == "gpu:double_buffered:gpu-memory");
    }
  }
}

TEST_CASE("host doors under LADDER_DEVICE=auto") {
  CHECK(spell(plan_host_call(host_call(by_default(), DeviceWish::automatic, nullptr, true))) ==
        "gpu:double_buffered:default next:-:- emulated:double_buffered:no-blas");
  for (const char* word : {"small", "model"}) {
    CHECK(spell(plan_host_call(host_call(by_default(), DeviceWish::automatic, word, false))) ==
          "next:-:" + std::string(word) + " gpu:double_buffered:no-blas emulated:double_buffered:no-blas");
  }
  CHECK(spell(plan_host_call(host_call(by_default(), DeviceWish::automatic, nullptr, false))) ==
        "next:-:no-gpu emulated:double_buffered:no-blas");
}

TEST_CASE("host doors with a device that was asked for") {
  CHECK(spell(plan_host_call(host_call(by_variable("8"), DeviceWish::gpu, nullptr, false))) ==
        "gpu:warp_tiled:LADDER_RUNG next:-:- emulated:warp_tiled:no-blas");
  CHECK(spell(plan_host_call(host_call(by_variable("8"), DeviceWish::cpu, nullptr, false))) ==
        "next:-:LADDER_DEVICE emulated:warp_tiled:no-blas");
  CHECK(spell(plan_host_call(host_call(by_variable("8"), DeviceWish::emulate, nullptr, false))) ==
        "emulated:warp_tiled:LADDER_RUNG");
}

TEST_CASE("LADDER_OFFLOAD decides over host doors where a GPU may serve at all") {
  const auto with = [](DeviceWish device, OffloadWish offload, bool gpu_works) {
    return spell(plan_host_call({by_variable("8"), device, offload, nullptr, gpu_works}));
  };
  const std::string to_gpu = "gpu:warp_tiled:LADDER_RUNG next:-:- emulated:warp_tiled:no-blas";
  const std::string to_cpu = "next:-:LADDER_OFFLOAD emulated:warp_tiled:no-blas";
  CHECK(with(DeviceWish::automatic, OffloadWish::always, true) == to_gpu);
  CHECK(with(DeviceWish::automatic, OffloadWish::always, false) == "next:-:no-gpu emulated:warp_tiled:no-blas");
  CHECK(with(DeviceWish::automatic, OffloadWish::never, false) == to_cpu);
  CHECK(with(DeviceWish::gpu, OffloadWish::never, false) == to_cpu);
  for (const bool works : {false, true}) CHECK(with(DeviceWish::gpu, OffloadWish::always, works) == to_gpu);
  for (const OffloadWish wish : {OffloadWish::always, OffloadWish::never}) {
    CHECK(with(DeviceWish::cpu, wish, false) == "next:-:LADDER_DEVICE emulated:warp_tiled:no-blas");
    CHECK(with(DeviceWish::emulate, wish, false) == "emulated:warp_tiled:LADDER_RUNG");
  }
  for (const DeviceWish device : {DeviceWish::gpu, DeviceWish::cpu, DeviceWish::emulate}) {
    CHECK_FALSE(is_up_to_us(device, OffloadWish::automatic));
  }
  CHECK(is_up_to_us(DeviceWish::automatic, OffloadWish::automatic));
  CHECK_FALSE(is_up_to_us(DeviceWish::automatic, OffloadWish::always));
  CHECK_FALSE(is_up_to_us(DeviceWish::automatic, OffloadWish::never));
}

TEST_CASE("rung 0 on host doors: the real cuBLAS on a GPU, the next BLAS elsewhere") {
  CHECK(spell(plan_host_call(host_call(by_variable("0"), DeviceWish::gpu, nullptr, true))) ==
        "gpu:cublas:LADDER_RUNG next:-:- emulated:double_buffered:no-blas");
  CHECK(spell(plan_host_call(host_call(by_variable("0"), DeviceWish::emulate, nullptr, false))) ==
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

TEST_CASE("TF32 that the caller asks for: the rung of TF32, then the real cuBLAS; without one, rung 9") {
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::automatic, false, &tf32))) ==
        "gpu:some_tf32:tf32 next:cublas:- gpu:double_buffered:-");
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::automatic, true, &tf32))) ==
        "gpu:some_tf32:tf32 gpu:double_buffered:-");
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::emulate, true, &tf32))) ==
        "emulated:some_tf32:tf32 emulated:double_buffered:-");
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::cpu, false, &tf32))) ==
        "next:cublas:LADDER_DEVICE gpu:some_tf32:- gpu:double_buffered:-");
}

TEST_CASE("TF32 that the caller asks for and no rung works in") {
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::automatic, false, nullptr))) ==
        "next:cublas:tf32 gpu:double_buffered:-");
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::automatic, true, nullptr))) ==
        "gpu:double_buffered:fallback:no-tf32");
  CHECK(spell(plan_device_call(for_tf32(by_default(), DeviceWish::emulate, true, nullptr))) ==
        "emulated:double_buffered:fallback:no-tf32");
}

TEST_CASE("a rung that somebody asked for serves, whatever the caller says of TF32") {
  for (const Rung* available : {&tf32, static_cast<const Rung*>(nullptr)}) {
    CHECK(spell(plan_device_call(for_tf32(by_variable("4"), DeviceWish::automatic, false, available))) ==
          "gpu:thread_tile_1d:LADDER_RUNG next:cublas:-");
    CHECK(spell(plan_device_call(for_tf32({&default_rung(), "auto", true}, DeviceWish::gpu, false, available))) ==
          "gpu:double_buffered:auto next:cublas:-");
  }
  CHECK(spell(plan_device_call({{&tf32, "LADDER_RUNG", true}, DeviceWish::automatic, false, false, true})) ==
        "gpu:some_tf32:LADDER_RUNG gpu:double_buffered:- next:cublas:-");
}

TEST_CASE("where TF32 is forbidden, the default rung serves those who ask for it") {
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, true, true, &tf32})) ==
        "gpu:double_buffered:NVIDIA_TF32_OVERRIDE next:cublas:-");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::emulate, true, true, true, &tf32})) ==
        "emulated:double_buffered:NVIDIA_TF32_OVERRIDE");
  CHECK(spell(plan_device_call({by_default(), DeviceWish::automatic, false, false, true, &tf32})) ==
        "gpu:double_buffered:default next:cublas:-");
  CHECK(spell(plan_device_call({by_variable("4"), DeviceWish::automatic, false, true, true, &tf32})) ==
        "gpu:thread_tile_1d:LADDER_RUNG next:cublas:-");
}

TEST_CASE("what a rung on the tensor cores leaves falls rung by rung to rung 9, and only then to others") {
  const RungWish wish{&scaled, "LADDER_RUNG", true};
  const Rung* below = rung_of(Precision::bf16x6);
  const auto down = [below](const std::string& place) {
    return place + ":some_fp16x3:LADDER_RUNG " + (below ? place + ":" + below->name + ":- " : "") + place +
           ":double_buffered:-";
  };
  CHECK(spell(plan_device_call({wish, DeviceWish::automatic, false, false})) == down("gpu") + " next:cublas:-");
  CHECK(spell(plan_device_call({wish, DeviceWish::automatic, true, false})) == down("gpu"));
  CHECK(spell(plan_device_call({wish, DeviceWish::emulate, true, false})) == down("emulated"));
  CHECK(spell(plan_host_call(host_call(wish, DeviceWish::emulate, nullptr, false))) == down("emulated"));
  const std::string on_host = spell(plan_host_call(host_call(wish, DeviceWish::gpu, nullptr, true)));
  CHECK(on_host.starts_with(down("gpu") + " next:-:- emulated:some_fp16x3:no-blas"));
  CHECK(on_host.ends_with("emulated:double_buffered:-"));
  CHECK(spell(plan_device_call({{&unscaled, "turn", true}, DeviceWish::emulate, true, false})) ==
        "emulated:some_bf16x6:turn emulated:double_buffered:-");
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

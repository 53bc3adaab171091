// SPDX-License-Identifier: MIT
#include "dispatch.hpp"

namespace ladder::shim {

namespace {

const Rung* with_kernel(const Rung* rung) { return rung->emulated ? rung : &default_rung(); }

Plan emulate(const RungWish& wish) {
  const bool emulable = wish.rung->emulated != nullptr;
  return Plan().then({Target::emulated, with_kernel(wish.rung), emulable ? wish.why : "fallback:rung-not-emulated"});
}

/// The wish, with the reason why TF32 that the caller asked for is not what serves it.
RungWish without_tf32(const DeviceCall& call) {
  RungWish wish = call.wish;
  if (call.wants_tf32 && !wish.forced) wish.why = call.tf32_forbidden ? "NVIDIA_TF32_OVERRIDE" : "fallback:no-tf32";
  return wish;
}

}  // namespace

bool is_small(const GemmProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) < small_flops;
}

Plan plan_host_call(const HostCall& call) {
  const Rung* rung = call.wish.rung;
  // With no GPU and no CPU BLAS anywhere, nothing is lost: the emulator serves the call.
  const Route gpu{Target::gpu, rung, call.wish.why};
  const Route last_resort{Target::emulated, with_kernel(rung), "no-blas"};
  switch (call.device) {
    case DeviceWish::emulate:
      if (rung->emulated != nullptr) return emulate(call.wish);
      return Plan().then({Target::next, nullptr, call.wish.why}).then(last_resort);
    case DeviceWish::cpu:
      return Plan().then({Target::next, nullptr, "LADDER_DEVICE"}).then(last_resort);
    case DeviceWish::gpu:
      return Plan().then(gpu).then({Target::next, nullptr, nullptr}).then(last_resort);
    case DeviceWish::automatic:
      break;
  }
  if (call.small)
    return Plan().then({Target::next, nullptr, "small"}).then({Target::gpu, rung, "no-blas"}).then(last_resort);
  if (!call.gpu_works) return Plan().then({Target::next, nullptr, "no-gpu"}).then(last_resort);
  return Plan().then(gpu).then({Target::next, nullptr, nullptr}).then(last_resort);
}

Plan plan_device_call(const DeviceCall& call) {
  const RungWish wish = without_tf32(call);
  if (call.device == DeviceWish::emulate) return emulate(wish);
  const Rung* cublas = &cublas_rung();
  const Rung* own = with_kernel(wish.rung);
  if (call.own_handle) return Plan().then({Target::gpu, own, own == wish.rung ? wish.why : "fallback:no-cublas"});
  if (call.device == DeviceWish::cpu)
    return Plan().then({Target::next, cublas, "LADDER_DEVICE"}).then({Target::gpu, own, nullptr});
  if (wish.rung == cublas) return Plan().then({Target::next, cublas, wish.why}).then({Target::gpu, own, nullptr});
  if (call.wants_tf32 && !wish.forced && !call.tf32_forbidden)
    return Plan().then({Target::next, cublas, "tf32"}).then({Target::gpu, own, nullptr});
  return Plan().then({Target::gpu, own, wish.why}).then({Target::next, cublas, nullptr});
}

}  // namespace ladder::shim

// SPDX-License-Identifier: MIT
#include "dispatch.hpp"

#include "offload/host_calibration.hpp"

namespace ladder::shim {

namespace {

const Rung* with_kernel(const Rung* rung) { return rung->emulated ? rung : &default_rung(); }

void plan_emulated(Plan& plan, const RungWish& wish) {
  const bool emulable = wish.rung->emulated != nullptr;
  plan.down_from({Target::emulated, with_kernel(wish.rung), emulable ? wish.why : "fallback:rung-not-emulated"});
}

/// In place: a plan that is copied costs as much as all else that is thought about a small call.
void plan_unemulated(Plan& plan, const HostCall& call) {
  const Rung* rung = call.wish.rung;
  // With no GPU and no CPU BLAS anywhere, nothing is lost: the emulator serves the call.
  const Route last_resort{Target::emulated, with_kernel(rung), "no-blas"};
  const auto on_cpu = [&](const char* why) -> Plan& { return plan.then({Target::next, nullptr, why}); };
  if (call.device == DeviceWish::emulate) {
    on_cpu(call.wish.why);
  } else if (call.device == DeviceWish::cpu) {
    on_cpu("LADDER_DEVICE");
  } else if (call.in_gpu_memory) {
    plan.down_from({Target::gpu, rung, "gpu-memory"});
    return;
  } else if (call.offload == OffloadWish::never) {
    on_cpu("LADDER_OFFLOAD");
  } else if (is_up_to_us(call.device, call.offload) && call.left_to_cpu != nullptr) {
    on_cpu(call.left_to_cpu).down_from({Target::gpu, rung, "no-blas"});
  } else if (call.device == DeviceWish::automatic && !call.gpu_works) {
    on_cpu("no-gpu");
  } else {
    plan.down_from({Target::gpu, rung, call.wish.why});
    on_cpu(nullptr);
  }
  plan.down_from(last_resort);
}

/// The wish of a caller who asked for TF32 where nobody asked for a rung.
RungWish in_tf32(const DeviceCall& call) {
  if (call.tf32_forbidden) return {call.wish.rung, "NVIDIA_TF32_OVERRIDE"};
  if (call.tf32_rung == nullptr) return {call.wish.rung, "fallback:no-tf32"};
  return {call.tf32_rung, "tf32"};
}

}  // namespace

Plan& Plan::down_from(Route route) {
  then(route);
  for (const Rung* below = rung_below(*route.rung); below != nullptr; below = rung_below(*below))
    then({route.target, below, nullptr});
  return *this;
}

Plan plan_host_call(const HostCall& call) {
  Plan plan;
  if (call.device == DeviceWish::emulate && call.wish.rung->emulated != nullptr) {
    plan_emulated(plan, call.wish);
  } else {
    plan_unemulated(plan, call);
  }
  return plan;
}

const char* left_to_cpu(const GemmProblem& problem, Prediction& predicted) {
  if (is_small(problem)) return "small";
  predicted = host_model().predict(problem);
  return predicted.prefers_gpu() ? nullptr : "model";
}

Plan plan_device_call(const DeviceCall& call) {
  const bool asks_for_tf32 = call.wants_tf32 && !call.wish.forced;
  const RungWish wish = asks_for_tf32 ? in_tf32(call) : call.wish;
  if (call.device == DeviceWish::emulate) {
    Plan plan;
    plan_emulated(plan, wish);
    return plan;
  }
  const Rung* cublas = &cublas_rung();
  const Rung* own = with_kernel(wish.rung);
  const Route in_place_of_cublas{Target::gpu, own, nullptr};
  if (call.own_handle) return Plan().down_from({Target::gpu, own, own == wish.rung ? wish.why : "fallback:no-cublas"});
  if (call.device == DeviceWish::cpu)
    return Plan().then({Target::next, cublas, "LADDER_DEVICE"}).down_from(in_place_of_cublas);
  if (wish.rung == cublas) return Plan().then({Target::next, cublas, wish.why}).down_from(in_place_of_cublas);
  // Whoever asked for TF32 asked cuBLAS for it, which has another if ours does not serve.
  if (asks_for_tf32 && !call.tf32_forbidden) {
    Plan plan;
    if (call.tf32_rung != nullptr) plan.then({Target::gpu, call.tf32_rung, wish.why});
    return plan.then({Target::next, cublas, call.tf32_rung ? nullptr : "tf32"})
        .then({Target::gpu, &default_rung(), nullptr});
  }
  return Plan().down_from({Target::gpu, own, wish.why}).then({Target::next, cublas, nullptr});
}

Plan plan_by_wish(const GemmProblem& problem, bool own_handle, Tf32Wish said) {
  const KernelHome home = emulating() ? KernelHome::emulated : KernelHome::gpu;
  return plan_device_call({settled(wished_rung(), problem, said != Tf32Wish::pedantic, home), config().device,
                           own_handle, said == Tf32Wish::allowed, config().tf32_forbidden});
}

const char* reason_to_decline(const Route& route, const GemmProblem& problem) {
  if (route.target == Target::next) return nullptr;
  const RungKernel* kernel = route.target == Target::emulated ? route.rung->emulated : route.rung->gpu;
  return kernel && kernel->declines ? kernel->declines(problem) : nullptr;
}

}  // namespace ladder::shim

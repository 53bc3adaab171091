// SPDX-License-Identifier: MIT
// The policy: which ways to serve a call are tried, in which order.
#pragma once

#include <array>
#include <cstdint>

#include "config.hpp"
#include "gemm_problem.hpp"
#include "offload/host_model.hpp"
#include "rung.hpp"
#include "rung_wish.hpp"
#include "tf32_wish.hpp"

namespace ladder::shim {

enum class Target : std::uint8_t {
  gpu,       ///< a rung on the GPU; rung 0 on a host door: the real cuBLAS, with a handle of ours
  emulated,  ///< a rung on the CPU
  next,      ///< device door: the real cuBLAS with the caller's arguments; host door: the next BLAS
};

struct Route {
  Target target;
  const Rung* rung;  ///< null for Target::next on a host door
  const char* why;   ///< null: only because the route before did not serve; the log then says why the last one that has
                     ///< a why did not
};

/// Routes in the order in which they are tried.
class Plan {
 public:
  Plan& then(Route route) {
    routes_[count_++] = route;
    return *this;
  }
  /// The route, and one to the same place for each of the rungs below its own.
  Plan& down_from(Route route);
  const Route* begin() const { return routes_.data(); }
  const Route* end() const { return routes_.data() + count_; }
  const Route& front() const { return routes_[0]; }

 private:
  static constexpr int most_routes = 7;  // three rungs on the GPU, the next BLAS, three rungs on the CPU
  std::array<Route, most_routes> routes_{};
  int count_ = 0;
};

struct HostCall {
  RungWish wish;  ///< of a rung, not of auto
  DeviceWish device;
  OffloadWish offload;
  const char* left_to_cpu;     ///< why, where it is up to us; null: the GPU is to have it. See left_to_cpu()
  bool gpu_works;              ///< looked at where is_up_to_us() and `left_to_cpu` is null
  bool in_gpu_memory = false;  ///< C lies where no CPU can reach it
};
Plan plan_host_call(const HostCall& call);

/// True where nobody has said which of the two serves calls with host pointers.
inline bool is_up_to_us(DeviceWish device, OffloadWish offload) {
  return device == DeviceWish::automatic && offload == OffloadWish::automatic;
}

/// The log's word for why the CPU serves the call better: "small", or "model", which has then said what it expects.
/// Null where the GPU does.
const char* left_to_cpu(const GemmProblem& problem, Prediction& predicted);

struct DeviceCall {
  RungWish wish;  ///< of a rung, not of auto
  DeviceWish device;
  bool own_handle;              ///< the handle is ours: the real cuBLAS would not know it
  bool wants_tf32;              ///< the caller's math mode or compute type
  bool tf32_forbidden = false;  ///< Config::tf32_forbidden
  const Rung* tf32_rung = rung_of(Precision::tf32);
};
Plan plan_device_call(const DeviceCall& call);

/// The plan of a call with device pointers, as the process and the thread wish. `said`: by the caller, of TF32.
Plan plan_by_wish(const GemmProblem& problem, bool own_handle, Tf32Wish said);

/// Why the route's rung leaves this problem to another, or null; see RungKernel::declines.
const char* reason_to_decline(const Route& route, const GemmProblem& problem);

}  // namespace ladder::shim

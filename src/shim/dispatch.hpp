// SPDX-License-Identifier: MIT
// The policy: which ways to serve a call are tried, in which order.
#pragma once

#include <array>
#include <cstdint>

#include "config.hpp"
#include "gemm_problem.hpp"
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

/// Floating-point operations below which a host-pointer call is left to the CPU (LADDER_DEVICE=auto only): a
/// product of about 1080 x 1080 x 1080. From pageable memory an H200 took 3.6 ms for 1024 cubed, copies
/// included, and OpenBLAS on the 16 cores beside it 2.8 ms; at 4096 cubed it was 40 ms against 120.
inline constexpr double small_flops = 2.5e9;
bool is_small(const GemmProblem& problem);

struct HostCall {
  RungWish wish;  ///< of a rung, not of auto
  DeviceWish device;
  bool small;      ///< is_small()
  bool gpu_works;  ///< looked at for DeviceWish::automatic and calls that are not small
};
Plan plan_host_call(const HostCall& call);

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

// SPDX-License-Identifier: MIT
// The policy: which ways to serve a call are tried, in which order. Pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "config.hpp"
#include "gemm_problem.hpp"
#include "rung.hpp"
#include "rung_wish.hpp"

namespace ladder::shim {

enum class Target : std::uint8_t {
  gpu,       ///< a rung on the GPU; rung 0 on a host door: the real cuBLAS, with a handle of ours
  emulated,  ///< a rung on the CPU
  next,      ///< device door: the real cuBLAS with the caller's arguments; host door: the next BLAS
};

struct Route {
  Target target;
  const Rung* rung;  ///< null for Target::next on a host door
  const char* why;   ///< null: only because the route before failed; the log then says with what
};

/// Routes in the order in which they are tried.
class Plan {
 public:
  Plan& then(Route route) {
    routes_[count_++] = route;
    return *this;
  }
  const Route* begin() const { return routes_.data(); }
  const Route* end() const { return routes_.data() + count_; }
  const Route& front() const { return routes_[0]; }

 private:
  static constexpr int most_routes = 3;
  std::array<Route, most_routes> routes_{};
  int count_ = 0;
};

/// Floating-point operations below which a host-pointer call is left to the CPU (LADDER_DEVICE=auto only): a
/// product of about 1080 x 1080 x 1080. From pageable memory an H200 took 3.6 ms for 1024 cubed, copies
/// included, and OpenBLAS on the 16 cores beside it 2.8 ms; at 4096 cubed it was 40 ms against 120.
inline constexpr double small_flops = 2.5e9;
bool is_small(const GemmProblem& problem);

struct HostCall {
  RungWish wish;
  DeviceWish device;
  bool small;      ///< is_small()
  bool gpu_works;  ///< looked at for DeviceWish::automatic and calls that are not small
};
Plan plan_host_call(const HostCall& call);

struct DeviceCall {
  RungWish wish;
  DeviceWish device;
  bool own_handle;              ///< the handle is ours: the real cuBLAS would not know it
  bool wants_tf32;              ///< the caller's math mode or compute type
  bool tf32_forbidden = false;  ///< Config::tf32_forbidden
};
Plan plan_device_call(const DeviceCall& call);

}  // namespace ladder::shim

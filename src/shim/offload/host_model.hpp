// SPDX-License-Identifier: MIT
// What a host-pointer call would take on the CPU and on a GPU, from what the machine does in a second: the choice
// between the two. Pure functions: the same call goes the same way each time, whatever was called before.
#pragma once

#include <cstdint>

#include "gemm_problem.hpp"

namespace ladder::shim {

/// What one machine does, with a GPU of its own.
struct HostRates {
  double cpu_flops = 0;        ///< flop/s of the CPU BLAS on large products
  double cpu_half_edge = 0;    ///< edge of the cube on which it reaches half of that
  double cpu_bytes = 0;        ///< byte/s at which it can read matrices
  double cpu_write_bytes = 0;  ///< byte/s at which it can write C
  double cpu_call_s = 0;       ///< of each call, however small
  double gpu_flops = 0;        ///< flop/s of the default rung on large products
  double gpu_call_s = 0;       ///< of each call, beyond the copies and the product
  double bus_up = 0;           ///< byte/s to the GPU from pinned memory
  double bus_down = 0;         ///< byte/s from the GPU into pinned memory
  double staging_up = 0;       ///< byte/s of all copying threads from a caller's matrix into pinned memory
  double staging_down = 0;     ///< byte/s of all copying threads from pinned memory into a caller's matrix
};

/// True where every rate is a positive number and every time one that is not negative.
bool are_usable(const HostRates& rates);

/// Seconds of a call in a row of the same ones; both 0 where nobody asked.
struct Prediction {
  double cpu_s = 0;
  double gpu_s = 0;

  bool is_known() const { return cpu_s > 0; }
  /// The GPU must win by half. Between other work of a program its calls take 1.3 to 1.5 times what they take in a row,
  /// since threads and GPU have to wake up, and more beside threads of the CPU BLAS that still wait for their next
  /// call.
  bool prefers_gpu() const {
    constexpr double lead = 1.5;
    return gpu_s * lead < cpu_s;
  }
};

/// Operations below which nobody need ask: one core does them in the time that a GPU takes to answer. A product of
/// 100 x 100 x 100.
inline constexpr double least_offload_flops = 2e6;

/// True for fewer operations than that, and where C is only scaled.
inline bool is_small(const GemmProblem& p) {
  constexpr double flops_per_fma = 2.0;
  const double mn = static_cast<double>(p.m) * static_cast<double>(p.n);
  return flops_per_fma * mn * static_cast<double>(p.k) < least_offload_flops || only_scales_c(p);
}

/// The CPU: its peak, ramped up over the size, reading and writing; half of what takes less time hides in the longest
/// of the three. It is taken to be at its best whatever the shape, so that a call which goes to the GPU would not have
/// been quicker without: a short k is multiplied as well as a long one, a narrow C as well as a cube of as many
/// operations.
///
/// The GPU: copies and product overlap but for a panel's worth at the beginning and the end. The copying threads serve
/// both directions, each of which has the bus to itself. That a GPU's memory may not hold everything is not looked at:
/// where it does not, products take longer than copies.
class HostModel {
 public:
  /// `rates` are usable.
  explicit HostModel(const HostRates& rates);

  /// Of a problem in pageable host memory, not a batch, with m, n, k > 0.
  Prediction predict(const GemmProblem& problem) const;

 private:
  struct Work {
    double flops, up, down;  ///< of the product; bytes that must travel
    double edge_power;       ///< edge^1.5 of the cube that the CPU would multiply as well
    double panels;           ///< of the longer side
  };
  double cpu_s(const Work& work) const;
  double gpu_s(const Work& work) const;

  HostRates seconds_;       ///< the same fields, inverted where they are rates: a call multiplies, and divides twice
  double half_edge_power_;  ///< cpu_half_edge^1.5
};

}  // namespace ladder::shim

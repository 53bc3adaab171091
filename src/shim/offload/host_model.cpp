// SPDX-License-Identifier: MIT
#include "offload/host_model.hpp"

#include <algorithm>
#include <cmath>

#include "offload/cut.hpp"

namespace ladder::shim {

namespace {

bool is_rate(double rate) { return std::isfinite(rate) && rate > 0.0; }
bool is_time(double time) { return std::isfinite(time) && time >= 0.0; }

}  // namespace

bool are_usable(const HostRates& r) {
  return is_rate(r.cpu_flops) && is_time(r.cpu_half_edge) && is_rate(r.cpu_bytes) && is_rate(r.cpu_write_bytes) &&
         is_time(r.cpu_call_s) && is_rate(r.gpu_flops) && is_time(r.gpu_call_s) && is_rate(r.bus_up) &&
         is_rate(r.bus_down) && is_rate(r.staging_up) && is_rate(r.staging_down);
}

HostModel::HostModel(const HostRates& rates)
    : seconds_(rates), half_edge_power_(rates.cpu_half_edge * std::sqrt(rates.cpu_half_edge)) {
  for (double* rate : {&seconds_.cpu_flops, &seconds_.cpu_bytes, &seconds_.cpu_write_bytes, &seconds_.gpu_flops,
                       &seconds_.bus_up, &seconds_.bus_down, &seconds_.staging_up, &seconds_.staging_down})
    *rate = 1.0 / *rate;
}

Prediction HostModel::predict(const GemmProblem& p) const {
  const double mn = static_cast<double>(p.m) * static_cast<double>(p.n), k = static_cast<double>(p.k);
  const Work work{2.0 * mn * k, bytes_up(p), bytes_down(p), std::sqrt(mn * std::max(k, std::sqrt(mn))),
                  static_cast<double>(panels_of(std::max(p.m, p.n)))};
  return {cpu_s(work), gpu_s(work)};
}

double HostModel::cpu_s(const Work& work) const {
  // From 256 to 4096 cubed what OpenBLAS needs beyond its peak falls with the edge^1.5; with the edge itself, small
  // cubes would seem quicker than they are. Its half of memory's time is between all, on 16 cores, and none, in caches.
  constexpr double exposed = 0.5;
  const double product = work.flops * seconds_.cpu_flops * (1.0 + half_edge_power_ / work.edge_power);
  const double reading = work.up * seconds_.cpu_bytes, writing = work.down * seconds_.cpu_write_bytes;
  const double longest = std::max({product, reading, writing});
  return seconds_.cpu_call_s + longest + exposed * (product + reading + writing - longest);
}

double HostModel::gpu_s(const Work& work) const {
  const double up = work.up * std::max(seconds_.bus_up, seconds_.staging_up);
  const double down = work.down * std::max(seconds_.bus_down, seconds_.staging_down);
  const double product = work.flops * seconds_.gpu_flops;
  const double staging = work.up * seconds_.staging_up + work.down * seconds_.staging_down;
  const double longest = std::max({up, down, product, staging});
  const double one_by_one = up + product + down;
  return seconds_.gpu_call_s + longest + std::max(0.0, one_by_one - longest) / work.panels;
}

}  // namespace ladder::shim

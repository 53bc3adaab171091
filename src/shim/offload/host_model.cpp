// SPDX-License-Identifier: MIT
#include "offload/host_model.hpp"

#include <algorithm>
#include <cmath>

#include "offload/cut.hpp"

namespace ladder::shim {

namespace {

double bytes_of(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float);
}

bool is_rate(double rate) { return std::isfinite(rate) && rate > 0.0; }
bool is_time(double time) { return std::isfinite(time) && time >= 0.0; }

}  // namespace

bool are_usable(const HostRates& r) {
  return is_rate(r.cpu_flops) && is_time(r.cpu_half_edge) && is_rate(r.cpu_bytes) && is_time(r.cpu_call_s) &&
         is_rate(r.gpu_flops) && is_time(r.gpu_call_s) && is_rate(r.bus_up) && is_rate(r.bus_down) &&
         is_rate(r.staging_up) && is_rate(r.staging_down);
}

HostModel::HostModel(const HostRates& rates) : seconds_(rates) {
  for (double* rate : {&seconds_.cpu_flops, &seconds_.cpu_bytes, &seconds_.gpu_flops, &seconds_.bus_up,
                       &seconds_.bus_down, &seconds_.staging_up, &seconds_.staging_down})
    *rate = 1.0 / *rate;
}

Prediction HostModel::predict(const GemmProblem& p) const {
  const double c = bytes_of(p.m, p.n);
  const bool reads_c = p.beta.value != 0.0f;
  const Work work{2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k),
                  bytes_of(p.m, p.k) + bytes_of(p.k, p.n) + (reads_c ? c : 0.0), c,
                  static_cast<double>(panels_of(std::max(p.m, p.n)))};
  return {cpu_s(work), gpu_s(work)};
}

double HostModel::cpu_s(const Work& work) const {
  const double edge = std::cbrt(0.5 * work.flops);
  const double product = work.flops * seconds_.cpu_flops * (1.0 + seconds_.cpu_half_edge / edge);
  const double memory = (work.up + work.down) * seconds_.cpu_bytes;
  return seconds_.cpu_call_s + std::max(product, memory);
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

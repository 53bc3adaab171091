// SPDX-License-Identifier: MIT
#include "offload/host_calibration.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <type_traits>

#include "offload/cores.hpp"
#include "tuning_cache.hpp"

namespace ladder::shim {

namespace {

HostRates rates_of_process() noexcept {
  const int errno_of_caller = errno;
  HostRates rates;
  try {
    rates = host_rates_for(config(), host_key());
  } catch (const std::exception&) {
    rates = builtin_host_rates(usable_cores(), copy_threads(config()));  // no memory for the file
  }
  errno = errno_of_caller;
  return rates;
}

}  // namespace

HostRates builtin_host_rates(int cores, int threads) {
  // OpenBLAS 0.3.26 on 16 cores took 2.22 ms for 1024 cubed and reached 1265 GFLOP/s at 8192. The more threads, the
  // larger a product must be to be worth them.
  constexpr double flops_per_core = 81e9;
  constexpr double half_edge_per_core = 23;
  // One core reads 12 GB/s and writes 5; all together what the memory gives, put rather too high: see HostModel. They
  // took 2.8 ms to read 256 MiB (1 x 8192 x 8192), 6.3 ms to write as much (8192 x 8192 x 1).
  constexpr double bytes_per_core = 12e9, most_bytes = 100e9;
  constexpr double written_per_core = 5e9, most_written = 45e9;
  // A thread copies 10 GB/s; the memory gives 32 to those that pack, 50 to those that unpack.
  constexpr double staging_per_thread = 10e9, most_up = 32e9, most_down = 50e9;
  const double staging = staging_per_thread * threads;
  return {.cpu_flops = flops_per_core * cores,
          .cpu_half_edge = half_edge_per_core * cores,
          .cpu_bytes = std::min(bytes_per_core * cores, most_bytes),
          .cpu_write_bytes = std::min(written_per_core * cores, most_written),
          .cpu_call_s = 0.2e-6,
          .gpu_flops = 50e12,
          .gpu_call_s = 110e-6,
          .bus_up = 55e9,
          .bus_down = 55e9,
          .staging_up = std::min(staging, most_up),
          .staging_down = std::min(staging, most_down)};
}

HostRates host_rates_for(const Config& config, const HostKey& key) {
  std::string why_not;
  if (!config.tuning.off && !config.tuning.path.empty()) {
    const auto text = read_whole_file(config.tuning.path, why_not);
    const auto cache = text ? TuningCache::parse(*text) : std::nullopt;
    if (const auto measured = cache ? cache->host_rates(key) : std::nullopt) return *measured;
  }
  return builtin_host_rates(key.cores, copy_threads(config));
}

const HostModel& host_model() {
  static const HostModel model(rates_of_process());  // needs no destructor: calls may come at the end
  static_assert(std::is_trivially_destructible_v<HostModel>);
  return model;
}

}  // namespace ladder::shim

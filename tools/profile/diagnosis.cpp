// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace ladder::profile {

namespace {

// A unit this busy is what the kernel waits for, in per cent: queues before it are full from about there.
constexpr double near_peak = 80.0;
constexpr double busy = 60.0;  // enough for a unit to be the limiter where what waits points to it too
// Half a load for each FFMA: beyond, the load/store pipe, a quarter as wide as the FMA pipe, cannot feed it.
constexpr double many_loads = 0.5;
constexpr double sectors_of_a_line = 4.0;  // a warp that reads 32 neighbouring floats
constexpr double many_conflicts = 15.0;    // per cent of the wavefronts: worth a padded tile
constexpr double notable_wait = 0.5;       // warps, for each instruction issued
constexpr double few_warps = 40.0;         // per cent of the warps that an SM holds
constexpr double idle_issue_slots = 70.0;  // per cent: below, schedulers often find no warp ready

using enum Figure;

/// The figures, where a missing one fails every comparison.
class Known {
 public:
  explicit Known(const Figures& figures) : figures_(figures) {}
  double operator()(Figure figure) const { return figures_[figure].value_or(std::numeric_limits<double>::quiet_NaN()); }
  std::string text(Figure figure) const { return value_text(figure, figures_[figure]); }

 private:
  const Figures& figures_;
};

constexpr Figure waits[] = {stalled_long_scoreboard, stalled_short_scoreboard, stalled_barrier,  stalled_mio_throttle,
                            stalled_lg_throttle,     stalled_math_pipe,        stalled_dispatch, stalled_wait};

/// True where more warps wait for one of `reasons` than for anything else, and it is worth mentioning.
bool most_wait(const Known& f, std::initializer_list<Figure> reasons) {
  const auto longest = [&f](const auto& figures) {
    double most = 0.0;
    for (const Figure figure : figures) most = std::max(most, std::isnan(f(figure)) ? 0.0 : f(figure));
    return most;
  };
  return longest(reasons) >= notable_wait && longest(reasons) >= longest(waits);
}

struct Rule {
  const char* key;
  bool (*holds)(const Known&);
  std::string (*sentence)(const Known&);
};

// ------------------------------------------------------------------------- units that are at their peak

bool at_tensor_peak(const Known& f) { return f(tensor_pipe) >= near_peak; }
std::string say_tensor_peak(const Known& f) {
  return fmt::format("the tensor pipe is busy {} of the time: near its peak", f.text(tensor_pipe));
}

bool at_fma_peak(const Known& f) { return f(fma_pipe) >= near_peak; }
std::string say_fma_peak(const Known& f) {
  return fmt::format("the FMA pipe is busy {} of the time, near its peak, with {} of the instructions FFMA",
                     f.text(fma_pipe), f.text(ffma_share));
}

bool at_dram_peak(const Known& f) { return f(dram_throughput) >= near_peak; }
std::string say_dram_peak(const Known& f) {
  return fmt::format("DRAM runs at {} of its peak, and moves {} bytes for each that it must", f.text(dram_throughput),
                     f.text(dram_traffic));
}

// ------------------------------------------------------------------------------- the way to the operands

bool scatters(const Known& f) {
  return f(global_loads_per_ffma) >= many_loads && f(sectors_per_request) > sectors_of_a_line;
}
std::string say_scatters(const Known& f) {
  return fmt::format(
      "scattered global loads: a request touches {} sectors where a line has {:.0f}, at {} loads per "
      "FFMA; the FMA pipe is busy {} of the time, DRAM {}",
      f.text(sectors_per_request), sectors_of_a_line, f.text(global_loads_per_ffma), f.text(fma_pipe),
      f.text(dram_throughput));
}

bool conflicts(const Known& f) {
  return f(bank_conflicts) >= many_conflicts &&
         (f(l1_wavefronts) >= busy || most_wait(f, {stalled_mio_throttle, stalled_short_scoreboard}));
}
std::string say_conflicts(const Known& f) {
  return fmt::format("bank conflicts: {} of the shared wavefronts are repeats, with the data path busy {} of the time",
                     f.text(bank_conflicts), f.text(l1_wavefronts));
}

bool issues_loads(const Known& f) {
  return f(loads_per_ffma) >= many_loads &&
         (f(lsu_pipe) >= busy || f(lsu_writeback) >= busy || f(l1_wavefronts) >= busy ||
          most_wait(f, {stalled_mio_throttle, stalled_lg_throttle}));
}
std::string say_issues_loads(const Known& f) {
  return fmt::format(
      "load instructions: {} for each FFMA keep the load/store pipe issuing {} and its results returning "
      "{} of the time; {} and {} wait to issue a shared or global access",
      f.text(loads_per_ffma), f.text(lsu_pipe), f.text(lsu_writeback), f.text(stalled_mio_throttle),
      f.text(stalled_lg_throttle));
}

bool at_shared_peak(const Known& f) {
  return f(l1_wavefronts) >= near_peak ||
         (f(l1_wavefronts) >= busy && most_wait(f, {stalled_mio_throttle, stalled_short_scoreboard}));
}
std::string say_shared_peak(const Known& f) {
  return fmt::format("shared-memory bandwidth: the data path is busy {} of the time, at {} wavefronts per FFMA",
                     f.text(l1_wavefronts), f.text(shared_wavefronts));
}

// --------------------------------------------------------------------------------------- what warps wait for

bool at_barriers(const Known& f) { return most_wait(f, {stalled_barrier}); }
std::string say_barriers(const Known& f) {
  return fmt::format("barriers: {} wait at one for each instruction issued, more than for anything else",
                     f.text(stalled_barrier));
}

bool lacks_warps(const Known& f) {
  return f(issue_slots) < idle_issue_slots && f(occupancy) < few_warps &&
         most_wait(f, {stalled_long_scoreboard, stalled_short_scoreboard, stalled_wait});
}
std::string say_lacks_warps(const Known& f) {
  return fmt::format(
      "latency with too few warps to hide it: {} of the warps are resident and {} of the issue slots used; "
      "{} wait for global memory, {} for shared memory, {} for a fixed latency",
      f.text(occupancy), f.text(issue_slots), f.text(stalled_long_scoreboard), f.text(stalled_short_scoreboard),
      f.text(stalled_wait));
}

bool waits_for_global(const Known& f) { return most_wait(f, {stalled_long_scoreboard}); }
std::string say_waits_for_global(const Known& f) {
  return fmt::format(
      "latency of global memory: {} wait for it for each instruction issued, more than for anything else",
      f.text(stalled_long_scoreboard));
}

bool waits_for_shared(const Known& f) { return most_wait(f, {stalled_short_scoreboard, stalled_mio_throttle}); }
std::string say_waits_for_shared(const Known& f) {
  return fmt::format("latency of shared memory: {} wait for it and {} to be let in, for each instruction issued",
                     f.text(stalled_short_scoreboard), f.text(stalled_mio_throttle));
}

bool feeds_fma(const Known& f) { return f(fma_pipe) >= busy || most_wait(f, {stalled_math_pipe, stalled_dispatch}); }
std::string say_feeds_fma(const Known& f) {
  return fmt::format("the FMA pipe: busy {} of the time, with {} waiting for it and {} for dispatch (register ports)",
                     f.text(fma_pipe), f.text(stalled_math_pipe), f.text(stalled_dispatch));
}

constexpr Rule rules[] = {
    {"tensor_pipe", at_tensor_peak, say_tensor_peak},
    {"fma_pipe", at_fma_peak, say_fma_peak},
    {"dram", at_dram_peak, say_dram_peak},
    {"scattered_loads", scatters, say_scatters},
    {"bank_conflicts", conflicts, say_conflicts},
    {"load_issue", issues_loads, say_issues_loads},
    {"shared_bandwidth", at_shared_peak, say_shared_peak},
    {"barriers", at_barriers, say_barriers},
    {"few_warps", lacks_warps, say_lacks_warps},
    {"global_latency", waits_for_global, say_waits_for_global},
    {"shared_latency", waits_for_shared, say_waits_for_shared},
    {"fma_supply", feeds_fma, say_feeds_fma},
};

}  // namespace

Limiter limiter_of(const Figures& figures) {
  const Known known(figures);
  const auto rule = std::ranges::find_if(rules, [&known](const Rule& r) { return r.holds(known); });
  if (rule == std::end(rules)) return {"none", "no limiter stands out"};
  return {rule->key, rule->sentence(known)};
}

}  // namespace ladder::profile

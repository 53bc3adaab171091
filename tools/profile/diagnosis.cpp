// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace ladder::profile {

namespace {

// A unit this busy is what the kernel waits for, in per cent: queues before it are full from about there.
constexpr double near_peak = 80.0;
constexpr double busy = 60.0;       // enough for a unit to be the limiter where what waits points to it too
constexpr double busy_path = 70.0;  // the same of the L1 data path: those who wait at less wait for its latency
// Loads for each FFMA. The load/store pipe is a quarter as wide as the FMA pipe: so many hold that below half its rate.
constexpr double many_loads = 0.5;
constexpr double sectors_of_a_line = 4.0;  // a warp that reads 32 neighbouring floats
constexpr double many_conflicts = 15.0;    // per cent of the wavefronts: worth a padded tile
constexpr double notable_wait = 0.5;       // warps, for each instruction issued
constexpr double hardly_any = 0.05;        // of them: not worth a word
constexpr double few_warps = 40.0;         // per cent of the warps that an SM holds
constexpr double idle_issue_slots = 75.0;  // per cent: below, schedulers find no warp ready every fourth time

using enum Figure;

/// The figures, where a missing one fails every comparison.
class Known {
 public:
  explicit Known(const Figures& figures) : figures_(figures) {}
  double operator()(Figure figure) const { return figures_[figure].value_or(std::numeric_limits<double>::quiet_NaN()); }

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

// ------------------------------------------------------------------------------------- what gives it away

bool at_tensor_peak(const Known& f) { return f(tensor_pipe) >= near_peak; }
bool at_fma_peak(const Known& f) { return f(fma_pipe) >= near_peak; }
bool at_dram_peak(const Known& f) { return f(dram_throughput) >= near_peak; }

bool scatters(const Known& f) {
  return f(global_loads_per_ffma) >= many_loads && f(sectors_per_request) > sectors_of_a_line;
}

bool conflicts(const Known& f) {
  return f(bank_conflicts) >= many_conflicts &&
         (f(l1_wavefronts) >= busy || most_wait(f, {stalled_mio_throttle, stalled_short_scoreboard}));
}

bool issues_loads(const Known& f) {
  return f(loads_per_ffma) >= many_loads &&
         (f(lsu_pipe) >= busy || f(lsu_writeback) >= busy || f(l1_wavefronts) >= busy ||
          most_wait(f, {stalled_mio_throttle, stalled_lg_throttle}));
}

bool at_shared_peak(const Known& f) {
  return f(l1_wavefronts) >= near_peak ||
         (f(l1_wavefronts) >= busy_path && most_wait(f, {stalled_mio_throttle, stalled_short_scoreboard}));
}

bool at_barriers(const Known& f) { return most_wait(f, {stalled_barrier}); }

bool lacks_warps(const Known& f) {
  return f(issue_slots) < idle_issue_slots && f(occupancy) < few_warps &&
         most_wait(f, {stalled_long_scoreboard, stalled_short_scoreboard, stalled_wait});
}

bool waits_for_global(const Known& f) { return most_wait(f, {stalled_long_scoreboard}); }
bool waits_for_shared(const Known& f) { return most_wait(f, {stalled_short_scoreboard, stalled_mio_throttle}); }
bool feeds_fma(const Known& f) { return f(fma_pipe) >= busy || most_wait(f, {stalled_math_pipe, stalled_dispatch}); }

// --------------------------------------------------------------------------------------------- what is said

struct Fact {
  const char* text = nullptr;  ///< with {} for the figure; null ends the list
  Figure figure{};
};

constexpr std::size_t most_facts = 5;

struct Rule {
  const char* key;
  const char* limiter;
  bool (*holds)(const Known&);
  std::array<Fact, most_facts> facts;
};

constexpr Fact fma_fact = {"the FMA pipe is busy {} of the time", fma_pipe};
constexpr Fact global_fact = {"{} wait for global memory at each issue", stalled_long_scoreboard};
constexpr Fact shared_fact = {"{} wait for shared memory at each issue", stalled_short_scoreboard};
constexpr Fact path_fact = {"the data path of L1 and shared memory is busy {} of the time", l1_wavefronts};

constexpr Rule rules[] = {
    {"tensor_pipe", "the tensor pipe, near its peak", at_tensor_peak, {{{"busy {} of the time", tensor_pipe}}}},
    {"fma_pipe",
     "the FMA pipe, near its peak",
     at_fma_peak,
     {{{"busy {} of the time", fma_pipe}, {"{} of the instructions are FFMA", ffma_share}}}},
    {"dram",
     "DRAM bandwidth",
     at_dram_peak,
     {{{"{} of its peak", dram_throughput}, {"{} bytes move for each that must", dram_traffic}, fma_fact}}},
    {"scattered_loads",
     "scattered global loads",
     scatters,
     {{{"a request touches {} sectors, where a line has 4", sectors_per_request},
       {"each FFMA takes {} such loads", global_loads_per_ffma},
       path_fact,
       fma_fact,
       {"DRAM is at {} of its peak", dram_throughput}}}},
    {"bank_conflicts",
     "bank conflicts",
     conflicts,
     {{{"{} of the shared wavefronts are repeats", bank_conflicts}, path_fact, shared_fact}}},
    {"load_issue",
     "load instructions",
     issues_loads,
     {{{"{} for each FFMA", loads_per_ffma},
       {"the load/store pipe issues {} of the time", lsu_pipe},
       {"loads return to registers {} of the time", lsu_writeback},
       {"{} wait to issue a shared access", stalled_mio_throttle},
       {"{} wait to issue a global access", stalled_lg_throttle}}}},
    {"shared_bandwidth",
     "shared-memory bandwidth",
     at_shared_peak,
     {{path_fact, {"{} wavefronts for each FFMA", shared_wavefronts}, shared_fact}}},
    {"barriers", "barriers", at_barriers, {{{"{} wait at one at each issue", stalled_barrier}, fma_fact}}},
    {"few_warps",
     "latency, with too few warps to hide it",
     lacks_warps,
     {{{"{} of the warps are resident", occupancy},
       {"{} of the issue slots are used", issue_slots},
       global_fact,
       shared_fact,
       {"{} wait a fixed latency", stalled_wait}}}},
    {"global_latency", "latency of global memory", waits_for_global, {{global_fact, fma_fact}}},
    {"shared_latency",
     "latency of shared memory",
     waits_for_shared,
     {{shared_fact, {"{} wait to issue a shared access", stalled_mio_throttle}, fma_fact}}},
    {"fma_supply",
     "the supply of the FMA pipe",
     feeds_fma,
     {{{"busy {} of the time", fma_pipe},
       {"{} of the issue slots are used", issue_slots},
       {"{} of the instructions are FFMA", ffma_share},
       {"{} wait for dispatch", stalled_dispatch},
       {"{} wait at a barrier", stalled_barrier}}}},
};

/// False where the figure is missing, and for warps that wait where there are next to none.
bool worth_saying(const Fact& fact, const Figures& figures) {
  const auto value = figures[fact.figure];
  const bool waiting = name_of(fact.figure).unit == std::string_view("warps");
  return value && !(waiting && *value < hardly_any);
}

/// "limiter: fact, fact", of what is worth saying.
std::string sentence_of(const Rule& rule, const Figures& figures) {
  std::string sentence = rule.limiter;
  const char* before = ": ";
  for (const Fact& fact : rule.facts) {
    if (fact.text == nullptr || !worth_saying(fact, figures)) continue;
    sentence += before + fmt::format(fmt::runtime(fact.text), value_text(fact.figure, figures[fact.figure]));
    before = ", ";
  }
  return sentence;
}

}  // namespace

Limiter limiter_of(const Figures& figures) {
  const Known known(figures);
  const auto rule = std::ranges::find_if(rules, [&known](const Rule& r) { return r.holds(known); });
  if (rule == std::end(rules)) return {"none", "no limiter stands out"};
  return {rule->key, sentence_of(*rule, figures)};
}

}  // namespace ladder::profile

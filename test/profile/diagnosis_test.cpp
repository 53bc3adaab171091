// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace ladder::profile;

namespace {

using Given = std::vector<std::pair<Figure, double>>;

Limiter limiter_given(const Given& given) {
  Figures figures;
  for (const auto& [figure, value] : given) figures.set(figure, value);
  return limiter_of(figures);
}

}  // namespace

TEST_CASE("each rule fires on its own evidence") {
  using enum Figure;
  const std::vector<std::pair<const char*, Given>> cases = {
      {"tensor_pipe", {{tensor_pipe, 91.0}, {fma_pipe, 90.0}}},
      {"fma_pipe", {{fma_pipe, 88.0}, {ffma_share, 93.0}, {bank_conflicts, 50.0}, {l1_wavefronts, 70.0}}},
      {"dram", {{dram_throughput, 92.0}, {dram_traffic, 1.4}, {fma_pipe, 3.0}}},
      {"scattered_loads", {{global_loads_per_ffma, 2.0}, {sectors_per_request, 8.5}, {fma_pipe, 1.0}}},
      {"bank_conflicts", {{bank_conflicts, 44.0}, {l1_wavefronts, 75.0}, {loads_per_ffma, 2.0}}},
      {"bank_conflicts", {{bank_conflicts, 44.0}, {l1_wavefronts, 30.0}, {stalled_mio_throttle, 2.0}}},
      {"load_issue",
       {{loads_per_ffma, 2.0}, {lsu_pipe, 95.0}, {sectors_per_request, 2.5}, {global_loads_per_ffma, 2.0}}},
      {"load_issue", {{loads_per_ffma, 1.1}, {stalled_lg_throttle, 6.0}, {stalled_long_scoreboard, 3.0}}},
      {"shared_bandwidth", {{l1_wavefronts, 85.0}, {shared_wavefronts, 0.4}, {loads_per_ffma, 0.2}}},
      {"shared_bandwidth", {{l1_wavefronts, 72.0}, {stalled_short_scoreboard, 1.5}}},
      {"shared_latency", {{l1_wavefronts, 65.0}, {stalled_short_scoreboard, 1.5}}},
      {"barriers", {{stalled_barrier, 2.0}, {stalled_long_scoreboard, 1.9}}},
      {"few_warps", {{issue_slots, 45.0}, {occupancy, 12.0}, {stalled_long_scoreboard, 1.2}}},
      {"global_latency", {{issue_slots, 45.0}, {occupancy, 80.0}, {stalled_long_scoreboard, 4.0}}},
      {"shared_latency", {{occupancy, 80.0}, {stalled_short_scoreboard, 4.0}, {l1_wavefronts, 20.0}}},
      {"fma_supply", {{fma_pipe, 70.0}, {stalled_not_selected, 3.0}}},
      {"fma_supply", {{stalled_dispatch, 0.8}, {stalled_wait, 0.4}}},
  };
  for (const auto& [key, given] : cases) {
    CAPTURE(key);
    const Limiter limiter = limiter_given(given);
    CHECK(limiter.key == key);
    CHECK(limiter.sentence.size() > limiter.key.size());
  }
}

TEST_CASE("the sentence carries the numbers that it rests on") {
  using enum Figure;
  const auto sentence =
      limiter_given({{global_loads_per_ffma, 2.0}, {sectors_per_request, 8.5}, {fma_pipe, 1.25}}).sentence;
  CHECK(sentence.find("8.5 sectors") != std::string::npos);
  CHECK(sentence.find("1.25 %") != std::string::npos);
  CHECK(sentence.find("DRAM") == std::string::npos);  // not counted
}

TEST_CASE("warps that hardly wait are not spoken of") {
  using enum Figure;
  CHECK(limiter_given({{fma_pipe, 72.8}, {issue_slots, 78.9}, {stalled_dispatch, 0.01}, {stalled_barrier, 0.2}})
            .sentence ==
        "the supply of the FMA pipe: busy 72.8 % of the time, 78.9 % of the issue slots are used, 0.2 warps wait at a "
        "barrier");
}

TEST_CASE("no limiter stands out") {
  using enum Figure;
  CHECK(limiter_given({}).key == "none");
  CHECK(limiter_given({{fma_pipe, 30.0}, {stalled_long_scoreboard, 0.2}, {stalled_barrier, 0.1}}).key == "none");
  // 128-bit loads touch 16 sectors a request, and scatter nothing
  CHECK(limiter_given({{sectors_per_request, 16.0}, {global_loads_per_ffma, 0.01}}).key == "none");
}

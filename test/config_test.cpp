// SPDX-License-Identifier: MIT
// The configurations that a rung chooses from, emulated, on the problems that they are made for. None is left out.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/config_cases.hpp"

namespace ladder::test {

namespace {

/// Around the tile of configuration `index`, which runs all of them; one in `share` of the others does too.
std::vector<Case> edge_cases(std::span<const KernelConfig> configs, std::size_t index, Turns& turns) {
  constexpr std::size_t share = 7;
  std::vector<Case> cases;
  for (const Shape& shape : shapes_of(configs[index].tile, Effort::small)) {
    for (const Op op_a : {Op::none, Op::transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        Case c = turns.next(shape, op_a, op_b);
        c.share = share;
        c.seed = static_cast<std::uint32_t>(share * c.seed + share - index % share);
        cases.push_back(c);
      }
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("every configuration is right on the problems that configurations are made for") {
  for (const Rung* rung : chosen_rungs()) {
    if (rung->emulated->configs.empty()) continue;
    Ran ran;
    // The tensor cores' sums take the emulator ten times as long.
    const unsigned share = uses_tensor_cores(rung->precision) ? 7 * sanitizer_share : sanitizer_share;
    for (Case c : cases_for_configs(effort())) {
      c.share = share;
      if (is_run(*rung, c.seed)) check_case(*rung, c, &ran);
    }
    std::size_t number = 0;
    for (const BatchCase& batch : batches_for_configs(effort())) {
      if (is_run(*rung, number++)) check_batch(*rung, batch, &ran);
    }
    if (effort() != Effort::full || sanitizer_share != 1) continue;
    for (const KernelConfig& config : rung->emulated->configs) {
      INFO(config.name);
      CHECK_MESSAGE((ran.contains(&config) || is_rung_9s(*rung, config)), "no problem of this suite runs it");
    }
  }
}

TEST_CASE("every configuration is right at the edges of its own tile") {
  if (effort() == Effort::tiny) return;
  for (const Rung* rung : chosen_rungs()) {
    Turns turns;
    for (std::size_t i = 0; i < rung->emulated->configs.size(); ++i) {
      if (is_rung_9s(*rung, rung->emulated->configs[i])) continue;
      for (const Case& c : edge_cases(rung->emulated->configs, i, turns)) check_case(*rung, c);
    }
  }
}

}  // namespace ladder::test

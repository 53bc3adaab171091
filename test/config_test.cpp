// SPDX-License-Identifier: MIT
// The configurations that a rung chooses from, emulated, on the problems that they are made for. None is left out.
#include <doctest/doctest.h>

#include "support/config_cases.hpp"

namespace ladder::test {

TEST_CASE("every configuration is right on the problems that configurations are made for") {
  for (const Rung* rung : chosen_rungs()) {
    if (rung->emulated->configs.empty()) continue;
    Ran ran;
    for (const Case& c : cases_for_configs(effort())) check_case(*rung, c, &ran);
    for (const BatchCase& batch : batches_for_configs(effort())) check_batch(*rung, batch, &ran);
    if (effort() != Effort::full) continue;
    for (const KernelConfig& config : rung->emulated->configs) {
      INFO(config.name);
      CHECK_MESSAGE(ran.contains(&config), "no problem of this suite runs it");
    }
  }
}

TEST_CASE("every configuration is right at the edges of its own tile") {
  if (effort() == Effort::tiny) return;
  for (const Rung* rung : chosen_rungs()) {
    Turns turns;
    for (const KernelConfig& config : rung->emulated->configs) {
      for (const Shape& shape : shapes_of(config.tile, Effort::small)) {
        for (const Op op_a : {Op::none, Op::transpose}) {
          for (const Op op_b : {Op::none, Op::transpose}) check_case(*rung, turns.next(shape, op_a, op_b));
        }
      }
    }
  }
}

}  // namespace ladder::test

// SPDX-License-Identifier: MIT
// The ceilings where there is a GPU, and what is said where there is none.
#include "bench/ceilings/ceilings.hpp"

#include <doctest/doctest.h>

#include "bench/device_facts.hpp"

using namespace ladder::bench;

namespace {

void check_host_copies(const Ceilings& ceilings) {
  for (const auto& rate : {ceilings.to_device_pinned_gbs, ceilings.to_device_pageable_gbs, ceilings.to_host_pinned_gbs,
                           ceilings.to_host_pageable_gbs}) {
    REQUIRE(rate);
    CHECK(*rate > 0.0);
    // No link to a host is as quick as the memory of the card.
    CHECK(*rate < *ceilings.copy_gbs);
  }
}

}  // namespace

TEST_CASE("what an FP32 floor needs is measured, and no more; without a GPU it is said why not") {
  std::string complaint;
  const Ceilings ceilings = measure_ceilings(CeilingSet::fp32, complaint);
  const bool gpu = current_device_facts().has_value();
  INFO(complaint);
  CHECK(complaint.empty() == gpu);
  CHECK((ceilings.fma_tflops && *ceilings.fma_tflops > 0.0) == gpu);
  CHECK((ceilings.copy_gbs && *ceilings.copy_gbs > 0.0) == gpu);
  CHECK_FALSE(ceilings.tf32_tflops);
  CHECK_FALSE(ceilings.to_device_pinned_gbs);
}

TEST_CASE("all ceilings are in their natural order") {
  std::string complaint;
  const Ceilings ceilings = measure_ceilings(CeilingSet::all, complaint);
  if (!current_device_facts()) return;
  INFO(complaint);
  REQUIRE(complaint.empty());
  REQUIRE(ceilings.fma_tflops);
  REQUIRE(ceilings.copy_gbs);
  check_host_copies(ceilings);
  // A card's tensor cores are measured in every type or in none.
  REQUIRE(ceilings.tf32_tflops.has_value() == ceilings.bf16_tflops.has_value());
  REQUIRE(ceilings.tf32_tflops.has_value() == ceilings.fp16_tflops.has_value());
  if (!ceilings.tf32_tflops) return;
  CHECK(*ceilings.bf16_tflops > *ceilings.tf32_tflops);
  CHECK(*ceilings.fp16_tflops > *ceilings.tf32_tflops);
}

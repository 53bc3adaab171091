// SPDX-License-Identifier: MIT
// The switch of the order of summation, and that the rungs' own choices heed it.
#include "sum_order.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "choose_config.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

/// Of every shape from a single product of two numbers to what fills a GPU, one by one and as a batch.
std::vector<GemmProblem> problems() {
  std::vector<GemmProblem> all;
  for (const std::int64_t m : {1, 2, 8, 64, 500, 4096}) {
    for (const std::int64_t n : {1, 3, 16, 128, 4096}) {
      for (const std::int64_t k : {1, 40, 512, 4096, 65536, 8000000}) {
        GemmProblem p;
        p.m = p.lda = p.ldc = m;
        p.n = n;
        p.k = p.ldb = k;
        all.push_back(p);
        p.batch = 1000;
        p.stride_a = m * k, p.stride_b = k * n, p.stride_c = m * n;
        all.push_back(p);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("sums are in blocks where that pays, until the order of k is asked for") {
  CHECK_FALSE(plain_sums());
  set_plain_sums(true);
  CHECK(plain_sums());
  bool seen_elsewhere = false;
  std::thread([&] { seen_elsewhere = plain_sums(); }).join();
  CHECK(seen_elsewhere);
  set_plain_sums(false);
  CHECK_FALSE(plain_sums());
}

TEST_CASE("no rung's choice sums in blocks where the order of k is asked for") {
  const PlainSums asked;
  for (const Rung& rung : rungs()) {
    if (rung.emulated == nullptr || rung.emulated->configs.empty()) continue;
    for (const GemmProblem& p : problems()) {
      const KernelConfig& chosen =
          choose_config(rung_key(rung.id), rung.emulated->configs, p, emulated_multiprocessors, emulator_slot);
      CAPTURE(chosen.name);
      CHECK(chosen.sums != Sums::in_blocks);
      CHECK(can_run(chosen, p));
    }
  }
}

}  // namespace ladder::test

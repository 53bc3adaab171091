// SPDX-License-Identifier: MIT
// What a host-pointer call costs that the CPU takes, above the CPU BLAS itself, whose part a fake plays: no memory, and
// less than anything that would start CUDA, read a file or ask the system. Prints the time of a call.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "fake_blas.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*, std::size_t, std::size_t);

void* __libc_malloc(std::size_t bytes);
}

namespace {

std::atomic<int> allocations{0};

struct Extents {
  const char* what;
  int m, n, k;
};

/// The fake reads nothing, so that the matrices need not be there.
void call(const Extents& extents, float& c) {
  const float one = 1.0f, zero = 0.0f;
  sgemm_("N", "N", &extents.m, &extents.n, &extents.k, &one, &one, &extents.m, &one, &extents.k, &zero, &c, &extents.m,
         1, 1);
}

double nanoseconds_of_a_call(const Extents& extents) {
  constexpr int calls = 1000, batches = 50;
  std::array<double, batches> times;
  float c = 0.0f;
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(extents, c);
    time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / calls;
  }
  return *std::ranges::min_element(times);
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

int main() {
  constexpr double most_nanoseconds = 2000;  // a machine under load; a file or the CUDA runtime take far longer
  int failures = 0;
  float c = 0.0f;
  call({"smallest", 1, 1, 1}, c);  // no other BLAS may get those that are not there
  if (c != FAKE_BLAS_MARK) {
    std::fputs("failed: the call did not go to the fake BLAS\n", stderr);
    return EXIT_FAILURE;
  }
  for (const Extents& extents : {Extents{"small", 8, 8, 8}, Extents{"left to the CPU by the model", 4096, 1, 4096}}) {
    c = 0.0f;
    call(extents, c);  // the first one that is not small reads this machine's rates
    const bool served = c == FAKE_BLAS_MARK;
    const int before = allocations.load();
    const double nanoseconds = nanoseconds_of_a_call(extents);
    const int allocated = allocations.load() - before;
    std::printf("%s: %.0f ns a call, %d allocations\n", extents.what, nanoseconds, allocated);
    if (!served || allocated != 0 || !(nanoseconds < most_nanoseconds)) {
      std::fprintf(stderr, "failed: %s\n", served ? "such a call costs too much" : "the CPU BLAS did not get the call");
      ++failures;
    }
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

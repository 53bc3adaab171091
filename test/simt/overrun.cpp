// SPDX-License-Identifier: MIT
// A kernel that oversteps a buffer by one float: AddressSanitizer must end this program.
// Usage: overrun shared | global | nothing
#include <cstdio>
#include <string_view>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 33;

struct Words {
  float word[threads];
};

template <int BEYOND_SHARED, int BEYOND_GLOBAL>
__global__ void overstep(const GemmProduct p, const BatchLayout, const Epilogue) {
  Words& words = block_smem<Words>();
  float* word = words.word;
  word[threadIdx.x + BEYOND_SHARED] = p.a[threadIdx.x + BEYOND_GLOBAL];
  __syncthreads();
  p.c[threadIdx.x] = word[threadIdx.x];
}

int run(std::string_view what) {
  const std::vector<float> input(threads, 1.0f);
  std::vector<float> output(threads, 0.0f);
  const GemmProblem problem = problem_of(input, output);
  if (what == "shared") return launch<overstep<1, 0>, Words>(1, threads, nullptr, problem);
  if (what == "global") return launch<overstep<0, 1>, Words>(1, threads, nullptr, problem);
  if (what == "nothing") return launch<overstep<0, 0>, Words>(1, threads, nullptr, problem);
  std::fprintf(stderr, "usage: overrun shared | global | nothing\n");
  return 2;
}

}  // namespace

}  // namespace ladder::emulated

int main(int argc, char** argv) { return ladder::emulated::run(argc > 1 ? argv[1] : ""); }

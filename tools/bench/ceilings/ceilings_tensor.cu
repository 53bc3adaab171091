// SPDX-License-Identifier: MIT
// What the tensor cores are measured with, and which instructions reach their rate on the device at hand.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <random>

#include "ceilings_parts.hpp"

namespace ladder::bench {

namespace {

constexpr unsigned seed = 20;
constexpr int half_bits = 16;

// Major compute capabilities.
constexpr int ampere_and_ada = 8;
constexpr int hopper = 9;
constexpr int blackwell_geforce = 12;

template <typename Word, typename Number>
Word bits(Number number) {
  static_assert(sizeof(Word) == sizeof(Number));
  Word word = 0;
  std::memcpy(&word, &number, sizeof word);
  return word;
}

std::uint32_t half_word(Pipe pipe, float value) {
  return pipe == Pipe::bf16 ? bits<std::uint16_t>(__float2bfloat16_rn(value))
                            : bits<std::uint16_t>(__float2half_rn(value));
}

}  // namespace

std::vector<std::uint32_t> tensor_operands(Pipe pipe) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint32_t> words(tensor_operand_words);
  for (std::uint32_t& word : words) {
    if (pipe == Pipe::tf32) {
      word = bits<std::uint32_t>(normal(generator));
    } else {
      word = half_word(pipe, normal(generator));
      word |= half_word(pipe, normal(generator)) << half_bits;
    }
  }
  return words;
}

std::optional<Work> tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink) {
  int ordinal = 0;
  int major = 0;
  if (pipe == Pipe::fp32 || cudaGetDevice(&ordinal) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) != cudaSuccess)
    return std::nullopt;
  if (major == hopper) return warpgroup_tensor_work(pipe, sm_count, operands, sink);
  if ((major == ampere_and_ada || major == blackwell_geforce) && warp_tensor_code_is_there())
    return warp_tensor_work(pipe, sm_count, operands, sink);
  return std::nullopt;
}

}  // namespace ladder::bench

// SPDX-License-Identifier: MIT
// Narrow numbers in pairs, and what the lanes of a warp have in common: a part of device.cuh that writing planes needs.
//
//   pack_bf16(lower, upper), pack_fp16(lower, upper)    two numbers rounded to nearest, ties to even, in 32 bits
//   lower_bf16(pair), upper_bf16(pair), lower_fp16(pair), upper_fp16(pair)    one of them again
//   bits_of(number), number_of(bits)                    an FP32 number as it lies in memory
//   larger_magnitude(a, b)                              the larger of a, which is not negative, and |b|; NaN above all
//   largest_in_lanes<LANES>(value), sum_in_lanes<LANES>(value)    of LANES neighbouring lanes, at a multiple of LANES
//   store_chunk(to, words)                              four words, in one access, aligned to 16 bytes
//
// What goes over lanes is for all lanes of the warp together. On a GPU below sm_80, which cannot pack, the words stop
// the kernel: it must not be launched.
#pragma once

#include "device.cuh"

#if defined(LADDER_EMULATED)
#include "simt/plane_words_emulated.hpp"
#else
#include "plane_words_cuda.cuh"
#endif

// SPDX-License-Identifier: MIT
// The way of a sum to C in the kernels that see C from either side.
#pragma once

#include "finish.cuh"
#include "wide_operand.cuh"

namespace ladder::LADDER_DEVICE {

/// What the sums of a product go through.
struct WideEpilogue {
  const GemmProduct& product;  ///< or another of its batch
  const Scalars& scalars;
  const Epilogue& rest;
};

/// Where row `row` and line `line` of product number `number` meet in C.
__device__ __forceinline__ ElementPlace place_in_c(const WideProduct& v, std::int64_t number, std::int64_t row,
                                                   int line) {
  return v.a_is_x ? ElementPlace{number, line, row} : ElementPlace{number, row, line};
}

__device__ __forceinline__ void store_sum(const WideProduct& v, const WideEpilogue& epilogue, std::int64_t number,
                                          std::int64_t row, int line, float sum) {
  float* c = v.c + row * v.c_row + line * v.c_line;
  float value = blend(epilogue.scalars, sum, c);
  if (!epilogue.rest.is_plain()) {
    value = finished(epilogue.rest, epilogue.product, place_in_c(v, number, row, line), value);
  }
  *c = value;
}

}  // namespace ladder::LADDER_DEVICE

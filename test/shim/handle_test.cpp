// SPDX-License-Identifier: MIT
// What a device door sees of a handle of our own, and what a caller says of TF32.
#include "handle.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace ladder;
using namespace ladder::shim;

TEST_CASE("a handle of our own is ours for good; once destroyed it is refused, and never shown to the real cuBLAS") {
  const cublas::Handle handle = create_own_handle();
  HandleView view;
  REQUIRE(own_handle(handle) != nullptr);
  own_handle(handle)->math = cublas::PEDANTIC_MATH;
  own_handle(handle)->pointer_mode = cublas::POINTER_MODE_DEVICE;
  CHECK(view_handle(handle, nullptr, view) == cublas::STATUS_SUCCESS);
  CHECK(view.own);
  CHECK(view.pointer_mode == cublas::POINTER_MODE_DEVICE);
  CHECK(view.tf32 == Tf32Wish::pedantic);
  destroy_own_handle(*own_handle(handle));
  CHECK(own_handle(handle) == nullptr);
  CHECK(made_here(handle));
  CHECK(view_handle(handle, nullptr, view) == cublas::STATUS_NOT_INITIALIZED);
}

TEST_CASE("other addresses are not ours") {
  const cublas::Handle handle = create_own_handle();
  REQUIRE(handle != nullptr);
  const auto inside = reinterpret_cast<cublas::Handle>(reinterpret_cast<char*>(handle) + 1);
  int elsewhere = 0;
  CHECK_FALSE(made_here(inside));
  CHECK_FALSE(made_here(reinterpret_cast<cublas::Handle>(&elsewhere)));
  CHECK_FALSE(made_here(nullptr));
  destroy_own_handle(*own_handle(handle));
}

TEST_CASE("what math modes say of TF32, with and without the flag beside them") {
  constexpr std::pair<cublas::Math, Tf32Wish> due[] = {{cublas::DEFAULT_MATH, Tf32Wish::unsaid},
                                                       {cublas::TENSOR_OP_MATH, Tf32Wish::allowed},
                                                       {cublas::PEDANTIC_MATH, Tf32Wish::pedantic},
                                                       {cublas::TF32_TENSOR_OP_MATH, Tf32Wish::allowed},
                                                       {cublas::FP32_EMULATED_BF16X9_MATH, Tf32Wish::forbidden},
                                                       {cublas::FP64_EMULATED_FIXEDPOINT_MATH, Tf32Wish::unsaid}};
  for (const auto& [mode, wish] : due) {
    CAPTURE(mode);
    CHECK(tf32_wish(mode) == wish);
    CHECK(tf32_wish(static_cast<cublas::Math>(mode | cublas::MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)) == wish);
  }
}

TEST_CASE("what compute types say of TF32") {
  CHECK(tf32_wish(cublas::COMPUTE_32F) == Tf32Wish::unsaid);
  CHECK(tf32_wish(cublas::COMPUTE_32F_PEDANTIC) == Tf32Wish::pedantic);
  CHECK(tf32_wish(cublas::COMPUTE_32F_EMULATED_16BFX9) == Tf32Wish::forbidden);
  for (const auto fast : {cublas::COMPUTE_32F_FAST_16F, cublas::COMPUTE_32F_FAST_16BF, cublas::COMPUTE_32F_FAST_TF32})
    CHECK(tf32_wish(fast) == Tf32Wish::allowed);
}

TEST_CASE("TF32 takes one who allows it and nobody who forbids it, tensor cores nobody who is pedantic") {
  constexpr Tf32Wish wishes[] = {Tf32Wish::unsaid, Tf32Wish::allowed, Tf32Wish::forbidden};
  for (const Tf32Wish other : wishes) {
    CHECK(weightier(Tf32Wish::forbidden, other) == Tf32Wish::forbidden);
    CHECK(weightier(other, Tf32Wish::forbidden) == Tf32Wish::forbidden);
    CHECK(weightier(Tf32Wish::pedantic, other) == Tf32Wish::pedantic);
    CHECK(weightier(other, Tf32Wish::pedantic) == Tf32Wish::pedantic);
  }
  CHECK(weightier(Tf32Wish::allowed, Tf32Wish::unsaid) == Tf32Wish::allowed);
  CHECK(weightier(Tf32Wish::unsaid, Tf32Wish::allowed) == Tf32Wish::allowed);
  CHECK(weightier(Tf32Wish::unsaid, Tf32Wish::unsaid) == Tf32Wish::unsaid);
}

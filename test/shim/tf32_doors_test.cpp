// SPDX-License-Identifier: MIT
// Who asks cuBLAS for TF32, and how, under LADDER_DEVICE=emulate: the rung of TF32 serves these callers and no others.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cublas_doors.hpp"

using namespace ladder::cublas;

namespace {

constexpr int edge = 8;
constexpr int elements = edge * edge;

/// The name of the first rung of that precision, or "".
std::string rung_in(const std::string& precision) {
  ladder_rung rung;
  for (int index = 0; ladder_rung_info(index, &rung) == LADDER_OK; ++index) {
    if (rung.precision == precision) return rung.name;
  }
  return {};
}

/// A product of small integers, which lose nothing in TF32.
struct Product {
  Handle handle = nullptr;
  float alpha = 1.0f, beta = 0.0f;
  std::vector<float> a = std::vector<float>(elements, 2.0f), b = std::vector<float>(elements, 3.0f);
  std::vector<float> c = std::vector<float>(elements, -1.0f);
  Compute compute = COMPUTE_32F;

  Product() { REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS); }
  ~Product() { CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS); }
};

struct Door {
  const char* name;
  std::function<Status(Product&)> call;
  bool typed;  ///< it takes a compute type
};

const Door doors[] = {
    {"cublasSgemm_v2",
     [](Product& p) {
       return cublasSgemm_v2(p.handle, OP_N, OP_N, edge, edge, edge, &p.alpha, p.a.data(), edge, p.b.data(), edge,
                             &p.beta, p.c.data(), edge);
     },
     false},
    {"cublasSgemmStridedBatched",
     [](Product& p) {
       return cublasSgemmStridedBatched(p.handle, OP_N, OP_N, edge, edge, edge, &p.alpha, p.a.data(), edge, elements,
                                        p.b.data(), edge, elements, &p.beta, p.c.data(), edge, elements, 1);
     },
     false},
    {"cublasGemmEx",
     [](Product& p) {
       return cublasGemmEx(p.handle, OP_N, OP_N, edge, edge, edge, &p.alpha, p.a.data(), R_32F, edge, p.b.data(), R_32F,
                           edge, &p.beta, p.c.data(), R_32F, edge, p.compute, GEMM_DEFAULT);
     },
     true},
    {"cublasGemmBatchedEx",
     [](Product& p) {
       const void* a[] = {p.a.data()};
       const void* b[] = {p.b.data()};
       void* c[] = {p.c.data()};
       return cublasGemmBatchedEx(p.handle, OP_N, OP_N, edge, edge, edge, &p.alpha, a, R_32F, edge, b, R_32F, edge,
                                  &p.beta, c, R_32F, edge, 1, p.compute, GEMM_DEFAULT);
     },
     true}};

/// True where the rung of TF32 serves the call, false where another does.
bool in_tf32(const Door& door, Math mode, Compute compute = COMPUTE_32F) {
  const std::string tf32 = rung_in("tf32");
  Product p;
  p.compute = compute;
  REQUIRE(cublasSetMathMode(p.handle, mode) == STATUS_SUCCESS);
  const std::uint64_t before = ladder_call_count(door.name, tf32.c_str());
  const std::uint64_t all_before = ladder_call_count(door.name, nullptr);
  CHECK(door.call(p) == STATUS_SUCCESS);
  CHECK(p.c == std::vector<float>(elements, 6.0f * edge));
  CHECK(ladder_call_count(door.name, nullptr) == all_before + 1);
  return ladder_call_count(door.name, tf32.c_str()) == before + 1;
}

}  // namespace

TEST_CASE("there is a rung of TF32") { CHECK(rung_in("tf32") != ""); }

TEST_CASE("a math mode that allows TF32 gets it, one that says nothing or forbids it does not") {
  for (const Door& door : doors) {
    INFO(door.name);
    CHECK(in_tf32(door, TF32_TENSOR_OP_MATH));
    CHECK(in_tf32(door, TENSOR_OP_MATH));
    for (const Math mode : {DEFAULT_MATH, PEDANTIC_MATH, FP32_EMULATED_BF16X9_MATH}) CHECK_FALSE(in_tf32(door, mode));
  }
}

TEST_CASE("a compute type that allows TF32 gets it, unless the math mode is pedantic") {
  for (const Door& door : doors) {
    if (!door.typed) continue;
    INFO(door.name);
    for (const Compute compute : {COMPUTE_32F_FAST_16F, COMPUTE_32F_FAST_16BF, COMPUTE_32F_FAST_TF32}) {
      CHECK(in_tf32(door, DEFAULT_MATH, compute));
      CHECK_FALSE(in_tf32(door, PEDANTIC_MATH, compute));
    }
    for (const Compute compute : {COMPUTE_32F_PEDANTIC, COMPUTE_32F_EMULATED_16BFX9}) {
      CHECK_FALSE(in_tf32(door, DEFAULT_MATH, compute));
      CHECK_FALSE(in_tf32(door, TF32_TENSOR_OP_MATH, compute));
    }
  }
}

TEST_CASE("a rung that the program asked for serves, whatever the math mode") {
  CHECK(ladder_set_thread_rung("8") == LADDER_OK);
  for (const Door& door : doors) {
    INFO(door.name);
    CHECK_FALSE(in_tf32(door, TF32_TENSOR_OP_MATH));
  }
  CHECK(ladder_set_thread_rung(rung_in("tf32").c_str()) == LADDER_OK);
  for (const Door& door : doors) {
    INFO(door.name);
    CHECK(in_tf32(door, PEDANTIC_MATH));
  }
  CHECK(ladder_set_thread_rung(nullptr) == LADDER_OK);
}

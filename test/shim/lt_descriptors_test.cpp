// SPDX-License-Identifier: MIT
// Descriptors of the real cuBLASLt, read by the shim: what they say, what it leaves alone, and how long it takes. No
// GPU.
#include <cublasLt.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "cublas_lt_descriptors.hpp"

using namespace ladder::shim;

namespace {

/// NVIDIA's descriptors, and how the shim sees them.
struct Described {
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;

  explicit Described(cublasComputeType_t compute = CUBLAS_COMPUTE_32F, cudaDataType type = CUDA_R_32F) {
    REQUIRE(cublasLtMatmulDescCreate(&desc, compute, type) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasLtMatrixLayoutCreate(&layout, type, 3, 4, 5) == CUBLAS_STATUS_SUCCESS);
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  ~Described() {
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatrixLayoutDestroy(layout);
  }

  template <class Value>
  Described& set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    REQUIRE(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS);
    return *this;
  }
  template <class Value>
  Described& set(cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    REQUIRE(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS);
    return *this;
  }

  bool read(LtOperation& operation) const {
    return read_operation(reinterpret_cast<ladder::cublas_lt::MatmulDesc>(desc), nullptr, operation);
  }
  bool read(LtLayout& into) const {
    return read_layout(reinterpret_cast<ladder::cublas_lt::MatrixLayout>(layout), nullptr, into);
  }
  bool operation_is_ours() const {
    LtOperation operation;
    return read(operation);
  }
  bool layout_is_ours() const {
    LtLayout read_one;
    return read(read_one);
  }
};

}  // namespace

TEST_CASE("what a description says of the operation") {
  float bias = 0.0f;
  Described all;
  all.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T).set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_C);
  all.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS).set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias);
  all.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{7});
  all.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
  LtOperation operation;
  REQUIRE(all.read(operation));
  CHECK(operation.compute == ladder::cublas::COMPUTE_32F);
  CHECK(operation.pointer_mode == ladder::cublas::POINTER_MODE_DEVICE);
  CHECK(operation.op_a == ladder::cublas::OP_T);
  CHECK(operation.op_b == ladder::cublas::OP_C);
  CHECK(operation.epilogue == ladder::cublas_lt::EPILOGUE_GELU_BIAS);
  CHECK(operation.bias == &bias);
  CHECK(operation.bias_stride == 7);
}

TEST_CASE("what a layout says") {
  Described all;
  all.set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW).set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 6);
  all.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{-8});
  LtLayout layout;
  REQUIRE(all.read(layout));
  CHECK(layout.order == ladder::cublas_lt::ORDER_ROW);
  CHECK(layout.rows == 3);
  CHECK(layout.cols == 4);
  CHECK(layout.ld == 5);
  CHECK(layout.batch == 6);
  CHECK(layout.stride == -8);
}

TEST_CASE("what no rung follows is left alone") {
  float anything = 0.0f;
  CHECK(Described().operation_is_ours());
  CHECK(Described().layout_is_ours());
  CHECK_FALSE(Described(CUBLAS_COMPUTE_64F, CUDA_R_64F).operation_is_ours());
  CHECK_FALSE(Described(CUBLAS_COMPUTE_64F, CUDA_R_64F).layout_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_LOWER).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, &anything).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &anything).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, 16).operation_is_ours());
  CHECK(Described().set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &anything).operation_is_ours());
  CHECK(Described().set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1}).operation_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL32).layout_is_ours());
  CHECK_FALSE(Described().set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, std::int64_t{64}).layout_is_ours());
}

TEST_CASE("a call's five descriptors are read in less than a microsecond") {
  const Described all;
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 2000, calls = 10, layouts = 4;
  int ours = 0;
  double best = 1e9;  // of many short rounds: a busy machine interrupts some of them
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (int call = 0; call < calls; ++call) {
      ours += all.operation_is_ours();
      for (int layout = 0; layout < layouts; ++layout) ours += all.layout_is_ours();
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls);
  }
  CHECK(ours == rounds * calls * (1 + layouts));
  MESSAGE("cuBLASLt ", cublasLtGetVersion(), ": ", best, " ns a call");
  constexpr double nanoseconds = 1000;
  CHECK(best < nanoseconds);
}

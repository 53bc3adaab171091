// SPDX-License-Identifier: MIT
// An ordinary cuBLASLt program, linked to cuBLASLt and to nothing of ours: FP32 products in every order, with every
// epilogue that this library serves, batches, a C apart from D and scalars on the device. A row order may be refused,
// as cuBLASLt does with some, but not be computed wrongly. Calls that are not for us, with an auxiliary output or in
// half precision, must come out right whoever is in front. Lines that begin with "status of" say what is not agreed on.
#include <cuda_fp16.h>

#include <limits>

#include "lt_program.hpp"

using namespace lt_program;

namespace {

constexpr int epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
                             CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS};

bool every_order_and_operation(Program& program, Variant variant, Tally& tally) {
  bool right = true;
  for (int bits = 0; bits < 32; ++bits) {
    const auto order = [bits](int bit) { return (bits >> bit & 1) != 0 ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL; };
    variant.order_a = order(0), variant.order_b = order(1), variant.order_d = order(2);
    variant.op_a = (bits >> 3 & 1) != 0 ? CUBLAS_OP_T : CUBLAS_OP_N;
    variant.op_b = (bits >> 4 & 1) != 0 ? CUBLAS_OP_C : CUBLAS_OP_N;
    right = program.run(variant, tally) && right;
  }
  return right;
}

bool every_variant(Program& program, Tally& tally) {
  bool right = true;
  for (const int epilogue : epilogues) {
    Variant variant;
    variant.epilogue = epilogue;
    for (const OldC old_c : {OldC::unread, OldC::in_place, OldC::apart}) {
      variant.old_c = old_c;
      right = every_order_and_operation(program, variant, tally) && right;
      variant.products = most_products;
      right = program.run(variant, tally) && right;
      variant.products = 1;
      for (const Extra extra : {Extra::algorithm, Extra::scalars_on_device, Extra::pedantic}) {
        variant.extra = extra;
        right = program.run(variant, tally) && right;
      }
      variant.extra = Extra::nothing;
    }
  }
  Variant masked;
  masked.epilogue = CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
  masked.extra = Extra::auxiliary_output;
  return program.run(masked, tally) && right;
}

/// 2 x 2 products of equal numbers; what cuBLASLt's documentation leaves open.
struct Probe {
  const char* name;
  int rows, cols, inner;
  float alpha, a, beta;
  bool has_c;
  int epilogue;
  bool counts;  ///< D has elements
};

void ask(cublasLtHandle_t handle, const Probe& probe) {
  constexpr int side = 2;
  const auto filled = [](float value) { return std::vector<float>(side * side, value); };
  const OnDevice<float> a(filled(probe.a)), b(filled(1.0f)), c(filled(4.0f)), d(filled(7.0f));
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &probe.epilogue, sizeof probe.epilogue);
  const auto layout = [](int rows, int cols) {
    cublasLtMatrixLayout_t made = nullptr;
    cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, std::uint64_t(rows), std::uint64_t(cols), side);
    return made;
  };
  cublasLtMatrixLayout_t layouts[] = {layout(probe.rows, probe.inner), layout(probe.inner, probe.cols),
                                      layout(probe.rows, probe.cols)};
  const cublasStatus_t status =
      cublasLtMatmul(handle, desc, &probe.alpha, a.data(), layouts[0], b.data(), layouts[1], &probe.beta,
                     probe.has_c ? c.data() : nullptr, layouts[2], d.data(), layouts[2], nullptr, nullptr, 0, nullptr);
  std::printf("status of %s: %d, D is %g\n", probe.name, status, d.download().front());
  for (const cublasLtMatrixLayout_t made : layouts) cublasLtMatrixLayoutDestroy(made);
  cublasLtMatmulDescDestroy(desc);
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Probe probes[] = {
    {"m = 0", 0, 2, 2, 1, 1, 2, true, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"n = 0", 2, 0, 2, 1, 1, 2, true, CUBLASLT_EPILOGUE_DEFAULT, false},
    {"k = 0", 2, 2, 0, 1, 1, 2, true, CUBLASLT_EPILOGUE_DEFAULT, true},
    {"alpha = 0 with NaN in A", 2, 2, 2, 0, nan, 2, true, CUBLASLT_EPILOGUE_DEFAULT, true},
    {"beta = 0 without C", 2, 2, 2, 1, 1, 0, false, CUBLASLT_EPILOGUE_DEFAULT, true},
    {"ReLU of NaN", 2, 2, 2, 1, nan, 0, true, CUBLASLT_EPILOGUE_RELU, true},
    {"GELU of NaN", 2, 2, 2, 1, nan, 0, true, CUBLASLT_EPILOGUE_GELU, true},
    {"GELU of -1000", 2, 2, 2, 1, -500, 0, true, CUBLASLT_EPILOGUE_GELU, true},
};

/// 16 x 16 x 16 of halves, all ones: every element is 16.
bool run_in_half_precision(cublasLtHandle_t handle) {
  constexpr int size = 16;
  const std::vector<__half> ones(size * size, __float2half(1.0f));
  const OnDevice<__half> a(ones), b(ones), d(ones);
  const float one = 1.0f, zero = 0.0f;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, size, size, size);
  const cublasStatus_t status = cublasLtMatmul(handle, desc, &one, a.data(), layout, b.data(), layout, &zero, d.data(),
                                               layout, d.data(), layout, nullptr, nullptr, 0, nullptr);
  const auto result = d.download();
  const bool right = status == CUBLAS_STATUS_SUCCESS &&
                     std::all_of(result.begin(), result.end(), [](__half h) { return __half2float(h) == size; });
  std::printf("cublasLtMatmul in half precision status %d %s\n", status, right ? "right" : "WRONG");
  cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(desc);
  return right;
}

}  // namespace

int main() {
  cublasLtHandle_t handle = nullptr;
  if (cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "app_cublaslt: cublasLtCreate failed\n");
    return 1;
  }
  Tally tally;
  bool right = run_in_half_precision(handle);
  {
    Program program(handle);
    right = every_variant(program, tally) && right;
  }
  for (const Probe& probe : probes) {
    ask(handle, probe);
    tally.calls += probe.counts ? 1 : 0;
  }
  cublasLtDestroy(handle);
  const bool by_tanh = tally.squares_tanh < tally.squares_erf;
  std::printf("GELU: %.2g from its tanh form at worst; %s its erf form\n", tally.worst_gelu,
              by_tanh ? "further from" : "WRONG: nearer");
  std::printf("called cublasLtMatmul %d times, %d refused, worst error %.3f of its bound\n", tally.calls, tally.refused,
              tally.worst);
  return right && by_tanh ? 0 : 1;
}

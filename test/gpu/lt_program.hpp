// SPDX-License-Identifier: MIT
// Calls of cublasLtMatmul as an ordinary program makes them, each element of D held to float64.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "normal_values.hpp"

namespace lt_program {

constexpr int m = 65, n = 33, k = 129, most_products = 3;
constexpr float alpha = 0.1f;  // sums of about 1, where GELU bends
constexpr double unit_roundoff = 1.0 / (1 << 24);
constexpr std::size_t workspace_bytes = 1 << 22;

/// A copy on the device of what the host has.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::vector<T> values) : host(std::move(values)) {
    if (cudaMalloc(&memory_, host.size() * sizeof(T)) != cudaSuccess) memory_ = nullptr;
    upload();
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(memory_); }
  T* data() const { return static_cast<T*>(memory_); }
  void upload() { cudaMemcpy(memory_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> download() const {
    std::vector<T> values(host.size());
    cudaMemcpy(values.data(), memory_, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

  std::vector<T> host;

 private:
  void* memory_ = nullptr;
};

struct Layout {
  int rows, cols, products;
  cublasLtOrder_t order;

  bool by_rows() const { return order == CUBLASLT_ORDER_ROW; }
  std::int64_t ld() const { return (by_rows() ? cols : rows) + 3; }
  std::int64_t stride() const { return ld() * (by_rows() ? rows : cols) + 5; }
  std::size_t place(int product, int row, int col) const {
    return static_cast<std::size_t>(product * stride() + (by_rows() ? row * ld() + col : row + col * ld()));
  }
  cublasLtMatrixLayout_t describe() const {
    cublasLtMatrixLayout_t layout = nullptr;
    cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, std::uint64_t(rows), std::uint64_t(cols), ld());
    const std::int64_t apart = stride();
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &products, sizeof products);
    cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart, sizeof apart);
    return layout;
  }
};

enum class OldC { unread, in_place, apart };
/// What the call has beside.
enum class Extra { nothing, algorithm, scalars_on_device, pedantic, auxiliary_output };

struct Variant {
  int epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cublasLtOrder_t order_a = CUBLASLT_ORDER_COL, order_b = CUBLASLT_ORDER_COL, order_d = CUBLASLT_ORDER_COL;
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  OldC old_c = OldC::apart;
  int products = 1;
  Extra extra = Extra::nothing;

  bool has(int part) const { return (epilogue & part) != 0; }
  float beta() const { return old_c == OldC::unread ? 0.0f : -0.5f; }
  /// cuBLASLt may lack a kernel for anything but this.
  bool is_usual() const {
    return !by_rows() && products == 1 && (extra == Extra::nothing || extra == Extra::algorithm);
  }
  bool by_rows() const {
    return order_a != CUBLASLT_ORDER_COL || order_b != CUBLASLT_ORDER_COL || order_d != CUBLASLT_ORDER_COL;
  }
};

inline double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
inline double gelu_by_erf(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

/// What all calls together were.
struct Tally {
  int calls = 0, refused = 0;
  double worst = 0.0, worst_gelu = 0.0;          ///< of the bound; of GELU, whose tanh is not ours to bound: absolute
  double squares_tanh = 0.0, squares_erf = 0.0;  ///< of GELU's distance from both of its forms
};

/// The operands of all calls.
class Program {
 public:
  explicit Program(cublasLtHandle_t handle) : handle_(handle) {}

  bool run(const Variant& v, Tally& tally) {
    const Layout a = operand(v.op_a, m, k, v.order_a, v.products), b = operand(v.op_b, k, n, v.order_b, v.products);
    const Layout c{m, n, v.products, v.order_d};
    d_.host = initial_d_;
    d_.upload();
    const cublasStatus_t status = call(v, a, b, c);
    const cudaError_t error = cudaDeviceSynchronize();
    const std::vector<float> result = d_.download();
    if (v.extra != Extra::auxiliary_output) ++tally.calls;
    const bool refused = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
    if (refused && !v.is_usual() && result == initial_d_) return ++tally.refused, true;
    const bool right = status == CUBLAS_STATUS_SUCCESS && error == cudaSuccess && compare(v, a, b, c, result, tally);
    if (!right)
      std::printf("WRONG: epilogue %d orders %d%d%d ops %d%d old C %d products %d extra %d: status %d, %s\n",
                  v.epilogue, v.order_a, v.order_b, v.order_d, v.op_a, v.op_b, static_cast<int>(v.old_c), v.products,
                  static_cast<int>(v.extra), status, cudaGetErrorString(error));
    return right;
  }

 private:
  static Layout operand(cublasOperation_t op, int rows, int cols, cublasLtOrder_t order, int products) {
    return op == CUBLAS_OP_N ? Layout{rows, cols, products, order} : Layout{cols, rows, products, order};
  }

  cublasStatus_t call(const Variant& v, const Layout& a, const Layout& b, const Layout& c) {
    cublasLtMatmulDesc_t desc = nullptr;
    cublasLtMatmulDescCreate(&desc, v.extra == Extra::pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F,
                             CUDA_R_32F);
    const auto set = [desc](cublasLtMatmulDescAttributes_t attribute, auto value) {
      cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value);
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, v.op_a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, v.op_b);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, v.epilogue);
    if (v.has(CUBLASLT_EPILOGUE_BIAS)) {
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_.data());
      if (v.products > 1) set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{m});
    }
    if (v.extra == Extra::auxiliary_output) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask_.data());
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{mask_ld});
    }
    const float scalars[] = {alpha, v.beta()};
    const float *alpha_at = &scalars[0], *beta_at = &scalars[1];
    if (v.extra == Extra::scalars_on_device) {
      set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
      cudaMemcpy(scalars_.data(), scalars, sizeof scalars, cudaMemcpyHostToDevice);
      alpha_at = scalars_.data(), beta_at = scalars_.data() + 1;
    }
    const cublasLtMatrixLayout_t layouts[] = {a.describe(), b.describe(), c.describe()};
    const float* old_c = v.old_c == OldC::apart ? c_.data() : d_.data();
    cublasLtMatmulHeuristicResult_t found{};
    const bool has_algorithm = v.extra == Extra::algorithm && find_algorithm(desc, layouts, found);
    const cublasStatus_t status = cublasLtMatmul(
        handle_, desc, alpha_at, a_.data(), layouts[0], b_.data(), layouts[1], beta_at, old_c, layouts[2], d_.data(),
        layouts[2], has_algorithm ? &found.algo : nullptr, workspace_.data(), workspace_bytes, nullptr);
    for (const cublasLtMatrixLayout_t layout : layouts) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(desc);
    return status;
  }

  bool find_algorithm(cublasLtMatmulDesc_t desc, const cublasLtMatrixLayout_t* layouts,
                      cublasLtMatmulHeuristicResult_t& found) {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                         sizeof workspace_bytes);
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(handle_, desc, layouts[0], layouts[1], layouts[2], layouts[2], preference, 1, &found,
                                   &count);
    cublasLtMatmulPreferenceDestroy(preference);
    return count == 1;
  }

  /// All of D and what lies between.
  bool compare(const Variant& v, const Layout& a, const Layout& b, const Layout& c, std::vector<float> result,
               Tally& tally) {
    bool right = true;
    for (int p = 0; p < v.products; ++p) {
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
          float& element = result[c.place(p, i, j)];
          right = compare_element(v, a, b, c, {p, i, j}, element, tally) && right;
          element = initial_d_[c.place(p, i, j)];
        }
      }
    }
    return right && result == initial_d_;
  }

  struct Place {
    int product, row, col;
  };

  bool compare_element(const Variant& v, const Layout& a, const Layout& b, const Layout& c, const Place& at,
                       float element, Tally& tally) {
    double sum = 0.0, magnitude = 0.0;
    for (int l = 0; l < k; ++l) {
      const double x = a_.host[v.op_a == CUBLAS_OP_N ? a.place(at.product, at.row, l) : a.place(at.product, l, at.row)];
      const double y = b_.host[v.op_b == CUBLAS_OP_N ? b.place(at.product, l, at.col) : b.place(at.product, at.col, l)];
      sum += x * y;
      magnitude += std::fabs(x * y);
    }
    const float old = (v.old_c == OldC::apart ? c_.host : initial_d_)[c.place(at.product, at.row, at.col)];
    const double added = v.beta() * old;
    const double bias = v.has(CUBLASLT_EPILOGUE_BIAS) ? bias_.host[std::size_t(at.product * m + at.row)] : 0.0;
    const double before = alpha * sum + added + bias;
    const double bound = (k + 5) * unit_roundoff * (alpha * magnitude + std::fabs(added) + std::fabs(bias));
    if (v.has(CUBLASLT_EPILOGUE_GELU)) return compare_gelu(before, bound, element, tally);
    const double due = v.has(CUBLASLT_EPILOGUE_RELU) ? std::max(before, 0.0) : before;
    const double error = std::fabs(element - due) / bound;
    if (!(error <= tally.worst)) tally.worst = error;
    return error <= 1.0;
  }

  static bool compare_gelu(double before, double bound, float element, Tally& tally) {
    constexpr double steepest = 1.13;        // GELU's largest derivative
    constexpr double tanh_of_gpu = 0x1p-10;  // the error of the processor's own tanh, which cuBLASLt may use
    const double error = std::fabs(element - gelu_by_tanh(before)), other = std::fabs(element - gelu_by_erf(before));
    if (!(error <= tally.worst_gelu)) tally.worst_gelu = error;
    tally.squares_tanh += error * error;
    tally.squares_erf += other * other;
    return error <= steepest * bound + tanh_of_gpu * std::fabs(before) / 2;
  }

  static constexpr int mask_ld = 128;  // bits, and the least that cuBLASLt takes
  static constexpr std::size_t room = std::size_t(most_products) * (k + 4) * (m + 4) + 100;
  cublasLtHandle_t handle_;
  const std::vector<float> initial_d_ = normal(room, 4);
  OnDevice<float> a_{normal(room, 1)}, b_{normal(room, 2)}, c_{normal(room, 3)}, d_{initial_d_};
  OnDevice<float> bias_{normal(std::size_t(most_products) * m, 5)}, scalars_{{0.0f, 0.0f}};
  OnDevice<char> workspace_{std::vector<char>(workspace_bytes)}, mask_{std::vector<char>(std::size_t(n) * mask_ld / 8)};
};

}  // namespace lt_program

// SPDX-License-Identifier: MIT
// An ordinary cuSOLVER program, linked to cuSOLVER and to nothing of ours: LU, Cholesky and singular values in FP32.
// cuSOLVER calls cuBLAS's SGEMM inside. Every result is held to LAPACK's own test ratio: the residual in float64,
// divided by the extent, the norms and the unit roundoff, is below LAPACK's threshold of 30.
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "normal_values.hpp"

namespace {

constexpr double unit_roundoff = 1.0 / (1 << 24);
constexpr double threshold = 30;  // LAPACK's, for all its test ratios

using Wide = std::vector<double>;

/// Freed when it goes out of scope; null where there is no memory, which the next cuSOLVER call reports.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count) : count_(count) {
    if (cudaMalloc(&data_, count * sizeof(T)) != cudaSuccess) data_ = nullptr;
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaFree(data_); }
  T* get() { return data_; }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// The larger one; NaN where either is.
double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

Wide widened(const std::vector<float>& values) { return Wide(values.begin(), values.end()); }

/// Column-major m x n product of an m x k and a k x n matrix.
Wide product(const Wide& a, const Wide& b, int m, int n, int k) {
  Wide c(std::size_t(m) * n);
  for (int j = 0; j < n; ++j) {
    for (int l = 0; l < k; ++l) {
      const double scale = b[l + std::size_t(j) * k];
      for (int i = 0; i < m; ++i) c[i + std::size_t(j) * m] += a[i + std::size_t(l) * m] * scale;
    }
  }
  return c;
}

Wide transposed(const Wide& a, int rows, int cols) {
  Wide result(a.size());
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) result[j + std::size_t(i) * cols] = a[i + std::size_t(j) * rows];
  }
  return result;
}

/// The largest sum of a column's magnitudes; NaN where there is one.
double one_norm(const Wide& a, int rows) {
  double largest = 0;
  for (std::size_t start = 0; start < a.size(); start += rows) {
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += std::fabs(a[start + i]);
    largest = worse(largest, sum);
  }
  return largest;
}

double distance(const Wide& a, const Wide& b, int rows) {
  Wide difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), [](double x, double y) { return x - y; });
  return one_norm(difference, rows);
}

/// How far the columns of q are from orthonormal.
double skewness(const Wide& q, int rows, int cols) {
  Wide identity(std::size_t(cols) * cols);
  for (int i = 0; i < cols; ++i) identity[i + std::size_t(i) * cols] = 1;
  return distance(product(transposed(q, rows, cols), q, cols, cols, rows), identity, cols) / (rows * unit_roundoff);
}

struct Outcome {
  bool succeeded;
  double ratio;
};

Outcome solve_by_lu(cusolverDnHandle_t handle) {
  constexpr int n = 768;
  constexpr int sides = 96;
  const auto a = normal(std::size_t(n) * n, 1);
  const auto b = normal(std::size_t(n) * sides, 2);
  Device<float> factors(a), x(b);
  Device<int> pivots(n), info(1);
  int size = 0;
  bool good = cusolverDnSgetrf_bufferSize(handle, n, n, factors.get(), n, &size) == CUSOLVER_STATUS_SUCCESS;
  Device<float> workspace(size);
  good = good && cusolverDnSgetrf(handle, n, n, factors.get(), n, workspace.get(), pivots.get(), info.get()) ==
                     CUSOLVER_STATUS_SUCCESS;
  good = good && info.download()[0] == 0;
  good = good && cusolverDnSgetrs(handle, CUBLAS_OP_N, n, sides, factors.get(), n, pivots.get(), x.get(), n,
                                  info.get()) == CUSOLVER_STATUS_SUCCESS;
  good = good && info.download()[0] == 0;
  const Wide wide_a = widened(a);
  const Wide wide_x = widened(x.download());
  const double residual = distance(product(wide_a, wide_x, n, sides, n), widened(b), n);
  return {good, residual / (n * unit_roundoff * one_norm(wide_a, n) * one_norm(wide_x, n))};
}

Outcome factor_by_cholesky(cusolverDnHandle_t handle) {
  constexpr int n = 768;
  const Wide root = widened(normal(std::size_t(n) * n, 3));
  const Wide square = product(root, transposed(root, n, n), n, n, n);
  std::vector<float> a(square.begin(), square.end());
  for (int i = 0; i < n; ++i) a[i + std::size_t(i) * n] += n;  // well away from singular
  Device<float> factor(a);
  Device<int> info(1);
  int size = 0;
  bool good =
      cusolverDnSpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, factor.get(), n, &size) == CUSOLVER_STATUS_SUCCESS;
  Device<float> workspace(size);
  good = good && cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, factor.get(), n, workspace.get(), size,
                                  info.get()) == CUSOLVER_STATUS_SUCCESS;
  good = good && info.download()[0] == 0;
  Wide lower = widened(factor.download());
  for (int j = 0; j < n; ++j) std::fill_n(lower.begin() + std::size_t(j) * n, j, 0.0);
  const Wide wide_a = widened(a);
  const double residual = distance(product(lower, transposed(lower, n, n), n, n, n), wide_a, n);
  return {good, residual / (n * unit_roundoff * one_norm(wide_a, n))};
}

Outcome decompose_by_singular_values(cusolverDnHandle_t handle) {
  constexpr int m = 384;
  constexpr int n = 256;
  const auto a = normal(std::size_t(m) * n, 4);
  Device<float> overwritten(a), s(n), u(std::size_t(m) * n), vt(std::size_t(n) * n), superdiagonal(n);
  Device<int> info(1);
  int size = 0;
  bool good = cusolverDnSgesvd_bufferSize(handle, m, n, &size) == CUSOLVER_STATUS_SUCCESS;
  Device<float> workspace(size);
  good = good && cusolverDnSgesvd(handle, 'S', 'S', m, n, overwritten.get(), m, s.get(), u.get(), m, vt.get(), n,
                                  workspace.get(), size, superdiagonal.get(), info.get()) == CUSOLVER_STATUS_SUCCESS;
  good = good && info.download()[0] == 0;
  const Wide wide_a = widened(a);
  const Wide wide_u = widened(u.download());
  const Wide wide_vt = widened(vt.download());
  const auto values = s.download();
  Wide scaled = wide_u;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) scaled[i + std::size_t(j) * m] *= values[j];
  }
  const double residual =
      distance(product(scaled, wide_vt, m, n, n), wide_a, m) / (m * unit_roundoff * one_norm(wide_a, m));
  const double ratios[] = {residual, skewness(wide_u, m, n), skewness(transposed(wide_vt, n, n), n, n)};
  double worst = 0;
  for (const double ratio : ratios) worst = worse(worst, ratio);
  return {good, worst};
}

}  // namespace

int main() {
  cusolverDnHandle_t handle = nullptr;
  if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) {
    std::fprintf(stderr, "app_cusolver: cusolverDnCreate failed\n");
    return 1;
  }
  const struct {
    const char* name;
    Outcome (*run)(cusolverDnHandle_t);
  } routines[] = {
      {"getrf and getrs", solve_by_lu}, {"potrf", factor_by_cholesky}, {"gesvd", decompose_by_singular_values}};
  bool right = true;
  double worst = 0;
  for (const auto& routine : routines) {
    const Outcome outcome = routine.run(handle);
    const bool good = outcome.succeeded && outcome.ratio <= threshold;
    std::printf("%s ratio %.3f of %.0f %s\n", routine.name, outcome.ratio, threshold, good ? "right" : "WRONG");
    right = right && good;
    worst = worse(worst, outcome.ratio);
  }
  cusolverDnDestroy(handle);
  std::printf("called cuSOLVER for %zu problems, worst ratio %.3f of %.0f\n", std::size(routines), worst, threshold);
  return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// Times every rung against cuBLAS FP32 in one process: interleaved, random normal data, results checked.
// Prints one CSV line a rung. usage: gpu_ladder [size [samples [ops]]], ops such as NN or TN
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "rung.hpp"

namespace {

using ladder::GemmProblem;
using ladder::Op;

constexpr int default_size = 4096;
constexpr int default_samples = 15;
constexpr int checked_elements = 2048;
constexpr double wake_up_ms = 500.0;  // an idle card sleeps: burn work before timing

struct Contender {
  std::string rung;
  std::string name;
  std::function<int(const GemmProblem&)> launch;
  std::vector<float> samples;
  double worst = 0.0;
};

struct Operands {
  int size;
  std::vector<float> a, b;
  GemmProblem problem;
};

std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
  return values;
}

float* upload(const std::vector<float>& values) {
  float* device = nullptr;
  const std::size_t bytes = values.size() * sizeof(float);
  if (cudaMalloc(&device, bytes) != cudaSuccess) return nullptr;
  cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice);
  return device;
}

Operands make_operands(int size, const std::string& ops) {
  const std::size_t count = std::size_t(size) * size;
  Operands o{size, normal(count, 1), normal(count, 2), {}};
  GemmProblem& p = o.problem;
  p.op_a = ops[0] == 'T' ? Op::transpose : Op::none;
  p.op_b = ops[1] == 'T' ? Op::transpose : Op::none;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = size;
  p.alpha.value = 1.0f;
  p.a = upload(o.a);
  p.b = upload(o.b);
  cudaMalloc(&p.c, count * sizeof(float));
  return o;
}

// Largest |error| / sum |a||b| over sampled elements of a C that was NaN before; NaN stays NaN.
double worst_error(const Operands& o) {
  const std::size_t n = o.size;
  std::vector<float> c(n * n);
  cudaMemcpy(c.data(), o.problem.c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::mt19937 generator(3);
  std::uniform_int_distribution<std::size_t> any(0, n - 1);
  double worst = 0.0;
  for (int sample = 0; sample < checked_elements; ++sample) {
    const std::size_t i = any(generator);
    const std::size_t j = any(generator);
    double sum = 0.0;
    double magnitude = 0.0;
    for (std::size_t l = 0; l < n; ++l) {
      const double x = o.problem.op_a == Op::none ? o.a[i + l * n] : o.a[l + i * n];
      const double y = o.problem.op_b == Op::none ? o.b[l + j * n] : o.b[j + l * n];
      sum += x * y;
      magnitude += std::fabs(x * y);
    }
    const double error = std::fabs(c[i + j * n] - sum) / magnitude;
    if (!(error <= worst)) worst = error;
  }
  for (float value : c) {
    if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  }
  return worst;
}

std::vector<Contender> contenders(cublasHandle_t handle) {
  std::vector<Contender> all;
  for (const ladder::Rung& rung : ladder::rungs()) {
    const std::string number = rung.number == ladder::unnumbered ? rung.id : std::to_string(rung.number);
    if (rung.gpu) {
      all.push_back({number, rung.name, [&rung](const GemmProblem& p) { return rung.gpu->launch(p, nullptr); }, {}, 0});
      for (const ladder::KernelConfig& config : rung.gpu->configs) {
        all.push_back({number,
                       std::string(rung.name) + ":" + config.name,
                       [&config](const GemmProblem& p) { return config.launch(p, nullptr); },
                       {},
                       0});
      }
    } else {
      all.push_back({number,
                     rung.name,
                     [handle](const GemmProblem& p) {
                       const float zero = 0.0f;
                       const auto op = [](Op o) { return o == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; };
                       return static_cast<int>(cublasSgemm(handle, op(p.op_a), op(p.op_b), p.m, p.n, p.k,
                                                           &p.alpha.value, p.a, p.lda, p.b, p.ldb, &zero, p.c, p.ldc));
                     },
                     {},
                     0});
    }
  }
  return all;
}

bool check(Contender& contender, const Operands& o) {
  cudaMemset(o.problem.c, 0xff, std::size_t(o.size) * o.size * sizeof(float));
  const int status = contender.launch(o.problem);
  const cudaError_t error = cudaDeviceSynchronize();
  contender.worst = worst_error(o);
  const double bound = o.size * 6.0e-8;  // gamma_k
  if (status == 0 && error == cudaSuccess && contender.worst <= bound) return true;
  std::fprintf(stderr, "gpu_ladder: %s: status %d, %s, error %.2e (bound %.2e)\n", contender.name.c_str(), status,
               cudaGetErrorString(error), contender.worst, bound);
  return false;
}

class Timer {
 public:
  Timer() {
    cudaEventCreate(&start_);
    cudaEventCreate(&stop_);
  }

  float milliseconds(const Contender& contender, const GemmProblem& p) {
    cudaEventRecord(start_);
    contender.launch(p);
    cudaEventRecord(stop_);
    cudaEventSynchronize(stop_);
    float elapsed = 0.0f;
    cudaEventElapsedTime(&elapsed, start_, stop_);
    return elapsed;
  }

 private:
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

float quantile(const std::vector<float>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
}

void print(const std::vector<Contender>& all, const Operands& o, const std::string& ops) {
  std::printf("op_a,op_b,m,n,k,rung,name,ms,ms_q1,ms_q3,tflops,peer_ms,ratio,worst_error\n");
  const float peer = quantile(all.front().samples, 0.5);
  const double flops = 2.0 * o.size * o.size * o.size;
  for (const Contender& c : all) {
    const float median = quantile(c.samples, 0.5);
    std::printf("%c,%c,%d,%d,%d,%s,%s,%.4f,%.4f,%.4f,%.2f,%.4f,%.3f,%.2e\n", ops[0], ops[1], o.size, o.size, o.size,
                c.rung.c_str(), c.name.c_str(), median, quantile(c.samples, 0.25), quantile(c.samples, 0.75),
                flops / median / 1e9, peer, peer / median, c.worst);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : default_size;
  const int samples = argc > 2 ? std::atoi(argv[2]) : default_samples;
  const std::string ops = argc > 3 ? argv[3] : "NN";
  if (size < 1 || samples < 1 || ops.size() != 2 || ops.find_first_not_of("NT") != std::string::npos) {
    std::fprintf(stderr, "usage: gpu_ladder [size [samples [ops]]], ops one of NN NT TN TT\n");
    return 2;
  }
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "gpu_ladder: no GPU or no cuBLAS\n");
    return 1;
  }
  cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
  const Operands operands = make_operands(size, ops);
  std::vector<Contender> all = contenders(handle);
  bool right = true;
  for (Contender& contender : all) right = check(contender, operands) && right;
  Timer timer;
  for (double burnt = 0.0; burnt < wake_up_ms;) burnt += timer.milliseconds(all.front(), operands.problem) + 0.01;
  for (int sample = 0; sample < samples; ++sample) {
    for (Contender& contender : all) {
      contender.samples.push_back(timer.milliseconds(contender, operands.problem));
    }
  }
  for (Contender& contender : all) std::sort(contender.samples.begin(), contender.samples.end());
  print(all, operands, ops);
  cublasDestroy(handle);
  return right ? 0 : 1;
}

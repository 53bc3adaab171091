// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program with many threads, linked to cuBLAS and to nothing of ours. Each product's matrices arrive
// late, on the stream that the handle was given: one that ran on another stream, or on none, would see NaN.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int rounds = 6;
constexpr float alpha = 1.25f, beta = 0.0f;

struct Shape {
  int m, n, k;
};
constexpr Shape shapes[] = {{130, 70, 50}, {64, 48, 4096}};  // some tiles; a sum so long that it may be split

std::atomic<int> calls{0};
std::atomic<int> failures{0};

/// A = m x k and B = k x n of normal numbers, and what C may be.
struct Example {
  Shape shape;
  std::vector<float> a, b;
  std::vector<double> due, bound;

  explicit Example(const Shape& s) : shape(s), a(size(s.m, s.k)), b(size(s.k, s.n)) {
    std::mt19937 generator(7);
    std::normal_distribution<float> distribution;
    for (float& value : a) value = distribution(generator);
    for (float& value : b) value = distribution(generator);
    for (int j = 0; j < s.n; ++j) {
      for (int i = 0; i < s.m; ++i) add_element(i, j);
    }
  }

  static std::size_t size(int rows, int columns) { return static_cast<std::size_t>(rows) * columns; }

 private:
  void add_element(int i, int j) {
    double sum = 0.0, magnitude = 0.0;
    for (int l = 0; l < shape.k; ++l) {
      const double product = double(a[i + size(l, shape.m)]) * b[l + size(j, shape.k)];
      sum += product;
      magnitude += std::fabs(product);
    }
    due.push_back(alpha * sum);
    bound.push_back((shape.k + 4) * 6.0e-8 * alpha * magnitude);
  }
};

const Example examples[] = {Example(shapes[0]), Example(shapes[1])};

/// One thread's memory for one example: pinned on the host, so that copies wait for nothing but their stream.
class Place {
 public:
  explicit Place(const Example& example) : example_(example) {
    make(host_a_, a_, example.a), make(host_b_, b_, example.b);
    make(host_c_, c_, std::vector<float>(example.due.size()));
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    for (float* memory : {host_a_, host_b_, host_c_}) cudaFreeHost(memory);
    for (float* memory : {a_, b_, c_}) cudaFree(memory);
  }

  /// Puts everything on the stream: NaN, a wait, the matrices, the product by `multiply`, and C's way back.
  template <class Multiply>
  void enqueue(cudaStream_t stream, const Multiply& multiply) {
    constexpr int all_bits = 0xff;  // NaN
    for (auto [memory, values] : {std::pair(a_, example_.a.size()), {b_, example_.b.size()}, {c_, example_.due.size()}})
      cudaMemsetAsync(memory, all_bits, values * sizeof(float), stream);
    cudaLaunchHostFunc(
        stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, nullptr);
    cudaMemcpyAsync(a_, host_a_, example_.a.size() * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(b_, host_b_, example_.b.size() * sizeof(float), cudaMemcpyHostToDevice, stream);
    const Shape& s = example_.shape;
    if (multiply(s, a_, b_, c_) != CUBLAS_STATUS_SUCCESS) ++failures;
    ++calls;
    cudaMemcpyAsync(host_c_, c_, example_.due.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
  }

  void check(cudaStream_t stream) {
    bool right = cudaStreamSynchronize(stream) == cudaSuccess;
    for (std::size_t i = 0; i < example_.due.size(); ++i)
      right = right && std::fabs(host_c_[i] - example_.due[i]) <= example_.bound[i];
    if (!right) ++failures;
  }

 private:
  static void make(float*& host, float*& device, const std::vector<float>& values) {
    cudaMallocHost(&host, values.size() * sizeof(float));
    cudaMalloc(&device, values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), host);
  }

  const Example& example_;
  float *host_a_ = nullptr, *host_b_ = nullptr, *host_c_ = nullptr;
  float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
};

auto product_with(cublasHandle_t handle) {
  return [handle](const Shape& s, const float* a, const float* b, float* c) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.m, s.n, s.k, &alpha, a, s.m, b, s.k, &beta, c, s.m);
  };
}

/// Products on one stream, one after the other, with a handle of this thread's own. The last ones are still running
/// when the handle goes.
void own_handle(cudaStream_t stream) {
  Place places[] = {Place(examples[0]), Place(examples[1])};
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) ++failures;
  if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS) ++failures;
  for (int round = 0; round < rounds; ++round) {
    for (Place& place : places) place.enqueue(stream, product_with(handle));
    if (round == rounds - 1) cublasDestroy(handle);
    for (Place& place : places) place.check(stream);
  }
}

/// The same with a handle for all threads, which is told the stream before each product.
void shared_handle(cublasHandle_t handle, std::mutex& turn, cudaStream_t stream) {
  Place places[] = {Place(examples[0]), Place(examples[1])};
  for (int round = 0; round < rounds; ++round) {
    for (Place& place : places) {
      place.enqueue(stream, [&](const Shape& s, const float* a, const float* b, float* c) {
        const std::lock_guard lock(turn);
        if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS) ++failures;
        return product_with(handle)(s, a, b, c);
      });
    }
    for (Place& place : places) place.check(stream);
  }
}

void wait_for(std::vector<std::thread>& threads, const char* what) {
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  std::printf("%s: %d failures so far\n", what, failures.load());
}

cudaStream_t new_stream(unsigned flags, int priority) {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithPriority(&stream, flags, priority) != cudaSuccess) ++failures;
  return stream;
}

}  // namespace

int main() {
  int least = 0, greatest = 0;
  if (cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess) return 1;
  std::vector<cudaStream_t> streams;
  for (int i = 0; i < 8; ++i) streams.push_back(new_stream(i % 2 ? cudaStreamNonBlocking : cudaStreamDefault, least));
  const cudaStream_t urgent = new_stream(cudaStreamNonBlocking, greatest);
  std::vector<std::thread> threads;

  for (const cudaStream_t stream : streams) threads.emplace_back(own_handle, stream);
  wait_for(threads, "8 threads, own handles and streams");

  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  std::mutex turn;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { shared_handle(handle, turn, streams[static_cast<std::size_t>(i)]); });
  wait_for(threads, "4 threads, one handle");

  for (int i = 0; i < 4; ++i) threads.emplace_back(own_handle, cudaStreamPerThread);
  wait_for(threads, "4 threads, each its own default stream");
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { shared_handle(handle, turn, cudaStreamPerThread); });
  wait_for(threads, "4 threads, each its own default stream, one handle");

  threads.emplace_back(own_handle, urgent);
  threads.emplace_back(own_handle, streams[0]);
  wait_for(threads, "a stream of high priority beside another");

  for (const cudaStream_t stream : {cudaStream_t(nullptr), cudaStream_t(cudaStreamLegacy)})
    threads.emplace_back(own_handle, stream);
  wait_for(threads, "the legacy default stream by both names");

  cublasDestroy(handle);
  streams.push_back(urgent);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  const bool sound = cudaDeviceSynchronize() == cudaSuccess && failures == 0;
  std::printf("called cublasSgemm %d times, %d failures\n", calls.load(), failures.load());
  return sound ? 0 : 1;
}

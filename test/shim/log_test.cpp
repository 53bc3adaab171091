// SPDX-License-Identifier: MIT
// The text of the log and the counts behind it.
#include "log.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "counters.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

GemmProblem some_problem() {
  GemmProblem p;
  p.op_b = Op::transpose;
  p.m = 512, p.n = 256, p.k = 64;
  p.lda = 513, p.ldb = 257, p.ldc = 514;
  p.alpha.value = 0.5f;
  return p;
}

Served by(const char* rung, Place place, const char* why) {
  return {Server::rung, find_rung(rung), place, -1, why, nullptr};
}

}  // namespace

TEST_CASE("a call's line names door, rung, device, problem, reason and time") {
  Served served = by("9", Place::gpu, "default");
  served.gpu_ordinal = 1;
  CHECK(format_call(Door::cublasSgemm_v2, some_problem(), served, 12.34) ==
        "ladderblas: sgemm via=cublasSgemm_v2 rung=9 name=double_buffered device=gpu:1 op=NT m=512 n=256 k=64 lda=513 "
        "ldb=257 ldc=514 alpha=0.5 beta=0 batch=1 why=default us=12.3");
}

TEST_CASE("what a choice between CPU and GPU was made by stands behind the time that came of it") {
  Served served = by("9", Place::gpu, "default");
  served.predicted = {.cpu_s = 1.5e-3, .gpu_s = 250e-6};
  const std::string line = format_call(Door::sgemm_, some_problem(), served, 260);
  CHECK(line.ends_with(" why=default us=260.0 predicted_cpu_us=1500.0 predicted_gpu_us=250.0"));
  CHECK(format_call(Door::sgemm_, some_problem(), by("9", Place::gpu, "default"), 260).ends_with(" us=260.0"));
}

TEST_CASE("a rung without a number is named by its id; scalars on the device are called so") {
  GemmProblem problem = some_problem();
  const float one = 1.0f;
  problem.alpha.device = &one;
  problem.beta.value = -1.25f;
  const std::string line = format_call(Door::sgemm_, problem, by("padded", Place::emulate, "LADDER_RUNG"), 0);
  CHECK(line.find(" via=sgemm_ rung=r06p name=padded device=emulate ") != std::string::npos);
  CHECK(line.find(" alpha=device beta=-1.25 ") != std::string::npos);
}

TEST_CASE("an epilogue is named at the end of the line, where there is one") {
  GemmProblem problem = some_problem();
  const float bias = 0.0f, c = 0.0f;
  problem.bias = &bias;
  problem.activation = Activation::gelu;
  const Served served = by("9", Place::gpu, "default");
  CHECK(format_call(Door::cublasLtMatmul, problem, served, 1).find(" us=1.0 epilogue=bias,gelu") != std::string::npos);
  problem.old_c = &c;
  problem.bias_by_column = true;
  problem.activation = Activation::relu;
  CHECK(format_call(Door::cublasLtMatmul, problem, served, 1).find(" us=1.0 epilogue=separate_c,column_bias,relu") !=
        std::string::npos);
}

TEST_CASE("a fallback says what failed, in one word") {
  Served served;
  served.server = Server::next_blas;
  served.failure = "Out of memory";
  const std::string line = format_call(Door::cblas_sgemm, some_problem(), served, 1);
  CHECK(line.find(" rung=none name=next_blas device=cpu ") != std::string::npos);
  CHECK(line.find(" why=fallback:out-of-memory us=1.0") != std::string::npos);
}

TEST_CASE("%p in the log's path is the process id, wherever it stands") {
  CHECK(log_path("/tmp/log", 7) == "/tmp/log");
  CHECK(log_path("/tmp/%p/log.%p", 7) == "/tmp/7/log.7");
  CHECK(log_path("%p", 12345) == "12345");
  CHECK(log_path("%q%", 7) == "%q%");
}

TEST_CASE("a call that is not ours to serve has a line of its own kind") {
  CHECK(format_passed_on(Door::cublasGemmEx, by("0", Place::gpu, why_types), 2.0) ==
        "ladderblas: passed_on via=cublasGemmEx rung=0 name=cublas device=gpu why=types us=2.0");
}

TEST_CASE("counts are kept by door and by who served the call") {
  reset_counters();
  count_call(Door::sgemm_, by("9", Place::emulate, "default"));
  count_call(Door::sgemm_, by("9", Place::gpu, "LADDER_RUNG"));
  count_call(Door::cblas_sgemm, by("4", Place::emulate, "default"));
  count_call(Door::cblas_sgemm, Served{Server::next_blas, nullptr, Place::cpu, -1, "small", nullptr});
  count_call(Door::cblas_sgemm, Served{});
  CHECK(count_of(std::nullopt, nullptr) == 5);
  CHECK(count_of(Door::sgemm_, nullptr) == 2);
  CHECK(count_of(std::nullopt, find_rung("9")) == 2);
  CHECK(count_of(Door::cblas_sgemm, find_rung("9")) == 0);
  CHECK(count_of(Door::cblas_sgemm, find_rung("4")) == 1);
  reset_counters();
  CHECK(count_of(std::nullopt, nullptr) == 0);
}

TEST_CASE("no count is lost between threads") {
  reset_counters();
  constexpr int threads = 4;
  constexpr int calls = 1000;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([] {
      for (int i = 0; i < calls; ++i) count_call(Door::sgemm_, by("9", Place::emulate, "default"));
    });
  for (std::thread& thread : pool) thread.join();
  CHECK(count_of(Door::sgemm_, find_rung("9")) == threads * calls);
  reset_counters();
}

// SPDX-License-Identifier: MIT
#include "call_log.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "temporary_folder.hpp"

using namespace ladder::doctor;

namespace {

constexpr const char* served =
    "ladderblas: sgemm via=cublasSgemm_v2 rung=9 name=double_buffered device=gpu:0 op=NT m=512 n=64 k=32 lda=512 "
    "ldb=512 ldc=512 alpha=1 beta=0 batch=1 why=default us=12.5";
constexpr const char* batch =
    "ladderblas: sgemm via=cublasSgemmStridedBatched rung=9 name=double_buffered device=gpu:0 op=NN m=8 n=8 k=8 lda=8 "
    "ldb=8 ldc=8 alpha=1 beta=0 batch=12 why=default us=3.0";
constexpr const char* handed_on =
    "ladderblas: sgemm via=cblas_sgemm rung=0 name=next_blas device=cpu op=NN m=2 n=2 k=2 lda=2 ldb=2 ldc=2 alpha=1 "
    "beta=0 batch=1 why=small us=0.1";

}  // namespace

TEST_CASE("calls are counted by door and by who served them") {
  CallCounts counts;
  for (const char* line : {served, served, batch, handed_on}) read_call_line(line, counts);
  CHECK(counts.total() == 4);
  CHECK(counts.through("cublasSgemm_v2") == 2);
  CHECK(counts.through("sgemm_") == 0);
  REQUIRE(counts.answers.size() == 3);
  CHECK(counts.answers.at({"cublasSgemm_v2", "9", "double_buffered", "gpu:0", "default"}) == 2);
  CHECK(counts.shapes.at("NT 512x64x32") == 2);
  CHECK(counts.shapes.at("NN 8x8x8 x 12") == 1);
}

TEST_CASE("a rung and the next library are told apart") {
  CHECK(is_rung({"sgemm_", "3", "shared", "emulate", "LADDER_RUNG"}));
  CHECK(is_handed_on({"sgemm_", "0", "next_blas", "cpu", "small"}));
  CHECK(is_handed_on({"cublasSgemm_v2", "0", "cublas", "gpu:0", "tf32"}));
  const Answer noop{"sgemm_", "none", "none", "cpu", "noop"};
  CHECK(is_noop(noop));
  CHECK_FALSE(is_noop({"sgemm_", "none", "none", "cpu", "fallback:no-blas-found"}));
  CHECK_FALSE(is_rung(noop));
  CHECK_FALSE(is_handed_on(noop));
}

TEST_CASE("calls that were passed on are no calls of ours") {
  CallCounts counts;
  read_call_line("ladderblas: passed_on via=cublasGemmEx rung=0 name=cublas device=gpu:0 why=types us=4.0", counts);
  CHECK(counts.total() == 0);
  CHECK(counts.passed_on == std::map<std::string, std::uint64_t>{{"cublasGemmEx", 1}});
}

TEST_CASE("other lines, and files that are not there") {
  CallCounts counts;
  for (const char* line : {"", "ladderblas: door rung name", "ladderblas: sgemm", "ladderblas: sgemm m=1", "hello"}) {
    read_call_line(line, counts);
  }
  CHECK(counts.total() == 0);
  CHECK_FALSE(read_call_log("/nonexistent/calls.log", counts));
  const ladder::bench::TemporaryFolder folder;
  const std::string file = (folder.path() / "calls").string();
  std::ofstream(file) << served << "\nnoise\n" << batch;  // the last one without its newline
  CHECK(read_call_log(file, counts));
  CHECK(counts.total() == 2);
}

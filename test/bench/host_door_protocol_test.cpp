// SPDX-License-Identifier: MIT
// The line protocol between the benchmark and a peer's process, with lines that nobody should send.
#include "bench/host/host_door_protocol.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ladder::bench {

TEST_CASE("a task survives the way to the peer") {
  HostTask task;
  task.problem.op_b = Op::transpose;
  task.problem.m = 7;
  task.problem.n = 5;
  task.problem.k = 3;
  task.problem.lda = 9;
  task.problem.ldb = 6;
  task.problem.ldc = 8;
  task.problem.batch = 2;
  task.data = Data::positive;
  task.seed = 12345678901234567890u;
  const auto back = parse_task_request(task_request(task));
  REQUIRE(back.has_value());
  CHECK(task_request(*back) == task_request(task));
  CHECK(back->problem.op_b == Op::transpose);
  CHECK(back->seed == task.seed);
  CHECK(back->data == Data::positive);
}

TEST_CASE("requests that are none") {
  for (const char* line :
       {"", "task", "task NN 1 1 1 1 1 1 1 1", "task NN 1 1 1 1 1 1 1 1 lies", "task NN 1 1 1 1 1 1 1 1 normal more",
        "task N 1 1 1 1 1 1 1 1 normal", "task NN -1 1 1 1 1 1 1 1 normal", "task NN 2 1 1 1 1 2 1 1 normal",
        "task NN 1 1 1 1 1 1 0 1 normal", "task NN 9999999999 1 1 9999999999 1 9999999999 1 1 normal",
        "task XY 1 1 1 1 1 1 1 1 normal", "tusk NN 1 1 1 1 1 1 1 1 normal",
        "task NN 99999999999999999999 1 1 1 1 1 1 1 normal"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_task_request(line).has_value());
  }
}

TEST_CASE("answers survive the way back, NaN included") {
  HostAnswer answer;
  answer.ms = 1.25;
  CHECK(parse_ms_answer(ms_answer(answer)).ms == 1.25);
  CHECK_FALSE(parse_ms_answer(ms_answer(answer)).judgement.has_value());
  answer.judgement = Judgement{"3 elements are NaN, the first C(0, 0)", std::nan("")};
  const HostAnswer back = parse_ms_answer(ms_answer(answer));
  CHECK(back.complaint.empty());
  REQUIRE(back.judgement.has_value());
  CHECK(back.judgement->verdict == answer.judgement->verdict);
  CHECK(std::isnan(back.judgement->worst_error));
}

TEST_CASE("answers that are none") {
  for (const char* line : {"", "peer", "peer ms", "peer ms fast", "peer ms -1", "peer ms nan", "peer ms 1 x right",
                           "peer ms 1 0.5", "peer ready /lib", "ms 1"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_ms_answer(line).complaint.empty());
  }
  CHECK(parse_ms_answer("peer error no memory").complaint == "no memory");
  std::string complaint;
  CHECK_FALSE(parse_ready_answer("peer error no library", complaint).has_value());
  CHECK(complaint == "no library");
}

TEST_CASE("a peer without a BLAS answers that, and goes on") {
  std::istringstream requests("call\ntask NN 1 1 1 1 1 1 1 1 normal\n");
  std::ostringstream answers;
  CHECK(serve_host_peer(HostDoor::fortran, requests, answers) == 0);
  const std::string text = answers.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("sgemm_") != std::string::npos);
}

}  // namespace ladder::bench

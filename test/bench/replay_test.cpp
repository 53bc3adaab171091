// SPDX-License-Identifier: MIT
// Lines of the library's log, as problems.
#include "bench/replay.hpp"

#include <doctest/doctest.h>

using namespace ladder;
using namespace ladder::bench;

namespace {

constexpr const char* logged =
    "ladderblas: sgemm via=cublasSgemm_v2 rung=9 name=double_buffered device=gpu:0 op=NT m=512 n=500 k=64 lda=520 "
    "ldb=512 ldc=514 alpha=1.5 beta=-0.25 batch=3 why=default us=12.5";

Replay replayed(const std::string& line) {
  std::string complaint;
  const auto replay = parse_replay(line, complaint);
  INFO(complaint);
  REQUIRE(replay);
  return *replay;
}

std::string complaint_about(const std::string& line) {
  std::string complaint;
  CHECK_FALSE(parse_replay(line, complaint));
  return complaint;
}

}  // namespace

TEST_CASE("a logged call is read back") {
  const Replay replay = replayed(logged);
  CHECK(to_text(replay.problem) == "replay NT 512x500x64 ld 520,512,514 *3");
  CHECK(replay.alpha == 1.5f);
  CHECK(replay.beta == -0.25f);
  CHECK_FALSE(replay.scalars_on_device);
  CHECK(replay.rung == "9");
  CHECK(replay.epilogue.empty());
}

TEST_CASE("an epilogue is read, for people to know what is not replayed") {
  const Replay replay = replayed(std::string(logged) + " epilogue=bias,gelu");
  CHECK(replay.epilogue == "bias,gelu");
  CHECK(to_text(replay.problem) == "replay NT 512x500x64 ld 520,512,514 *3");
}

TEST_CASE("words stand in any order, and only the problem itself is required") {
  const Replay replay = replayed("us=1 k=3 n=2 m=1 unheard=of op=tN");
  CHECK(to_text(replay.problem) == "replay TN 1x2x3");
  CHECK(replay.problem.lda == 3);
  CHECK(replay.alpha == 1.0f);
  CHECK(replay.beta == 0.0f);
  CHECK(replay.rung == "");
}

TEST_CASE("scalars that stayed on the device are said to be unknown") {
  const Replay replay = replayed("op=NN m=1 n=1 k=1 alpha=device beta=0.5 rung=none");
  CHECK(replay.scalars_on_device);
  CHECK(replay.alpha == 1.0f);
  CHECK(replay.beta == 0.5f);
  CHECK(replay.rung == "");
}

TEST_CASE("a line that is no call says what it lacks") {
  CHECK(complaint_about("").find("there is no 'op='") != std::string::npos);
  CHECK(complaint_about("op=NN m=1 n=1").find("there is no 'k='") != std::string::npos);
  CHECK(complaint_about("op=NX m=1 n=1 k=1").find("'op=NX' is no pair of N and T") != std::string::npos);
  CHECK(complaint_about("op=NN m=1x n=1 k=1").find("'m=1x' is no number") != std::string::npos);
  CHECK(complaint_about("op=NN m= n=1 k=1").find("'m=' is no number") != std::string::npos);
  CHECK(complaint_about("op=NN m=1 n=1 k=1 m=2").find("'m=' is there twice") != std::string::npos);
  CHECK(complaint_about("op=NN m=4 n=1 k=1 lda=3").find("lda is 3, but the matrix has 4 rows") != std::string::npos);
  CHECK(complaint_about("op=NN m=0 n=1 k=1").find("at least 1") != std::string::npos);
}

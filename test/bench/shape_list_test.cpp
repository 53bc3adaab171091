// SPDX-License-Identifier: MIT
// Problems from files and from the command line.
#include "bench/shape_list.hpp"

#include <doctest/doctest.h>

#include <map>

#include "temporary_file.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

std::string complaint_about(std::string_view shape) {
  std::string complaint;
  CHECK_FALSE(parse_shapes(shape, complaint));
  return complaint;
}

BenchProblem parsed(std::string_view shape) {
  std::string complaint;
  const auto problem = parse_shape(shape, complaint);
  INFO(complaint);
  REQUIRE(problem);
  return *problem;
}

}  // namespace

TEST_CASE("the suite of shapes is read whole, with every leading dimension filled in") {
  std::string complaint;
  const auto problems = read_shapes(LADDER_SHAPES_CSV, complaint);
  INFO(complaint);
  REQUIRE(problems);
  CHECK(problems->size() == 120);
  std::map<std::string, int> categories;
  for (const BenchProblem& problem : *problems) {
    ++categories[problem.category];
    CHECK(what_is_illegal(problem) == "");
  }
  CHECK(categories.size() == 10);
  CHECK(categories["square"] == 19);
  const BenchProblem& last = problems->back();
  CHECK(last.op_a == Op::transpose);
  CHECK(last.lda == 128);
  CHECK(last.ldc == 2048);
  CHECK(last.batch == 512);
}

TEST_CASE("columns of shapes stand in any order, and some may be missing") {
  const TemporaryFile file("k,n,m,op_b,op_a,category,ldb\n3,5,7,T,n,odd,11\n");
  std::string complaint;
  const auto problems = read_shapes(file.path(), complaint);
  INFO(complaint);
  REQUIRE(problems);
  REQUIRE(problems->size() == 1);
  const BenchProblem& p = problems->front();
  CHECK(to_text(p) == "odd NT 7x5x3 ld 7,11,7");
  CHECK(p.batch == 1);
  CHECK(stride_a(p) == 7 * 3);
  CHECK(stride_b(p) == 11 * 3);
  CHECK(stride_c(p) == 7 * 5);
}

TEST_CASE("a shape that is illegal is named by its line") {
  const std::string header = "category,op_a,op_b,m,n,k,lda,ldb,ldc,batch\n";
  const std::pair<const char*, const char*> cases[] = {
      {"s,N,N,4,4,4,3,0,0,1", "lda is 3, but the matrix has 4 rows"},
      {"s,N,X,4,4,4,0,0,0,1", "op_b is 'X', neither N nor T"},
      {"s,N,N,0,4,4,0,0,0,1", "m, n, k and batch must be at least 1"},
      {"s,N,N,4,4,4,0,0,0,-1", "m, n, k and batch must be at least 1"},
      {"s,N,N,4,4,4.5,0,0,0,1", "k is '4.5', not an integer"},
      {"s,N,N,4,4,99999999999999999999,0,0,0,1", "k is '99999999999999999999', not an integer"},
      {"s,N,N,1,1,2305843009213693951,0,0,0,1", "the matrices a have more bytes than any memory"},
      {"s,N,N,4000000000,4,4000000000,0,0,0,1", "the matrices a have more bytes than any memory"},
      {"s,N,N,4,4,4", "6 cells under 10 columns"}};
  for (const auto& [line, what] : cases) {
    const TemporaryFile file(header + "s,T,T,4,4,4,0,0,0,1\n" + line + "\n");
    std::string complaint;
    CHECK_FALSE(read_shapes(file.path(), complaint));
    CHECK(complaint == file.path().string() + ":3: " + what);
  }
}

TEST_CASE("shapes of the command line") {
  CHECK(to_text(parsed("4096")) == "square NN 4096x4096x4096");
  CHECK(to_text(parsed("4096x2x100")) == "NN 4096x2x100");
  CHECK(to_text(parsed("TN:4096x2x100*96")) == "TN 4096x2x100 *96");
  CHECK(parsed("TN:4096x2x100").lda == 100);
  std::string complaint;
  const auto list = parse_shapes("64,NT:8*3,1x2x3", complaint);
  REQUIRE(list);
  CHECK(list->size() == 3);
  CHECK((*list)[1].batch == 3);
}

TEST_CASE("what is no shape of the command line is quoted back") {
  for (const char* text :
       {"", "x", "64x64", "64x64x64x64", "64,", "N:64", "XY:64", "64*", "64*x", "6 4", "64.5", "+64"})
    CHECK(complaint_about(text).find("is no shape") != std::string::npos);
  for (const char* text : {"0", "-1", "64*0", "4x0x4", "4000000000"})
    CHECK(complaint_about(text).starts_with(std::string("shape '") + text + "': "));
}

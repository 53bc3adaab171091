// SPDX-License-Identifier: MIT
// Files that are no results: each is refused with one line that says where and why.
#include <doctest/doctest.h>

#include "bench/results.hpp"
#include "temporary_file.hpp"

using namespace ladder::bench;

namespace {

constexpr const char* header = "category,op_a,op_b,m,n,k,batch,rung,ms,peer_ms\n";
constexpr const char* good = "square,N,N,64,64,64,1,9,0.5,0.6\n";

/// What is said of a file, without its path.
std::string complaint_about(const std::string& text) {
  const TemporaryFile file(text);
  std::string complaint;
  CHECK_FALSE(read_results(file.path(), complaint));
  const std::string path = file.path().string();
  REQUIRE(complaint.starts_with(path));
  CHECK(complaint.find('\n') == std::string::npos);
  return complaint.substr(path.size());
}

}  // namespace

TEST_CASE("files without columns or rows") {
  CHECK(complaint_about("") == ":1: there is no line of columns");
  CHECK(complaint_about("# GPU: x\n\n") == ":1: there is no line of columns");
  CHECK(complaint_about(header) == ": there are columns, but no rows");
}

TEST_CASE("columns that are missing or twice") {
  CHECK(complaint_about("# GPU: x\ncategory,op_a\nsquare,N\n") == ":2: there is no column 'op_b'");
  CHECK(complaint_about("category,op_a,op_b,m,n,k,batch,rung,ms\n") ==
        ": there is neither a column 'peer_ms' nor one 'ratio'");
  CHECK(complaint_about("ms,ms\n1,2\n") == ":1: two columns are called 'ms'");
}

TEST_CASE("rows of another length, and quotes without an end") {
  CHECK(complaint_about(std::string(header) + good + "square,N,N\n") == ":3: 3 cells under 10 columns");
  CHECK(complaint_about(std::string(header) + good + "\"square,N,N,64,64,64,1,9,0.5,0.6\n") ==
        ":3: a quoted cell has no end");
  CHECK(complaint_about(std::string(header) + "\"square\"x,N,N,64,64,64,1,9,0.5,0.6\n").starts_with(":2: "));
}

TEST_CASE("a cell over several lines does not shift the numbers of lines") {
  CHECK(complaint_about(std::string(header) + "\"a\nb\n# c\",N,N,64,64,64,1,9,0.5,0.6\n" +
                        "square,N,N,0,1,1,1,9,1,1\n") == ":5: m, n, k and batch must be at least 1");
}

TEST_CASE("numbers that are none") {
  const auto with_times = [](const std::string& ms, const std::string& peer_ms) {
    return std::string(header) + good + "square,N,N,64,64,64,1,9," + ms + "," + peer_ms + "\n";
  };
  CHECK(complaint_about(with_times("-0.5", "1")) == ":3: ms is -0.5, but must be above 0");
  CHECK(complaint_about(with_times("0", "1")) == ":3: ms is 0, but must be above 0");
  CHECK(complaint_about(with_times("1", "-inf")) == ":3: peer_ms is -inf, but must be above 0");
  CHECK(complaint_about(with_times("fast", "1")) == ":3: ms is 'fast', not a number");
  CHECK(complaint_about(with_times("0.5ms", "1")) == ":3: ms is '0.5ms', not a number");
  CHECK(complaint_about(with_times("1e999", "1")) == ":3: ms is '1e999', not a number");
  CHECK(complaint_about(std::string(header) + "square,N,N,64,64,64,1,,0.5,0.6\n") == ":2: rung is empty");
}

TEST_CASE("no file, and a folder") {
  std::string complaint;
  CHECK_FALSE(read_results("/nonexistent/x.csv", complaint));
  CHECK(complaint == "/nonexistent/x.csv: cannot be read");
  CHECK_FALSE(read_results("/", complaint));
  CHECK(complaint == "/: is a folder");
}

TEST_CASE("bytes that are no text") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  CHECK(complaint_about(bytes) != "");
}

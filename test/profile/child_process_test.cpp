// SPDX-License-Identifier: MIT
#include "child_process.hpp"

#include <doctest/doctest.h>

using namespace ladder::profile;

namespace {

ChildResult run_shell(const std::string& script, std::vector<std::string>& lines) {
  return run_child({"/bin/sh", "-c", script}, [&lines](const std::string& line) { lines.push_back(line); });
}

}  // namespace

TEST_CASE("lines of both streams arrive, the last without its newline too") {
  std::vector<std::string> lines;
  const auto result = run_shell("echo one; echo two >&2; printf three; exit 7", lines);
  CHECK(result.complaint.empty());
  CHECK(result.exit_code == 7);
  CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("the child has no input, and the C locale") {
  std::vector<std::string> lines;
  run_shell("cat; echo $LC_ALL", lines);
  CHECK(lines == std::vector<std::string>{"C"});
}

TEST_CASE("a signal and a missing program are told apart") {
  std::vector<std::string> lines;
  CHECK(run_shell("kill -9 $$", lines).exit_code == 128 + 9);
  CHECK_FALSE(run_child({"/nonexistent/program"}, [](const std::string&) {}).complaint.empty());
}

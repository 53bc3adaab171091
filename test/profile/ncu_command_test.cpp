// SPDX-License-Identifier: MIT
#include "ncu_command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace ladder::profile;

TEST_CASE("the command leaves the clocks alone and ends with the program") {
  const auto words = ncu_words("/bin/ncu", {"a__b", "c__d"}, "/tmp/log", {"ladder", "launch", "--rungs", "1"});
  CHECK(words.front() == "/bin/ncu");
  const auto follows = [&words](const char* option, const char* value) {
    const auto found = std::ranges::find(words, option);
    return found != words.end() && found + 1 != words.end() && *(found + 1) == value;
  };
  CHECK(follows("--clock-control", "none"));
  CHECK(follows("--cache-control", "all"));
  CHECK(follows("--metrics", "a__b,c__d"));
  CHECK(follows("--log-file", "/tmp/log"));
  CHECK(std::vector<std::string>(words.end() - 4, words.end()) ==
        std::vector<std::string>{"ladder", "launch", "--rungs", "1"});
}

TEST_CASE("ncu is found on the search path, if it can be run") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "ladder_find_ncu_test";
  fs::create_directories(folder);
  std::ofstream(folder / "ncu") << "#!/bin/sh\n";
  const auto search = [&folder] { return find_ncu("/nonexistent::" + folder.string()).value_or(""); };
  CHECK(search() != (folder / "ncu").string());
  fs::permissions(folder / "ncu", fs::perms::owner_all);
  CHECK(search() == (folder / "ncu").string());
  fs::remove_all(folder);
}

TEST_CASE("metrics that ncu does not know are named by it") {
  const std::vector<std::string> asked = {"a__b.sum", "c__d.sum"};
  CHECK(unknown_metrics("==ERROR== Failed to find metric c__d.sum\n", asked) == std::vector<std::string>{"c__d.sum"});
  CHECK(unknown_metrics("Failed to find metric c__d.sum\n==PROF== a__b.sum\n", asked).empty());
}

TEST_CASE("why nothing was profiled") {
  const auto permission =
      reason_for_nothing("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n",
                         {"rung=r01 kernels=1"}, 1);
  CHECK(permission.find("administrator") != std::string::npos);
  CHECK(permission.find('\n') == std::string::npos);
  CHECK(reason_for_nothing("==ERROR== x\n", {"ladder: there is no GPU that works here"}, 2) ==
        "there is no GPU that works here");
  CHECK(reason_for_nothing("==ERROR== Unknown option", {}, 1) == "ncu says: Unknown option");
  CHECK(reason_for_nothing("", {}, 3).find("3") != std::string::npos);
}

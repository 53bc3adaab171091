// SPDX-License-Identifier: MIT
#include "program_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.hpp"

using namespace ladder::doctor;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

std::string make_script(const fs::path& folder, const std::string& name, const std::string& first_line) {
  const fs::path path = folder / name;
  std::ofstream(path) << first_line << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return fs::canonical(path).string();
}

}  // namespace

TEST_CASE("what a #! line names") {
  CHECK(interpreter_words("#!/bin/sh -e") == Words{"/bin/sh", "-e"});
  CHECK(interpreter_words("#! /usr/bin/env python3") == Words{"python3"});
  CHECK(interpreter_words("#!/usr/bin/env -S A=1 python3 -u") == Words{"python3", "-u"});
  CHECK(interpreter_words("\x7f"
                          "ELF")
            .empty());
  CHECK(interpreter_words("#!").empty());
  CHECK(interpreter_words("#!/usr/bin/env -i").empty());
}

TEST_CASE("scripts are followed to the ELF file that runs them") {
  const ladder::bench::TemporaryFolder folder;
  const std::string inner = make_script(folder.path(), "inner", "#!/bin/sh");
  const std::string outer = make_script(folder.path(), "outer", "#!/usr/bin/env inner");
  const auto program = find_program("outer", folder.path().string() + ":/bin");
  REQUIRE(program.complaint.empty());
  CHECK(program.files == Words{outer, inner, fs::canonical("/bin/sh").string()});
  CHECK_FALSE(program.secure());
}

TEST_CASE("what cannot be run is said") {
  const ladder::bench::TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(find_program("no-such-program", path).missing);
  CHECK(find_program("/nonexistent/program", path).missing);
  std::ofstream(folder.path() / "plain") << "text\n";
  const auto plain = find_program(path + "/plain", path);
  CHECK_FALSE(plain.missing);
  CHECK(plain.complaint.find("cannot be run") != std::string::npos);
  make_script(folder.path(), "orphan", "#!/nonexistent/interpreter");
  CHECK(find_program("orphan", path).complaint.find("/nonexistent/interpreter") != std::string::npos);
  const std::string loop = path + "/loop";
  make_script(folder.path(), "loop", "#!" + loop);
  CHECK_FALSE(find_program("loop", path).complaint.empty());
}

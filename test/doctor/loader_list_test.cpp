// SPDX-License-Identifier: MIT
#include "loader_list.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "elf_facts.hpp"

using namespace ladder::doctor;
using Words = std::vector<std::string>;

TEST_CASE("lines of ld.so --list") {
  LoaderList list;
  for (const char* line :
       {"\tlinux-vdso.so.1 (0x00007ffd3b5f2000)", "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f1)",
        "\tlibspace.so => /opt/a folder/libspace.so (0x00007f2)", "\tlibgone.so.1 => not found",
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)", "", "anything else"}) {
    read_loader_line(line, list);
  }
  CHECK(list.files ==
        Words{"/lib/x86_64-linux-gnu/libm.so.6", "/opt/a folder/libspace.so", "/lib64/ld-linux-x86-64.so.2"});
  CHECK(list.missing == Words{"libgone.so.1"});
}

TEST_CASE("this test's own libraries are found, and nothing is run") {
  const auto facts = elf_facts(std::filesystem::read_symlink("/proc/self/exe").string());
  REQUIRE(facts.complaint.empty());
  const auto list = loader_list(facts.interpreter, facts.file);
  CHECK(list.complaint.empty());
  CHECK(std::ranges::any_of(list.files, [](const std::string& f) { return f.find("libc.so") != std::string::npos; }));
}

TEST_CASE("a loader that is not there is complained about") {
  CHECK_FALSE(loader_list("/nonexistent/ld.so", "/bin/sh").complaint.empty());
}

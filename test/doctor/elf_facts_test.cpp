// SPDX-License-Identifier: MIT
#include "elf_facts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "loader_list.hpp"
#include "temporary_folder.hpp"

using namespace ladder::doctor;

// What a BLAS that is linked statically leaves in a program: the size says that this is no wrapper.
asm(R"(.text
.type toy_sgemm_, @function
toy_sgemm_:
.skip 300
.size toy_sgemm_, 300
.type toy_wrapped_dgemm_, @function
toy_wrapped_dgemm_:
.skip 5
.size toy_wrapped_dgemm_, 5
)");

TEST_CASE("this test program") {
  const auto facts = elf_facts("/proc/self/exe");
  REQUIRE(facts.complaint.empty());
  CHECK(facts.for_this_machine);
  CHECK(facts.dynamic);
  CHECK_FALSE(facts.stripped);
  CHECK(facts.interpreter.find("ld-linux") != std::string::npos);
  CHECK(facts.soname.empty());
  CHECK(std::ranges::count(facts.needed, "libelf.so.1") == 1);
  CHECK(has_symbol(facts, Role::internal, NameKind::another_name));
  CHECK_FALSE(has_symbol(facts, Role::imported, NameKind::another_name));
  CHECK_FALSE(has_symbol(facts, Role::internal, NameKind::another_type));
  CHECK_FALSE(has_symbol(facts, Role::internal, NameKind::door));
}

TEST_CASE("a library of it") {
  const auto program = elf_facts("/proc/self/exe");
  const auto list = loader_list(program.interpreter, "/bin/sh");
  const auto libc = std::ranges::find_if(list.files, [](const std::string& f) { return f.find("libc.so") != f.npos; });
  REQUIRE(libc != list.files.end());
  const auto facts = elf_facts(*libc);
  CHECK(facts.complaint.empty());
  CHECK(facts.soname == "libc.so.6");
  CHECK(facts.symbols.empty());
}

TEST_CASE("what is no ELF file is complained about") {
  const ladder::bench::TemporaryFolder folder;
  const std::string file = (folder.path() / "file").string();
  CHECK_FALSE(elf_facts(file).complaint.empty());
  std::ofstream(file).flush();
  CHECK_FALSE(elf_facts(file).complaint.empty());
  std::ofstream(file) << "#!/bin/sh\n";
  CHECK(elf_facts(file).complaint == "not an ELF file");
  std::ofstream(file) << "\177ELF\2\1\1";
  CHECK_FALSE(elf_facts(file).complaint.empty());
  CHECK_FALSE(elf_facts(folder.path().string()).complaint.empty());
}

TEST_CASE("a damaged file is read as far as it goes") {
  const ladder::bench::TemporaryFolder folder;
  const std::string file = (folder.path() / "half").string();
  std::ifstream whole("/proc/self/exe", std::ios::binary);
  std::string start(4096, '\0');
  whole.read(start.data(), static_cast<std::streamsize>(start.size()));
  std::ofstream(file, std::ios::binary) << start;
  const auto facts = elf_facts(file);
  CHECK(facts.for_this_machine);
  CHECK(facts.symbols.empty());
}

// SPDX-License-Identifier: MIT
// The auditor's parts in an ordinary program, where sanitizers can watch them: the symbol tables of loaded objects
// against dlsym, and the lines of the record.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <climits>
#include <string>

#include "doors.hpp"
#include "object.hpp"
#include "symbol_table.hpp"
#include "text_buffer.hpp"

using namespace ladder::audit;

namespace {

const link_map& map_of(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle != nullptr, std::string(library));
  return *static_cast<const link_map*>(handle);  // which is what glibc's handles are
}

std::uintptr_t address_by_dlsym(const char* library, const char* name) {
  return reinterpret_cast<std::uintptr_t>(dlsym(dlopen(library, RTLD_NOW | RTLD_LOCAL), name));
}

template <std::size_t ROOM, class Write>
std::string written(Write write) {
  char room[ROOM];
  TextBuffer buffer(room, sizeof room);
  write(buffer);
  return buffer.c_string();
}

constexpr std::size_t plenty = 200;

}  // namespace

TEST_CASE("a symbol table finds what dlsym finds, by either kind of hash table") {
  struct Holder {
    const char* library;
    int doors;
  };
  for (const Holder& holder : {Holder{AUDIT_BLAS, 2}, Holder{AUDIT_WRAPPER, 1}, Holder{AUDIT_ALL_DOORS, door_count}}) {
    const SymbolTable table(map_of(holder.library));
    int found = 0;
    for (const DoorName& door : doors) {
      const std::uintptr_t address = table.find(door.text);
      if (address == 0) continue;
      ++found;
      CHECK_MESSAGE(address == address_by_dlsym(holder.library, door.text), std::string(door.text));
    }
    CHECK_MESSAGE(found == holder.doors, std::string(holder.library));
  }
}

TEST_CASE("a symbol table knows neither what an object only refers to nor names that are nearly right") {
  const SymbolTable wrapper(map_of(AUDIT_WRAPPER)), blas(map_of(AUDIT_BLAS));
  for (const char* name : {"dlopen", "getenv", "sgemm", "sgemm__", "", "cblas_sgemm"}) CHECK(!wrapper.defines(name));
  for (const char* name : {"sgemm", "sgemm__", "", "cblas_sgem", "cblas_sgemm_"}) CHECK(!blas.defines(name));
}

TEST_CASE("a large symbol table") {
  const SymbolTable table(map_of("libc.so.6"));
  for (const char* name : {"qsort", "getpid", "dlsym", "pthread_create", "snprintf"})
    CHECK_MESSAGE(table.find(name) == address_by_dlsym("libc.so.6", name), std::string(name));
}

TEST_CASE("an object keeps its marks beside its address") {
  const link_map& blas = map_of(AUDIT_BLAS);
  const Object here(blas, LM_ID_BASE), there(blas, LM_ID_BASE + 1);
  CHECK(&here.map() == &blas);
  CHECK(&there.map() == &blas);
  CHECK(!here.is_elsewhere());
  CHECK(there.is_elsewhere());
  CHECK(Object(here.word()).defines(Kind::host));
  CHECK(!here.defines(Kind::device));
  CHECK(Object(map_of(AUDIT_ALL_DOORS), LM_ID_BASE).defines(Kind::device));
  // Its only door is the bare `sgemm`, which any program may have.
  CHECK(!Object(map_of(AUDIT_PLUGIN), LM_ID_BASE).defines(Kind::host));
}

TEST_CASE("what counts as GEMM-like") {
  for (const char* name : {"dgemm_", "cublasHgemm", "cublasGemmEx", "hipblasGemmEx", "cublasLtCreate", "gemm"})
    CHECK_MESSAGE(is_gemm_like(name), std::string(name));
  for (const char* name : {"", "gem", "cublasCreate_v2", "sgemv_", "xcublasLt"})
    CHECK_MESSAGE(!is_gemm_like(name), std::string(name));
}

TEST_CASE("lines of the record") {
  CHECK(written<plenty>([](TextBuffer& line) {
          line.field("event", "open").field("pid", 12L).field("x", "a\tb\nc\\d");
        }) == "event=open\tpid=12\tx=a\\tb\\nc\\\\d");
  CHECK(written<plenty>([](TextBuffer& line) {
          line.number(0).text(" ").number(LONG_MIN).text(" ").number(LONG_MAX);
        }) == "0 " + std::to_string(LONG_MIN) + " " + std::to_string(LONG_MAX));
  CHECK(written<plenty>([](TextBuffer& line) { line.path("/a-%p/%p%%"); }) ==
        "/a-" + std::to_string(getpid()) + "/" + std::to_string(getpid()) + "%%");
}

TEST_CASE("what does not fit is left out whole") {
  CHECK(written<4>([](TextBuffer& line) { line.text("abc"); }) == "abc");
  CHECK(written<4>([](TextBuffer& line) { line.text("abcd"); }).empty());
  CHECK(written<4>([](TextBuffer& line) { line.text("abcdef").text("g"); }).empty());
}

// SPDX-License-Identifier: MIT
#include "injection.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "library_path.hpp"

namespace ladder::cli {

namespace {

void put_in_front(const char* variable, const std::string& value) {
  const char* others = std::getenv(variable);
  const bool alone = others == nullptr || *others == '\0';
  setenv(variable, alone ? value.c_str() : fmt::format("{}:{}", value, others).c_str(), 1);
}

bool inject_file(const char* variable, const char* file, const char* separators) {
  const std::string path = find_library(file);
  if (path.empty()) {
    fmt::print(stderr, "ladder: {}\n", library_missing(file));
    return false;
  }
  if (path.find_first_of(separators) != std::string::npos) {
    fmt::print(stderr, "ladder: {} cannot hold a path with a {}colon: {}\n", variable,
               std::string_view(separators).find(' ') == std::string_view::npos ? "" : "space or a ", path);
    return false;
  }
  put_in_front(variable, path);
  return true;
}

/// With an auditor the loader lays out the static TLS before it has seen the program's libraries, and leaves 1.6 KB for
/// them: one with a few KB of its own, jemalloc for example, would keep the program from starting. This is taken from
/// each thread's stack, and so not more.
void make_room_for_static_tls() {
  constexpr std::string_view tunable = "glibc.rtld.optional_static_tls";
  constexpr int bytes = 16384;
  const char* others = std::getenv("GLIBC_TUNABLES");
  if (others != nullptr && std::string_view(others).find(tunable) != std::string_view::npos) return;
  put_in_front("GLIBC_TUNABLES", fmt::format("{}={}", tunable, bytes));
}

}  // namespace

bool inject(Injection injection) {
  if (!inject_file("LD_PRELOAD", library_file, " :")) return false;
  if (injection == Injection::preload) return true;
  if (!inject_file("LD_AUDIT", auditor_file, ":")) return false;
  make_room_for_static_tls();
  return true;
}

}  // namespace ladder::cli

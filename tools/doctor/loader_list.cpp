// SPDX-License-Identifier: MIT
#include "loader_list.hpp"

#include <fmt/format.h>

#include "profile/child_process.hpp"

namespace ladder::doctor {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Without the address at its end.
std::string_view path_of(std::string_view text) { return trimmed(text.substr(0, text.rfind(" (0x"))); }

}  // namespace

void read_loader_line(std::string_view line, LoaderList& list) {
  constexpr std::string_view arrow = " => ", not_found = "not found";
  const std::string_view text = trimmed(line);
  if (const std::size_t middle = text.find(arrow); middle != std::string_view::npos) {
    const std::string_view target = text.substr(middle + arrow.size());
    if (target.starts_with(not_found)) {
      list.missing.emplace_back(text.substr(0, middle));
    } else {
      list.files.emplace_back(path_of(target));
    }
  } else if (text.starts_with('/') && text.find(" (0x") != std::string_view::npos) {
    list.files.emplace_back(path_of(text));
  }
}

LoaderList loader_list(const std::string& loader, const std::string& program) {
  LoaderList list;
  std::string last_line;
  const auto result = profile::run_child({loader, "--list", program}, [&](const std::string& line) {
    read_loader_line(line, list);
    last_line = line;
  });
  if (!result.complaint.empty()) {
    list.complaint = fmt::format("{}: {}", loader, result.complaint);
  } else if (result.exit_code != 0 && list.files.empty()) {
    list.complaint = last_line;
  }
  return list;
}

}  // namespace ladder::doctor

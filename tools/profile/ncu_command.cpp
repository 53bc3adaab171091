// SPDX-License-Identifier: MIT
#include "ncu_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "bench/text_list.hpp"

namespace ladder::profile {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_line = "ladder: ";
constexpr std::string_view error_mark = "==ERROR==";
constexpr std::string_view no_permission = "ERR_NVGPUCTRPERM";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Packages of Nsight Compute alone have a folder a version; the latest is wanted.
std::vector<fs::path> versions_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> versions;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) versions.push_back(entry.path());
  std::ranges::sort(versions, std::ranges::greater());
  return versions;
}

std::vector<fs::path> folders_to_search(std::string_view search_path) {
  std::vector<fs::path> folders;
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    if (end > 0) folders.emplace_back(search_path.substr(0, end));
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  std::ranges::copy(versions_in("/opt/nvidia/nsight-compute"), std::back_inserter(folders));
  for (const fs::path& version : versions_in("/usr/local/cuda")) {
    if (version.filename().string().starts_with("nsight-compute")) folders.push_back(version);
  }
  return folders;
}

}  // namespace

std::optional<std::string> find_ncu(const std::string& search_path) {
  for (const fs::path& folder : folders_to_search(search_path)) {
    if (executable(folder / "ncu")) return (folder / "ncu").string();
  }
  return std::nullopt;
}

std::vector<std::string> ncu_words(const std::string& ncu, const std::vector<std::string>& metrics,
                                   const std::string& log, const std::vector<std::string>& program) {
  std::vector<std::string> words = {ncu,
                                    "--profile-from-start",
                                    "off",
                                    "--replay-mode",
                                    "kernel",
                                    "--cache-control",
                                    "all",
                                    "--clock-control",
                                    "none",
                                    "--csv",
                                    "--page",
                                    "raw",
                                    "--print-units",
                                    "base",
                                    "--log-file",
                                    log,
                                    "--metrics",
                                    bench::joined(metrics, ",")};
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::vector<std::string> unknown_metrics(std::string_view log, const std::vector<std::string>& metrics) {
  std::vector<std::string> unknown;
  for (const std::string& line : lines_of(log)) {
    if (!line.starts_with("==") || line.find("Failed to find metric") == std::string::npos) continue;
    std::ranges::copy_if(metrics, std::back_inserter(unknown),
                         [&line](const std::string& metric) { return line.find(metric) != std::string::npos; });
  }
  return unknown;
}

bool is_own_complaint(const std::string& line) { return line.starts_with(own_line); }

std::string reason_for_nothing(std::string_view log, const std::vector<std::string>& program_lines, int exit_code) {
  std::vector<std::string> lines = program_lines;
  std::ranges::copy(lines_of(log), std::back_inserter(lines));
  const auto first = [&lines](std::string_view mark) {
    const auto found =
        std::ranges::find_if(lines, [mark](const std::string& line) { return line.find(mark) != std::string::npos; });
    return found == lines.end() ? std::string() : found->substr(found->find(mark));
  };
  if (!first(no_permission).empty()) {
    return fmt::format(
        "the driver lets this user read no performance counters ({}): an administrator allows it with the option "
        "NVreg_RestrictProfilingToAdminUsers=0 of the kernel module nvidia, or runs the command as root; a container "
        "needs the capability SYS_ADMIN too",
        no_permission);
  }
  if (const std::string said = first(own_line); !said.empty()) return said.substr(own_line.size());
  if (const std::string error = first(error_mark); !error.empty()) {
    return fmt::format("ncu says:{}", error.substr(error_mark.size()));
  }
  const std::string last = lines.empty() ? "it wrote nothing" : "its last line: " + lines.back();
  return fmt::format("ncu does not say why (exit code {}; {})", exit_code, last);
}

}  // namespace ladder::profile

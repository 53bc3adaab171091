// SPDX-License-Identifier: MIT
#include "program_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "text_list.hpp"

namespace ladder::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_scripts = 5;  // the kernel gives up after as many

bool is_runnable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Empty where there is none.
std::string on_path(const std::string& name, const std::string& search_path) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string_view folder : bench::split(search_path, ':')) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_runnable(candidate)) return candidate.string();
  }
  return {};
}

/// The first line where the file is a script; empty otherwise.
std::string script_line(const std::string& file) {
  constexpr std::size_t longest = 256;  // the kernel reads no more of it
  std::ifstream stream(file, std::ios::binary);
  std::string start(longest, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(longest));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start.starts_with("#!") ? start.substr(0, start.find('\n')) : std::string();
}

void look_at_rights(ProgramFile& program) {
  struct stat status;
  struct statvfs mount;
  if (stat(program.elf().c_str(), &status) != 0 || statvfs(program.elf().c_str(), &mount) != 0) return;
  if ((mount.f_flag & ST_NOSUID) != 0) return;
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  program.set_user_id = other_user || other_group;
  program.capabilities = geteuid() != 0 && getxattr(program.elf().c_str(), "security.capability", nullptr, 0) > 0;
}

bool add_file(ProgramFile& program, const std::string& name, const std::string& search_path) {
  const std::string file = on_path(name, search_path);
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) {
    program.missing = true;
    program.complaint = program.files.empty()
                            ? fmt::format("there is no program {}", name)
                            : fmt::format("{} wants to be run by {}, which is not there", program.files.back(), name);
    return false;
  }
  if (!is_runnable(file)) {
    program.complaint = fmt::format("{} cannot be run: {}", file, std::strerror(EACCES));
    return false;
  }
  program.files.push_back(fs::canonical(file, error).string());
  return true;
}

}  // namespace

std::vector<std::string> interpreter_words(const std::string& first_line) {
  if (!first_line.starts_with("#!")) return {};
  std::istringstream text(first_line.substr(2));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty() || fs::path(words.front()).filename() != "env") return words;
  words.erase(words.begin());
  // env's own options and NAME=VALUE words come before the program.
  const auto program = std::ranges::find_if(
      words, [](const std::string& word) { return !word.starts_with('-') && word.find('=') == std::string::npos; });
  words.erase(words.begin(), program);
  return words;
}

ProgramFile find_program(const std::string& name, const std::string& search_path) {
  ProgramFile program;
  std::string next = name;
  while (add_file(program, next, search_path)) {
    const auto words = interpreter_words(script_line(program.elf()));
    if (words.empty()) break;
    if (program.files.size() > most_scripts) {
      program.complaint = fmt::format("{} is run by too many scripts", name);
      break;
    }
    next = words.front();
  }
  if (program.complaint.empty()) look_at_rights(program);
  return program;
}

}  // namespace ladder::doctor

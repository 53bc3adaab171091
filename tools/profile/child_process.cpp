// SPDX-License-Identifier: MIT
#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

extern "C" char** environ;

namespace ladder::profile {

namespace {

constexpr int signal_base = 128;  // as a shell counts

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Ours, but for the locale: numbers must have a point.
std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string(*variable).rfind("LC_ALL=", 0) != 0) variables.emplace_back(*variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

/// 0, or the errno of what failed.
int spawn(const std::vector<std::string>& words, int output, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  const std::vector<std::string> variables = environment();
  const int error =
      posix_spawnp(&child, words[0].c_str(), &files, nullptr, pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void read_lines(int from, const std::function<void(const std::string&)>& on_line) {
  std::string line;
  char buffer[BUFSIZ];
  while (true) {
    const ssize_t count = read(from, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (const char c : std::string(buffer, static_cast<std::size_t>(count))) {
      if (c != '\n') {
        line += c;
      } else {
        on_line(line);
        line.clear();
      }
    }
  }
  if (!line.empty()) on_line(line);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, const std::function<void(const std::string&)>& on_line) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {0, std::strerror(errno)};
  pid_t child = 0;
  const int error = spawn(words, ends[1], child);
  close(ends[1]);
  if (error == 0) read_lines(ends[0], on_line);
  close(ends[0]);
  if (error != 0) return {0, std::strerror(error)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {0, std::strerror(errno)};
  }
  return {WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status), {}};
}

}  // namespace ladder::profile

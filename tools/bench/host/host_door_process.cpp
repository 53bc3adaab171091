// SPDX-License-Identifier: MIT
#include "host_door_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

extern char** environ;

namespace ladder::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_chatter = std::size_t{1} << 16;  // bytes that are no answer, while we wait for one

std::string complaint_of(const char* what, int error) { return fmt::format("{}: {}", what, std::strerror(error)); }

std::vector<std::string> changed_environment(const ProcessStart& start) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool replaced = std::any_of(start.environment.begin(), start.environment.end(),
                                      [&](const auto& pair) { return text.starts_with(pair.first + "="); });
    if (!replaced) result.push_back(text);
  }
  for (const auto& [name, value] : start.environment) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

int spawn(pid_t& pid, const ProcessStart& start, int socket) {
  std::vector<std::string> words = start.command, settings = changed_environment(start);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  constexpr int owner_only = 0600;
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, start.stderr_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   owner_only);
  const int error =
      posix_spawn(&pid, words.front().c_str(), &actions, nullptr, pointers(words).data(), pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string last_line_of(const std::string& file) {
  std::ifstream lines(file);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

bool send_all(int socket, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

enum class Event { data, end, timeout };

Event wait_for_data(int socket, Clock::time_point deadline, std::string& received) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Event::timeout;
    pollfd polled{socket, POLLIN, 0};
    constexpr decltype(left) longest_ms = 3'600'000;
    const int ready = poll(&polled, 1, static_cast<int>(std::min(left, longest_ms)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    std::array<char, 4096> bytes;
    const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Event::end;
    received.append(bytes.data(), static_cast<std::size_t>(count));
    return Event::data;
  }
}

}  // namespace

std::unique_ptr<PeerProcess> PeerProcess::start(const ProcessStart& start, std::string& complaint) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    complaint = complaint_of("no socket for a child process", errno);
    return nullptr;
  }
  pid_t pid = -1;
  const int error = spawn(pid, start, ends[1]);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    complaint = complaint_of(start.command.front().c_str(), error);
    return nullptr;
  }
  return std::unique_ptr<PeerProcess>(new PeerProcess(pid, ends[0], start.stderr_file));
}

PeerProcess::~PeerProcess() {
  close(socket_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::optional<std::string> PeerProcess::take_line() {
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

/// Waits a little for its end, which is then known and over.
bool PeerProcess::ended(int& status) {
  constexpr auto grace = std::chrono::seconds(2);
  constexpr auto pause = std::chrono::milliseconds(5);
  for (const auto deadline = Clock::now() + grace; pid_ > 0 && Clock::now() < deadline;) {
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return true;
    }
    std::this_thread::sleep_for(pause);
  }
  return false;
}

void PeerProcess::finish() {
  shutdown(socket_, SHUT_WR);
  int status = 0;
  ended(status);
}

std::string PeerProcess::how_it_ended() {
  int status = 0;
  if (!ended(status)) return "closed its end of the talk";
  const std::string last = last_line_of(stderr_file_);
  const std::string words = last.empty() ? "" : fmt::format(" ({})", last);
  if (WIFSIGNALED(status))
    return fmt::format("died of signal {}, {}{}", WTERMSIG(status), strsignal(WTERMSIG(status)), words);
  return fmt::format("ended with exit code {}{}", WEXITSTATUS(status), words);
}

std::optional<std::string> PeerProcess::ask(const std::string& line, const std::string& prefix, double timeout_s,
                                            std::string& complaint) {
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  Event event = send_all(socket_, line + "\n") ? Event::data : Event::end;
  for (std::size_t passed_over = 0; event == Event::data; event = wait_for_data(socket_, deadline, received_)) {
    while (auto answer = take_line()) {
      if (answer->starts_with(prefix)) return answer;
      passed_over += answer->size() + 1;
    }
    if (passed_over + received_.size() > most_chatter) {
      complaint = "prints no end of what is no answer";
      return std::nullopt;
    }
  }
  complaint = event == Event::timeout ? fmt::format("gave no answer in {:.3g} s", timeout_s) : how_it_ended();
  return std::nullopt;
}

}  // namespace ladder::bench

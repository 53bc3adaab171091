// SPDX-License-Identifier: MIT
// A child process that answers lines with lines, and may die, babble or fall silent instead.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ladder::bench {

struct ProcessStart {
  std::vector<std::string> command;                              ///< path of the program, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< set over this process's own
  std::string stderr_file;                                       ///< where its stderr goes
};

/// Its stdin and stdout are one socket to us. Killed, if need be, and waited for by the destructor.
class PeerProcess {
 public:
  /// Null, and why, where it cannot be started. A program that is not there may be noticed only by the first ask().
  static std::unique_ptr<PeerProcess> start(const ProcessStart& start, std::string& complaint);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Sends the line and waits for the next one that begins with `prefix`; others are passed over. Nothing, and why
  /// (it died and how, it did not answer in time, it prints no end of something else), where there is none: the
  /// process is then of no use any more.
  std::optional<std::string> ask(const std::string& line, const std::string& prefix, double timeout_s,
                                 std::string& complaint);

  /// -1 once it is known to have ended.
  pid_t pid() const { return pid_; }

  /// Sends it the end of its stdin and gives it two seconds to end by itself: what it writes then is written.
  void finish();

 private:
  PeerProcess(pid_t pid, int socket, std::string stderr_file)
      : pid_(pid), socket_(socket), stderr_file_(std::move(stderr_file)) {}

  std::optional<std::string> take_line();
  bool ended(int& status);
  std::string how_it_ended();

  pid_t pid_;
  int socket_;
  std::string stderr_file_;
  std::string received_;
};

}  // namespace ladder::bench

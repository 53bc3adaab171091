// SPDX-License-Identifier: MIT
// `ladder run -- program`: sets LD_PRELOAD, LD_AUDIT where asked and LADDER_*, and becomes the program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "commands.hpp"
#include "injection.hpp"

namespace ladder::cli {

namespace {

void set_unless_empty(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

}  // namespace

int run_command(const RunOptions& options) {
  if (!inject(options.audit ? Injection::preload_and_audit : Injection::preload)) return exit_usage;
  set_unless_empty("LADDER_RUNG", options.rung);
  set_unless_empty("LADDER_DEVICE", options.device);
  set_unless_empty("LADDER_LOG", options.log);
  set_unless_empty("LADDER_LOG_TIME", options.log_time);
  set_unless_empty("LADDER_LOG_FILE", options.log_file);

  std::vector<char*> arguments;
  for (const auto& word : options.program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  fmt::print(stderr, "ladder: cannot run {}: {}\n", arguments[0], std::strerror(reason));
  return reason == ENOENT ? exit_not_found : exit_cannot_execute;
}

}  // namespace ladder::cli

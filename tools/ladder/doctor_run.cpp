// SPDX-License-Identifier: MIT
// The part of `ladder doctor` that runs the program, with the library's log and the loader's bindings going to files.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bench/temporary_folder.hpp"
#include "doctor_command.hpp"
#include "injection.hpp"

extern "C" char** environ;

namespace ladder::cli {

namespace {

namespace fs = std::filesystem;

constexpr int signal_base = 128;  // as a shell counts
constexpr const char* calls_beginning = "calls-";
constexpr const char* bindings_beginning = "bindings-";

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

/// Sets what the program is to find in its environment. False, and a line on stderr, where that cannot be.
bool prepare_environment(const DoctorOptions& options, const doctor::Surroundings& here, const fs::path& folder) {
  const bool record = options.audit || (!here.audit_library.empty() && !options.calls_only);
  if (!inject(record ? Injection::preload_and_audit : Injection::preload)) return false;
  set("LADDER_LOG", "call");
  set("LADDER_LOG_FILE", (folder / calls_beginning).string() + "%p");
  set("LADDER_AUDIT", options.audit ? "redirect" : "record");
  set("LADDER_AUDIT_LOG", (folder / bindings_beginning).string() + "%p");
  return true;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// The keys that interrupt a program are for the program alone, as under a shell.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() : interrupt_(signal(SIGINT, SIG_IGN)), quit_(signal(SIGQUIT, SIG_IGN)) {}
  IgnoreInterrupts(const IgnoreInterrupts&) = delete;
  IgnoreInterrupts& operator=(const IgnoreInterrupts&) = delete;
  ~IgnoreInterrupts() {
    signal(SIGINT, interrupt_);
    signal(SIGQUIT, quit_);
  }

 private:
  sighandler_t interrupt_, quit_;
};

/// 0, or the errno of what failed.
int spawn(const std::vector<std::string>& words, bool stdout_is_ours, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (stdout_is_ours) posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&child, words[0].c_str(), &files, &attributes, pointers_to(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void run_and_wait(const DoctorOptions& options, doctor::Run& run) {
  const IgnoreInterrupts interrupts;
  pid_t child = 0;
  int error = spawn(options.program, options.json, child);
  int status = 0;
  while (error == 0 && waitpid(child, &status, 0) < 0) error = errno == EINTR ? 0 : errno;
  if (error != 0) {
    run.complaint = std::strerror(error);
    return;
  }
  run.exit_code = WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

void gather(const fs::path& folder, doctor::Run& run) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string(), file = entry.path().string();
    if (name.starts_with(calls_beginning) && doctor::read_call_log(file, run.calls)) ++run.processes;
    if (name.starts_with(bindings_beginning) && doctor::read_binding_log(file, run.log)) run.recorded = true;
  }
}

}  // namespace

doctor::Run run_and_record(const DoctorOptions& options, const doctor::Before& before) {
  doctor::Run run;
  run.audit_mode = options.audit;
  const bench::TemporaryFolder folder;
  if (folder.path().empty()) {
    run.complaint = "there is no folder for temporary files";
    return run;
  }
  if (!prepare_environment(options, before.surroundings, folder.path())) {
    run.complaint = "its environment cannot be prepared";
    return run;
  }
  run_and_wait(options, run);
  gather(folder.path(), run);
  run.objects =
      run.recorded ? doctor::objects_with_products({run.log.objects.begin(), run.log.objects.end()}) : before.objects;
  return run;
}

}  // namespace ladder::cli

// SPDX-License-Identifier: MIT
// Copying threads and the program around them: its signals, its handlers of faults, and whoever else wants the cores.
#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "copied_lines.hpp"
#include "offload/copy_team.hpp"

using namespace ladder::shim;
using namespace ladder::test;

namespace {

unsigned char* protected_page = nullptr;
std::size_t page_bytes = 0;
void bring_page_in(int) { mprotect(protected_page, page_bytes, PROT_READ | PROT_WRITE); }

pthread_t handled_by;
volatile std::sig_atomic_t handled = 0;
void note_thread(int) {
  handled_by = pthread_self();
  handled = 1;
}

std::set<pid_t> thread_numbers() {
  std::set<pid_t> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    numbers.insert(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  return numbers;
}

std::atomic<bool> held{false}, let_go{false};
void hold_thread(int) {
  held.store(true);
  while (!let_go.load()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("jobs that no thread comes to are made by the one that waits for them, after a while") {
  const std::set<pid_t> before = thread_numbers();
  CopyTeam team(1);
  Jobs first(1), second(3, 33), third(1, 66);
  first.submit(team);
  wait_for(first.jobs.front());
  struct sigaction action {};
  action.sa_handler = hold_thread;
  struct sigaction before_action {};
  REQUIRE(sigaction(SIGTRAP, &action, &before_action) == 0);
  for (const pid_t thread : thread_numbers())
    if (before.count(thread) == 0) REQUIRE(syscall(SYS_tgkill, getpid(), thread, SIGTRAP) == 0);
  while (!held.load()) std::this_thread::yield();

  SpareHand hand;
  CHECK_FALSE(team.help(hand));  // nothing waits
  second.submit(team);
  CHECK_FALSE(team.help(hand));  // it may still come
  int made = 0;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!second.all_done() && std::chrono::steady_clock::now() < patience) made += team.help(hand) ? 1 : 0;
  CHECK(made == 3);
  CHECK(second.all_arrived());
  CHECK_FALSE(team.help(hand));

  let_go.store(true);
  third.submit(team);
  wait_for(third.jobs.front());
  CHECK(third.all_arrived());
  sigaction(SIGTRAP, &before_action, nullptr);
}

TEST_CASE("the program's signals are handled on the program's own threads") {
  CopyTeam team(2);
  Jobs jobs(4);
  jobs.submit(team);
  for (const CopyJob& job : jobs.jobs) wait_for(job);

  struct sigaction action {};
  action.sa_handler = note_thread;
  struct sigaction before {};
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  sigset_t usr1, mask;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &mask) == 0);
  CHECK(sigismember(&mask, SIGUSR1) == 0);  // what submit() blocked is as it was
  REQUIRE(pthread_sigmask(SIG_BLOCK, &usr1, nullptr) == 0);
  REQUIRE(kill(getpid(), SIGUSR1) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(handled == 0);  // no other thread took it
  REQUIRE(pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr) == 0);
  CHECK(handled == 1);
  CHECK(pthread_equal(handled_by, pthread_self()) != 0);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a page that the program's own handler brings in is copied") {
  const bool well = in_child([] {
    page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    protected_page = static_cast<unsigned char*>(page);
    struct sigaction action {};
    action.sa_handler = bring_page_in;
    if (sigaction(SIGSEGV, &action, nullptr) != 0) return false;
    CopyTeam team(1);
    Lines to(0, page_bytes, 0, 1);
    CopyJob job;
    job.copy = {to.line(0), page_bytes, page, page_bytes, page_bytes, 1};
    team.submit(job);
    wait_for(job);
    return to.line(0)[page_bytes - 1] == 0;
  });
  CHECK(well);
}

// SPDX-License-Identifier: MIT
// Copies between matrices and pinned memory: every byte of the lines and no other, by threads that are in nobody's way.
#include "offload/copy_team.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace ladder::shim;

namespace {

constexpr unsigned char canary = 0xa5;
constexpr std::size_t cache_line = 64;

/// Lines somewhere in memory of their own, with canaries around them.
struct Lines {
  std::size_t shift, width, pitch, count;
  std::vector<unsigned char> bytes;
  std::size_t first;

  Lines(std::size_t shift_, std::size_t width_, std::size_t slack, std::size_t count_)
      : shift(shift_),
        width(width_),
        pitch(width_ + slack),
        count(count_),
        bytes(pitch * count_ + 4 * cache_line, canary) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    first = cache_line + (-address) % cache_line + shift;
  }
  unsigned char* line(std::size_t index) { return bytes.data() + first + index * pitch; }
  void fill(unsigned seed) {
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t i = 0; i < width; ++i) line(l)[i] = static_cast<unsigned char>(seed + l * 31 + i * 7 + i / 256);
  }
};

HostCopy copy_of(Lines& to, Lines& from) {
  return {to.line(0), to.pitch, from.line(0), from.pitch, to.width, to.count};
}

/// Exactly the lines arrived, and nothing around them was touched.
bool arrived(Lines& to, Lines& from) {
  Lines expected(to.shift, to.width, to.pitch - to.width, to.count);
  for (std::size_t l = 0; l < to.count; ++l) std::copy_n(from.line(l), to.width, expected.line(l));
  return std::equal(to.bytes.begin() + static_cast<std::ptrdiff_t>(to.first - to.shift - cache_line),
                    to.bytes.end() - 3 * cache_line,
                    expected.bytes.begin() + static_cast<std::ptrdiff_t>(expected.first - expected.shift - cache_line));
}

void wait_for(const CopyJob& job) {
  while (!job.done.load(std::memory_order_acquire)) std::this_thread::yield();
}

/// Many copies at once, from and to memory of their own.
struct Jobs {
  std::deque<Lines> from, to;
  std::deque<CopyJob> jobs;

  explicit Jobs(int count, unsigned seed = 0) {
    for (int i = 0; i < count; ++i) {
      from.emplace_back(4, 1000 + 4 * static_cast<std::size_t>(i % 7), 12, 40).fill(seed + static_cast<unsigned>(i));
      to.emplace_back(0, from.back().width, 0, 40);
      jobs.emplace_back().copy = copy_of(to.back(), from.back());
    }
  }
  void submit(CopyTeam& team) {
    for (CopyJob& job : jobs) team.submit(job);
  }
  bool all_done() const {
    return std::all_of(jobs.begin(), jobs.end(),
                       [](const CopyJob& job) { return job.done.load(std::memory_order_acquire); });
  }
  bool all_arrived() {
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (!arrived(to[i], from[i])) return false;
    return true;
  }
};

/// Runs `body` in a forked child, which is killed where it hangs; true where it returned true.
template <class Body>
bool in_child(const Body& body) {
  constexpr unsigned patience = 20;  // seconds
  const pid_t child = fork();
  if (child == 0) {
    alarm(patience);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

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

TEST_CASE("lines arrive whole and alone, wherever they begin and however wide they are") {
  int wrong = 0;
  for (const std::size_t to_shift : {0, 1, 4, 8, 12, 16, 32, 60, 63}) {
    for (const std::size_t from_shift : {0, 3, 4, 16, 36}) {
      for (const std::size_t width : {0, 1, 4, 63, 64, 65, 255, 256, 257, 319, 320, 383, 1028}) {
        for (const std::size_t slack : {0, 4, 64}) {
          Lines from(from_shift, width, 12, 3), to(to_shift, width, slack, 3);
          from.fill(1);
          copy_past_caches(copy_of(to, from));
          wrong += !arrived(to, from);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("lines without gaps are one") {
  for (const std::size_t width : {4, 100, 4096}) {
    Lines from(4, width, 0, 50), to(12, width, 0, 50);
    from.fill(9);
    copy_past_caches(copy_of(to, from));
    CHECK(arrived(to, from));
  }
}

TEST_CASE("no lines are no copy") { copy_past_caches({nullptr, 4, nullptr, 4, 4, 0}); }

TEST_CASE("many threads submit, and each sees its own copies") {
  constexpr int submitters = 4, rounds = 10, jobs_at_once = 20;
  CopyTeam team(2);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned s = 0; s < submitters; ++s) {
    threads.emplace_back([&, s] {
      Jobs mine(jobs_at_once, s * 50);
      for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < mine.jobs.size(); ++i) {
          mine.jobs[i].done.store(false, std::memory_order_relaxed);
          mine.from[i].fill(static_cast<unsigned>(round) + s);
        }
        mine.submit(team);
        for (const CopyJob& job : mine.jobs) wait_for(job);
        wrong += !mine.all_arrived();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("one thread copies in the order of submission, and not the submitter's") {
  CopyTeam team(1);
  Jobs first(30);
  first.submit(team);
  wait_for(first.jobs.back());
  CHECK(first.all_done());
  CHECK(first.all_arrived());
}

TEST_CASE("a team that goes has made what it was given") {
  Jobs jobs(50);
  {
    CopyTeam team(3);
    jobs.submit(team);
  }
  CHECK(jobs.all_done());
  CHECK(jobs.all_arrived());
}

TEST_CASE("a team that was never asked starts no thread to wait for") { const CopyTeam team(4); }

TEST_CASE("where no thread can be had, submit() makes the copy") {
  const bool well = in_child([] {
    // No address space has room for such a stack.
    constexpr std::size_t endless = std::size_t{1} << 48;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, endless) != 0) return false;
    if (pthread_setattr_default_np(&attributes) != 0) return false;
    CopyTeam team(2);
    Jobs jobs(3);
    const std::ptrdiff_t threads = threads_of_this_process();
    jobs.submit(team);
    return jobs.all_done() && jobs.all_arrived() && threads_of_this_process() == threads;
  });
  CHECK(well);
}

TEST_CASE("a child copies by itself, and goes without its parent's threads, asleep or at work") {
  for (const bool at_work : {false, true}) {
    CAPTURE(at_work);
    auto team = std::make_unique<CopyTeam>(2);
    Jobs before(at_work ? 200 : 2);
    before.submit(*team);
    for (const CopyJob& job : before.jobs)
      if (!at_work) wait_for(job);
    const bool well = in_child([&] {
      team->abandon_in_child();
      Jobs jobs(3, 77);
      jobs.submit(*team);
      const bool copied = jobs.all_done() && jobs.all_arrived();
      team.reset();
      return copied;
    });
    CHECK(well);
    // The parent's go on.
    Jobs after(3, 55);
    after.submit(*team);
    for (const CopyJob& job : after.jobs) wait_for(job);
    CHECK(after.all_arrived());
    team.reset();
    CHECK(before.all_arrived());
  }
}

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

// SPDX-License-Identifier: MIT
// Copies between matrices and pinned memory: every byte of the lines and no other, by threads that are in nobody's way.
#include "offload/copy_team.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "copied_lines.hpp"

using namespace ladder::shim;
using namespace ladder::test;

namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
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

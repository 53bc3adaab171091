// SPDX-License-Identifier: MIT
#include "offload/copy_team.hpp"

#include <cerrno>
#include <chrono>
#include <exception>

#include "offload/cores.hpp"
#include "offload/own_threads.hpp"

namespace ladder::shim {

namespace {

using Clock = std::chrono::steady_clock;

void make(CopyJob& job) {
  copy_past_caches(job.copy);
  job.done.store(true, std::memory_order_release);
}

}  // namespace

CopyTeam::CopyTeam(int threads, const CoreSet* cores) : wanted_(threads), cores_(cores) { sem_init(&waiting_, 0, 0); }

CopyTeam::~CopyTeam() {
  if (abandoned_.load(std::memory_order_relaxed)) {
    for (std::thread& thread : threads_) thread.detach();
    return;
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) sem_post(&waiting_);
  for (std::thread& thread : threads_) thread.join();
  sem_destroy(&waiting_);
}

void CopyTeam::submit(CopyJob& job) {
  if (abandoned_.load(std::memory_order_relaxed) || !enqueue(job)) make(job);
}

/// As many threads as can be had.
void CopyTeam::start() {
  const SignalsOfTheProgramBlocked blocked;
  try {
    threads_.reserve(static_cast<std::size_t>(wanted_));
    for (int i = 0; i < wanted_; ++i) {
      threads_.emplace_back([this] { serve(); });
      threads_started_.fetch_add(1, std::memory_order_relaxed);
    }
  } catch (const std::exception&) {
    // The system has no more: those that there are will do.
  }
}

/// False where there are no threads.
bool CopyTeam::enqueue(CopyJob& job) {
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) start();
  if (threads_.empty()) return false;
  job.next = nullptr;
  (oldest_ == nullptr ? oldest_ : newest_->next) = &job;
  newest_ = &job;
  sem_post(&waiting_);
  return true;
}

CopyJob* CopyTeam::take() {
  const std::lock_guard lock(mutex_);
  CopyJob* job = oldest_;
  if (job != nullptr) oldest_ = job->next;
  return job;
}

bool CopyTeam::help(SpareHand& hand) {
  constexpr std::chrono::microseconds long_enough(100);
  int waiting = 0;
  sem_getvalue(&waiting_, &waiting);
  const int idle = threads_started_.load(std::memory_order_relaxed) - at_work_.load(std::memory_order_relaxed);
  if (waiting <= 0 || idle <= 0 || abandoned_.load(std::memory_order_relaxed)) {
    hand.wanted_since.reset();
    return false;
  }
  const Clock::time_point now = Clock::now();
  if (!hand.wanted_since) hand.wanted_since = now;
  if (now - *hand.wanted_since < long_enough || sem_trywait(&waiting_) != 0) return false;
  make(*take());
  return true;
}

/// Awake for a moment, since a call's jobs come one after the other, and to wake a thread takes as long as many a job,
/// or far longer where others hold its core; then asleep.
void CopyTeam::await_job() {
  constexpr std::chrono::microseconds moment(200);
  for (const Clock::time_point end = Clock::now() + moment; Clock::now() < end; std::this_thread::yield()) {
    if (sem_trywait(&waiting_) == 0) return;
  }
  while (sem_wait(&waiting_) != 0 && errno == EINTR) continue;
}

void CopyTeam::serve() {
  take_cores(cores_);
  for (;;) {
    await_job();
    CopyJob* job = take();
    if (job == nullptr) return;  // woken for no job: the team closes
    at_work_.fetch_add(1, std::memory_order_relaxed);
    make(*job);
    at_work_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace ladder::shim

// SPDX-License-Identifier: MIT
#include "offload/copy_team.hpp"

#include <cerrno>
#include <exception>

#include "offload/cores.hpp"
#include "offload/own_threads.hpp"

namespace ladder::shim {

namespace {

void make(CopyJob& job) {
  copy_past_caches(job.copy);
  job.done.store(true, std::memory_order_release);
}

}  // namespace

CopyTeam::CopyTeam(int threads) : wanted_(threads) { sem_init(&waiting_, 0, 0); }

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
    for (int i = 0; i < wanted_; ++i) threads_.emplace_back([this] { serve(); });
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

void CopyTeam::serve() {
  take_cores_of_process();
  for (;;) {
    while (sem_wait(&waiting_) != 0 && errno == EINTR) continue;
    CopyJob* job = take();
    if (job == nullptr) return;  // woken for no job: the team closes
    make(*job);
  }
}

}  // namespace ladder::shim

// SPDX-License-Identifier: MIT
#include "fake_stream.hpp"

#include <cerrno>

namespace ladder::test {

namespace {

constexpr std::chrono::microseconds between_looks{20};

}  // namespace

void wait_for(const StreamTask& task) {
  while (!task.ended.load(std::memory_order_acquire)) std::this_thread::sleep_for(between_looks);
}

FakeStream::FakeStream(FakeClock& clock, int number, int context) : clock_(clock), number_(number), context_(context) {
  origin_.ended.store(true, std::memory_order_relaxed);
  sem_init(&enqueued_, 0, 0);
  thread_ = std::thread([this] { serve(); });
}

FakeStream::~FakeStream() {
  sem_post(&enqueued_);
  thread_.join();
  sem_destroy(&enqueued_);
}

StreamTask& FakeStream::make_task() { return tasks_.emplace_back(); }

void FakeStream::enqueue(StreamTask& task) {
  last_->next.store(&task, std::memory_order_release);
  last_ = &task;
  sem_post(&enqueued_);
}

bool FakeStream::busy_with(const Touched* memory) {
  while (oldest_under_way_ < tasks_.size() && tasks_[oldest_under_way_].ended.load(std::memory_order_relaxed))
    ++oldest_under_way_;
  if (memory == nullptr) return oldest_under_way_ < tasks_.size();
  for (std::size_t i = oldest_under_way_; i < tasks_.size(); ++i) {
    for (const Touched& touched : tasks_[i].touches) {
      if (touched.meets(*memory)) return true;
    }
  }
  return false;
}

void FakeStream::serve() {
  StreamTask* done = &origin_;
  for (;;) {
    while (sem_wait(&enqueued_) != 0 && errno == EINTR) continue;
    StreamTask* task = done->next.load(std::memory_order_acquire);
    if (task == nullptr) return;  // woken for no task: the stream is destroyed
    carry_out(*task);
    done = task;
  }
}

void FakeStream::carry_out(StreamTask& task) {
  task.entry.began = clock_.tick();
  if (task.loses_device) clock_.lost.store(true, std::memory_order_relaxed);
  if (task.after != nullptr) wait_for(*task.after);
  while (clock_.held.load(std::memory_order_acquire)) std::this_thread::sleep_for(between_looks);
  if (task.delay.count() > 0) std::this_thread::sleep_for(task.delay);
  const bool is_done = task.loses_device || !clock_.lost.load(std::memory_order_relaxed);
  if (is_done && task.action) task.action();
  task.entry.ended = clock_.tick();
  task.ended.store(true, std::memory_order_release);
}

}  // namespace ladder::test

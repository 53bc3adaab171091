// SPDX-License-Identifier: MIT
// Events of a GPU that gets on with its work when a test says so.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "gpu_events.hpp"

class FakeGpuEvents final : public ladder::shim::GpuEvents {
 public:
  static constexpr double ns_between_records = 1000.0;  // so that a lap takes this long where nothing comes between

  static inline const ladder::Stream no_stream = reinterpret_cast<ladder::Stream>(~std::uintptr_t{0});

  std::set<ladder::Stream> captured;    ///< streams of which a graph is being made
  bool knows_streams = true;            ///< otherwise what is asked about a stream fails
  int current_context = 0;              ///< negative: there is none
  bool gives_events = true;             ///< otherwise make() fails
  ladder::Stream fails_on = no_stream;  ///< the stream on which nothing can be recorded

  /// What was recorded so far is passed: on one stream, or on all.
  void pass(ladder::Stream stream = no_stream) {
    const std::lock_guard lock(mutex_);
    for (const auto& event : events_) {
      if (event->state == State::recorded && (stream == no_stream || event->stream == stream))
        event->state = State::passed;
    }
  }
  /// The GPU's context ends, and with it every event.
  void lose() {
    const std::lock_guard lock(mutex_);
    for (const auto& event : events_) event->state = State::lost;
  }

  int made() const { return static_cast<int>(events_.size()); }
  int dropped() const { return dropped_; }
  int records() const { return records_; }
  /// Events that were recorded in another context than their own, on a captured stream, or after they were dropped.
  int misused() const { return misused_; }
  int questions() const { return questions_; }

  ladder::shim::StreamState stream_state(ladder::Stream stream) override {
    if (!knows_streams) return ladder::shim::StreamState::unknown;
    return captured.count(stream) != 0 ? ladder::shim::StreamState::captured : ladder::shim::StreamState::runs;
  }
  int context() override { return current_context; }
  ladder::shim::GpuEvent make() override {
    const std::lock_guard lock(mutex_);
    if (!gives_events) return nullptr;
    events_.push_back(std::make_unique<Event>(Event{current_context, State::fresh, nullptr, 0}));
    return events_.back().get();
  }
  void drop(ladder::shim::GpuEvent event) override {
    const std::lock_guard lock(mutex_);
    ++dropped_;
    of(event).state = State::dropped;
  }
  bool record(ladder::shim::GpuEvent event, ladder::Stream stream) override {
    const std::lock_guard lock(mutex_);
    ++records_;
    if (of(event).context != current_context || captured.count(stream) != 0 || of(event).state == State::dropped)
      ++misused_;
    if (stream == fails_on) return false;
    of(event).state = State::recorded;
    of(event).stream = stream;
    of(event).when = ++clock_;
    return true;
  }
  ladder::shim::EventState state(ladder::shim::GpuEvent event) override {
    const std::lock_guard lock(mutex_);
    ++questions_;
    if (of(event).state == State::passed) return ladder::shim::EventState::done;
    return of(event).state == State::recorded ? ladder::shim::EventState::pending : ladder::shim::EventState::lost;
  }
  bool elapsed(ladder::shim::GpuEvent start, ladder::shim::GpuEvent stop, double& nanoseconds) override {
    const std::lock_guard lock(mutex_);
    nanoseconds = (of(stop).when - of(start).when) * ns_between_records;
    return of(start).state == State::passed && of(stop).state == State::passed;
  }

 private:
  enum class State { fresh, recorded, passed, lost, dropped };
  struct Event {
    int context;
    State state;
    ladder::Stream stream;
    int when;
  };
  static Event& of(ladder::shim::GpuEvent event) { return *static_cast<Event*>(event); }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Event>> events_;
  int clock_ = 0;
  int dropped_ = 0;
  int records_ = 0;
  int misused_ = 0;
  int questions_ = 0;
};

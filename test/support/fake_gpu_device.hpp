// SPDX-License-Identifier: MIT
// A GPU for tests of what streams through one: every stream is a thread that does what was enqueued later, slowly if
// wished, and in order; "device memory" is other memory than the host's. ThreadSanitizer sees of it what holds on a
// GPU: the host is behind a stream's work only once it has seen an event pass or has synchronized.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fake_memory.hpp"
#include "fake_stream.hpp"
#include "gpu_device.hpp"
#include "hidden_lock.hpp"
#include "offload/core_set.hpp"

namespace ladder::test {

/// A call that goes wrong: number `at` of those that return a status, from 0. A has_passed() counts when it says yes,
/// so that numbers do not depend on how often somebody looks.
struct Fault {
  enum class Course : std::uint8_t {
    once,     ///< that call fails, and all others go well
    forever,  ///< that call and all that follow; what was enqueued before is done
    late,     ///< that call goes well, but what it enqueued does not, and once it has begun all calls fail; a call that
              ///< enqueues nothing fails at once
  };
  int at = -1;
  Course course = Course::once;
  LaunchStatus status = 719;  // cudaErrorLaunchFailure
};

/// A copy that fails has moved the first half of its bytes. A product that fails late has computed the first half of
/// C's columns, and one that fails at its call nothing. A synchronize() that fails has waited all the same.
///
/// Null is the current context's default stream; those that are made do not wait for it.
///
/// Set the public members while no stream is at work. Misuse (memory that was released, or that is too small, or of
/// another context; release or destruction of what is in use) is noted, not done, and fails the test that did not
/// fetch the notes.
class FakeGpuDevice final : public shim::GpuDevice {
 public:
  explicit FakeGpuDevice(std::size_t memory_bytes);
  ~FakeGpuDevice() override;

  Fault fault;
  std::function<std::chrono::microseconds(Work)> delay;  ///< before each piece of work is done; none where empty
  std::size_t most_pinned_bytes = SIZE_MAX;
  bool is_there = true;
  /// The current context, and ordinal, of every thread that has not called use(). Each has all of the memory.
  std::atomic<int> context{0};
  int device_count = 1;
  std::vector<shim::PciAddress> pci_addresses;  ///< by ordinal; of the others nobody knows
  /// Device memory that somebody else holds: seen by free_memory(), and not seen, because it was taken since.
  std::atomic<std::size_t> held_by_others{0};
  std::atomic<std::size_t> held_unseen{0};

  /// What kind_of() says of addresses that are not this device's own memory; pageable where nothing was said. Products
  /// and copies take those of kinds `device` and `managed` for device memory.
  void set_kind(const void* address, std::size_t bytes, shim::PointerKind kind);

  /// Whatever has begun, or begins, is done after go_on().
  void hold() { clock_.held.store(true, std::memory_order_release); }
  void go_on() { clock_.held.store(false, std::memory_order_release); }
  /// Beginnings and ends of work so far. Synchronizes nothing.
  std::int64_t ticks() const { return clock_.now.load(std::memory_order_relaxed); }

  int calls() const { return calls_.load(std::memory_order_relaxed); }
  /// What was ever given out of it, and what of that is held. Look while no other thread calls the device.
  const FakeMemory& device_memory() const { return device_; }
  const FakeMemory& pinned_memory() const { return pinned_; }
  /// On which cores the threads ran that asked for pinned memory, in vain too.
  const std::vector<shim::CoreSet>& cores_of_pinning() const { return cores_of_pinning_; }
  int streams() const { return static_cast<int>(streams_.size()); }
  /// Copies whose host side was pageable: a GPU's driver would take them through a buffer of its own.
  int pageable_copies() const { return pageable_copies_; }

  /// All that was done, by beginning. Waits until nothing is under way: look at it last, for it synchronizes.
  std::vector<WorkEntry> log();
  /// True where no stream has anything left to do. Synchronizes nothing.
  bool idle();
  /// What was done wrong since the last time, one sentence each.
  std::vector<std::string> misuses();

  bool works() override { return is_there; }
  LaunchStatus current(int& ordinal) override;
  LaunchStatus count(int& devices) override;
  LaunchStatus pci_address(int ordinal, shim::PciAddress& address) override;
  LaunchStatus use(int ordinal) override;
  LaunchStatus current_context(int& number) override;
  LaunchStatus make_stream(Stream& stream) override;
  LaunchStatus allocate(void*& memory, std::size_t bytes) override;
  void release(void* memory) override;
  LaunchStatus free_memory(std::size_t& bytes) override;
  LaunchStatus allocate_pinned(void*& memory, std::size_t bytes) override;
  void release_pinned(void* memory) override;
  shim::PointerKind kind_of(const void* address) override;
  LaunchStatus copy(const shim::Copy2d& copy, Stream stream) override;
  LaunchStatus synchronize(Stream stream) override;
  LaunchStatus make_event(shim::Event& event) override;
  LaunchStatus record(shim::Event event, Stream stream) override;
  LaunchStatus wait(Stream stream, shim::Event event) override;
  LaunchStatus has_passed(shim::Event event, bool& passed) override;
  /// A plain loop: an element's sum in the order of k, by FMAs. Any rung; a plain product alone.
  LaunchStatus run(const Rung& rung, const GemmProblem& problem, Stream stream) override;

 private:
  struct KindOfRange {
    Touched range;
    shim::PointerKind kind;
  };
  struct FakeEvent;
  enum class Outcome : std::uint8_t { well, fails, fails_late, was_lost };
  struct Call {
    int number;
    Outcome outcome;
    LaunchStatus status;
  };

  int context_here() const;
  Call enter(bool enqueues);
  LaunchStatus status_now() const;
  FakeStream* stream_of(Stream stream);
  FakeStream* default_stream();
  FakeEvent* event_of(shim::Event event);
  StreamTask& make_task(FakeStream& stream, const Call& call, Work work);
  void take_back(FakeMemory& from, void* memory);
  void look_at_device_side(const Touched& range, const char* what);
  void look_at_host_side(const Touched& range, const char* what);
  std::vector<Touched> look_at_problem(const GemmProblem& problem);
  Work work_of(const shim::Copy2d& copy) const;
  shim::PointerKind kind_at(const void* address) const;
  bool is_seen_by_device(const void* address) const;
  void note(std::string misuse);

  const std::size_t memory_bytes_;
  std::atomic<int> calls_{0};
  FakeClock clock_;
  std::atomic<bool> all_fail_{false};

  // Of the host's threads alone, and hidden: neither they nor streams are ordered by what they ask of a GPU.
  std::mutex mutex_;
  FakeMemory device_, pinned_;
  std::vector<shim::CoreSet> cores_of_pinning_;
  std::vector<KindOfRange> kinds_;
  std::vector<std::unique_ptr<FakeEvent>> events_;
  std::vector<std::unique_ptr<FakeStream>> streams_;
  std::map<int, FakeStream*> default_streams_;  // of the contexts that have used theirs
  std::vector<std::string> misuses_;
  int pageable_copies_ = 0;
};

}  // namespace ladder::test

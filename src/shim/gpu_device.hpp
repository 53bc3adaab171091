// SPDX-License-Identifier: MIT
// What the shim needs of a GPU: an interface, so that tests can put a failing one in its place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rung.hpp"

namespace ladder::shim {

enum class Direction : std::uint8_t { to_device, to_host, by_address };

/// What an address of the caller's is, and so how its bytes reach the GPU.
enum class PointerKind : std::uint8_t {
  pageable,  ///< the GPU's copies would go through a buffer of the driver's, slowly
  pinned,    ///< page-locked or registered host memory: the GPU copies it by itself
  managed,   ///< both sides read it; it moves by itself
  device,    ///< of a GPU, from whatever allocator: the CPU cannot read it
};

/// Of a device on the PCI bus.
struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
};

/// A point in a stream that others can wait for.
using Event = void*;

/// Two-dimensional copy between host and device memory: `rows` lines of `width` bytes, a pitch apart. `by_address`:
/// the addresses say where they lie.
struct Copy2d {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t rows;
  Direction direction;
};

inline constexpr int most_contexts = 64;

/// Work goes to the calling thread's current context; which one that is is never changed. Statuses are
/// those of the CUDA runtime, and no error is left behind for the program's own cudaGetLastError().
class GpuDevice {
 public:
  virtual ~GpuDevice() = default;

  /// True where a GPU can be used at all. Asked once; the answer is kept.
  virtual bool works() = 0;
  /// True once this library has worked with a GPU in this process.
  bool in_use() const { return in_use_.load(std::memory_order_relaxed); }
  void note_use() {
    if (!in_use()) in_use_.store(true, std::memory_order_relaxed);
  }
  virtual LaunchStatus current(int& ordinal) = 0;
  virtual LaunchStatus count(int& devices) = 0;
  /// Where the device is plugged in. Makes no context.
  virtual LaunchStatus pci_address(int ordinal, PciAddress& address) = 0;
  /// Makes the device's primary context the calling thread's: for threads of our own.
  virtual LaunchStatus use(int ordinal) = 0;
  /// The current context, to which streams and memory belong, by a number below most_contexts that no other one gets.
  virtual LaunchStatus current_context(int& number) = 0;
  /// A stream that does not wait for the legacy default stream.
  virtual LaunchStatus make_stream(Stream& stream) = 0;
  virtual LaunchStatus allocate(void*& memory, std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// Of the current device, at this moment: others may take it before we do.
  virtual LaunchStatus free_memory(std::size_t& bytes) = 0;
  /// Host memory that copies of every context read and write at the speed of the bus.
  virtual LaunchStatus allocate_pinned(void*& memory, std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) = 0;
  virtual PointerKind kind_of(const void* address) = 0;
  /// Enqueues; the host memory must stay as it is until synchronize().
  virtual LaunchStatus copy(const Copy2d& copy, Stream stream) = 0;
  virtual LaunchStatus synchronize(Stream stream) = 0;
  virtual LaunchStatus make_event(Event& event) = 0;
  virtual LaunchStatus record(Event event, Stream stream) = 0;
  /// What is enqueued on the stream from now on begins after the event's last record() has passed.
  virtual LaunchStatus wait(Stream stream, Event event) = 0;
  /// Whether the last record() has passed; true where there was none.
  virtual LaunchStatus has_passed(Event event, bool& passed) = 0;
  /// Enqueues `problem` (device memory). Rung 0 is the real cuBLAS, with a handle of ours.
  virtual LaunchStatus run(const Rung& rung, const GemmProblem& problem, Stream stream) = 0;

 private:
  std::atomic<bool> in_use_{false};
};

/// The machine's GPU through the CUDA runtime; in a build without CUDA, one that never works.
GpuDevice& gpu_device();

// This room's own statuses, beside those of the CUDA runtime and of the emulator.
inline constexpr LaunchStatus no_gpu_kernel = -100;       ///< nothing here can run the rung on a GPU
inline constexpr LaunchStatus out_of_host_memory = -101;  ///< no room for the result on its way to C

/// launch_status_text(), and the two above.
const char* status_text(LaunchStatus status);

}  // namespace ladder::shim

// SPDX-License-Identifier: MIT
// The memory for planes of streams and captured graphs, on a CUDA runtime that is a fake.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "plane_memory.hpp"
#include "support/fake_cuda.hpp"

namespace ladder::test {

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// What a launch was given; its turn is over.
struct Given {
  unsigned char* bytes;
  RangeFacts* facts;
};

Given given(cudaStream_t stream, std::size_t bytes) {
  const PlaneMemory memory = gpu::plane_memory_of(stream, bytes);
  return {memory.bytes, memory.facts};
}

Given captured(FakeCuda& fake, UserObjects& graph, std::size_t bytes, cudaStream_t stream = stream_number(0)) {
  fake.begin_capture(stream, graph);
  const Given memory = given(stream, bytes);
  fake.end_capture(stream);
  return memory;
}

bool facts_are_zero(const Given& memory) {
  const RangeFacts& facts = *memory.facts;
  return facts.largest_a == 0 && facts.largest_b == 0 && facts.beyond_fp16 == 0 && facts.finished == 0;
}

bool is_aligned(const Given& memory) { return reinterpret_cast<std::uintptr_t>(memory.bytes) % plane_alignment == 0; }

/// What cudaMallocAsync() had answered.
void* allocation_of(const Given& memory) { return *std::prev(fake_cuda().memory.upper_bound(memory.bytes)); }

/// A device of so many bytes, until the test ends.
class DeviceOf {
 public:
  explicit DeviceOf(std::size_t bytes) : before_(fake_cuda().total_memory) { fake_cuda().total_memory = bytes; }
  ~DeviceOf() { fake_cuda().total_memory = before_; }
  DeviceOf(const DeviceOf&) = delete;
  DeviceOf& operator=(const DeviceOf&) = delete;

 private:
  std::size_t before_;
};

}  // namespace

TEST_CASE("a stream keeps its memory for planes, and asking for no more allocates nothing") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const Given first = given(stream_number(0), 40 * mib);
  REQUIRE(first.bytes != nullptr);
  CHECK(is_aligned(first));
  CHECK(facts_are_zero(first));
  first.bytes[40 * mib - 1] = 1;
  CHECK(facts_are_zero(first));
  const auto allocated = fake.memory;
  CHECK(given(stream_number(0), 1).bytes == first.bytes);
  CHECK(given(stream_number(0), 40 * mib).bytes == first.bytes);
  CHECK(fake.memory == allocated);
  CHECK(given(stream_number(1), 1).bytes != first.bytes);
}

TEST_CASE("a larger piece takes the place of the old one in the order of the stream, half as large again at least") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const std::size_t before = fake.memory.size();
  const Given first = given(stream_number(0), 40 * mib);
  first.facts->largest_a = 7;  // of a launch that has not ended
  const Given second = given(stream_number(0), 41 * mib);
  REQUIRE(second.bytes != nullptr);
  CHECK(is_aligned(second));
  CHECK(facts_are_zero(second));
  CHECK(fake.memory.size() == before + 1);
  const auto allocated = fake.memory;
  CHECK(given(stream_number(0), 60 * mib).bytes == second.bytes);
  CHECK(fake.memory == allocated);
  CHECK(fake.of_stream.at(allocation_of(second)) == stream_number(0));
}

TEST_CASE("the legacy default stream has one piece, by either of its names") {
  fake_cuda_in_another_context();
  const Given memory = given(nullptr, mib);
  CHECK(memory.bytes != nullptr);
  CHECK(given(cudaStreamLegacy, mib).bytes == memory.bytes);
}

TEST_CASE("threads that launch on one stream take turns") {
  fake_cuda_in_another_context();
  std::atomic<bool> may_end{false};
  std::atomic<bool> has_ended{false};
  PlaneMemory mine = gpu::plane_memory_of(stream_number(0), mib);
  REQUIRE(mine.turn.owns_lock());
  std::thread other([&] {
    const PlaneMemory theirs = gpu::plane_memory_of(stream_number(0), mib);
    CHECK(may_end);
    CHECK(theirs.bytes == mine.bytes);
    has_ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(has_ended);
  may_end = true;
  mine.turn.unlock();
  other.join();
  CHECK(has_ended);
}

TEST_CASE("all streams of a context together have a sixteenth of the memory, and those of another one as much again") {
  fake_cuda_in_another_context();
  const DeviceOf device(16 * 100 * mib);
  CHECK(given(stream_number(0), 60 * mib).bytes != nullptr);
  CHECK(given(stream_number(1), 60 * mib).bytes == nullptr);
  CHECK(given(stream_number(1), 30 * mib).bytes != nullptr);
  CHECK(given(stream_number(0), 69 * mib).bytes == nullptr);
  CHECK(given(stream_number(0), 67 * mib).bytes != nullptr);  // where there is no room for half as much again
  CHECK(given(stream_number(0), 60 * mib).bytes != nullptr);
  fake_cuda_in_another_context();
  CHECK(given(stream_number(1), 90 * mib).bytes != nullptr);
  CHECK(given(stream_number(1), 101 * mib).bytes == nullptr);
  CHECK(given(stream_number(1), ~std::size_t{0}).bytes == nullptr);
}

TEST_CASE("streams beyond 32 of a context have no memory for planes, graphs have") {
  FakeCuda& fake = fake_cuda_in_another_context();
  constexpr std::uintptr_t most = 32;
  for (std::uintptr_t i = 0; i < most; ++i) CHECK(given(stream_number(i), mib).bytes != nullptr);
  CHECK(given(stream_number(most), mib).bytes == nullptr);
  UserObjects graph;
  CHECK(captured(fake, graph, mib, stream_number(most)).bytes != nullptr);
  FakeCuda::destroy(graph);
}

TEST_CASE("a stream that the device had no memory for asks for less, and not for as much again") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const std::size_t largest = std::exchange(fake.largest_allocation, 100 * mib);
  const std::size_t before = fake.memory.size();
  CHECK(given(stream_number(0), 40 * mib).bytes != nullptr);
  CHECK(given(stream_number(0), 90 * mib).bytes != nullptr);
  CHECK(given(stream_number(0), 99 * mib).bytes != nullptr);  // where there is no memory for half as much again
  CHECK(given(stream_number(0), 120 * mib).bytes == nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(given(stream_number(0), 60 * mib).bytes != nullptr);
  CHECK(fake.memory.size() == before + 1);
  fake.largest_allocation = largest;
  CHECK(given(stream_number(0), 120 * mib).bytes == nullptr);
  CHECK(given(stream_number(0), 110 * mib).bytes != nullptr);
  CHECK(given(stream_number(1), 120 * mib).bytes != nullptr);
}

TEST_CASE("a device without memory pools has no memory for planes, and is not asked again") {
  FakeCuda& fake = fake_cuda_in_another_context();
  fake.has_pools = false;
  CHECK(given(stream_number(0), mib).bytes == nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
  fake.has_pools = true;
  CHECK(given(stream_number(0), mib).bytes == nullptr);
}

TEST_CASE("a graph's memory for planes is its own, and the same for all launches of a branch") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const Given of_stream = given(stream_number(0), mib);
  UserObjects first, second;
  fake.begin_capture(stream_number(0), first);
  fake.join_capture(stream_number(1), stream_number(0));
  const Given trunk = given(stream_number(0), 20 * mib);
  const Given branch = given(stream_number(1), mib);
  CHECK(given(stream_number(0), 20 * mib).bytes == trunk.bytes);
  CHECK(given(stream_number(0), mib).bytes == trunk.bytes);
  const Given larger = given(stream_number(0), 33 * mib);
  fake.captures.clear();
  const Given other = captured(fake, second, mib);
  std::set<const unsigned char*> different;
  for (const Given& memory : {of_stream, trunk, branch, larger, other}) {
    REQUIRE(memory.bytes != nullptr);
    CHECK(is_aligned(memory));
    CHECK(facts_are_zero(memory));
    different.insert(memory.bytes);
  }
  CHECK(different.size() == 5);
  CHECK(first.size() == 3);
  FakeCuda::destroy(first);
  const auto allocated = fake.memory;
  UserObjects next;
  CHECK(different.count(captured(fake, next, 33 * mib).bytes) == 1);
  CHECK(fake.memory == allocated);
  FakeCuda::destroy(second);
  FakeCuda::destroy(next);
}

TEST_CASE("all graphs of a context together have a sixteenth of the memory too") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const DeviceOf device(16 * 100 * mib);
  UserObjects graphs[3];
  CHECK(captured(fake, graphs[0], 40 * mib).bytes != nullptr);  // 64 MiB
  CHECK(captured(fake, graphs[1], 34 * mib).bytes != nullptr);  // no room for 64 MiB
  CHECK(captured(fake, graphs[2], 3 * mib).bytes == nullptr);
  CHECK(captured(fake, graphs[2], 101 * mib).bytes == nullptr);
  CHECK(graphs[2].empty());
  FakeCuda::destroy(graphs[0]);
  CHECK(captured(fake, graphs[2], mib).bytes != nullptr);
  for (UserObjects& graph : graphs) FakeCuda::destroy(graph);
}

TEST_CASE("another stream may be captured meanwhile") {
  FakeCuda& fake = fake_cuda_in_another_context();
  UserObjects graph;
  fake.begin_capture(stream_number(7), graph);
  CHECK(given(stream_number(0), mib).bytes != nullptr);
  CHECK(given(stream_number(0), 100 * mib).bytes != nullptr);
  CHECK(fake.mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  fake.captures.clear();
  CHECK(graph.empty());
}

TEST_CASE("where a graph cannot keep memory for planes it gets none, and no error is left behind") {
  FakeCuda& fake = fake_cuda_in_another_context();
  UserObjects graph;
  fake.has_memory = false;
  CHECK(captured(fake, graph, mib).bytes == nullptr);
  fake.has_memory = true;
  fake.graphs_keep_objects = false;
  CHECK(captured(fake, graph, mib).bytes == nullptr);
  fake.graphs_keep_objects = true;
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(graph.empty());
}

TEST_CASE("a stream whose capture is broken has no memory for planes") {
  FakeCuda& fake = fake_cuda_in_another_context();
  UserObjects graph;
  fake.begin_capture(stream_number(0), graph);
  fake.captures[stream_number(0)].status = cudaStreamCaptureStatusInvalidated;
  CHECK(given(stream_number(0), mib).bytes == nullptr);
  fake.captures.clear();
}

}  // namespace ladder::test

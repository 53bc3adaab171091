// SPDX-License-Identifier: MIT
// The scratch memory of streams and captured graphs, on a CUDA runtime that is a fake.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "scratch.hpp"
#include "support/fake_cuda.hpp"

namespace ladder::test {

namespace {

constexpr std::int64_t few_floats = 1000;

bool tickets_are_zero(const Scratch& scratch) {
  return std::all_of(scratch.tickets, scratch.tickets + scratch_tickets,
                     [](std::uint32_t ticket) { return ticket == 0; });
}

Scratch captured(FakeCuda& fake, UserObjects& graph, std::int64_t floats, cudaStream_t stream = stream_number(0)) {
  fake.begin_capture(stream, graph);
  const Scratch scratch = gpu::scratch_of(stream, floats);
  fake.end_capture(stream);
  return scratch;
}

}  // namespace

TEST_CASE("a stream keeps its scratch memory, and asking again allocates nothing") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const Scratch first = gpu::scratch_of(stream_number(0), few_floats);
  REQUIRE(first.parts != nullptr);
  CHECK(tickets_are_zero(first));
  first.parts[scratch_floats - 1] = 1.0f;
  const std::size_t allocated = fake.memory.size();
  CHECK(gpu::scratch_of(stream_number(0), scratch_floats).parts == first.parts);
  CHECK(fake.memory.size() == allocated);
  CHECK(gpu::scratch_of(stream_number(1), few_floats).parts != first.parts);
  CHECK(gpu::scratch_of(stream_number(0), scratch_floats + 1).parts == nullptr);
}

TEST_CASE("the legacy default stream, which is never captured, is not asked for its capture") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const int before = fake.queries;
  const Scratch scratch = gpu::scratch_of(nullptr, few_floats);
  CHECK(scratch.parts != nullptr);
  CHECK(gpu::scratch_of(cudaStreamLegacy, few_floats).parts == scratch.parts);
  CHECK(fake.queries == before);
}

TEST_CASE("streams beyond 32 of a context have no scratch memory, those of the next context have") {
  FakeCuda& fake = fake_cuda_in_another_context();
  constexpr std::uintptr_t most = 32;
  for (std::uintptr_t i = 0; i < most; ++i) CHECK(gpu::scratch_of(stream_number(i), few_floats).parts != nullptr);
  CHECK(gpu::scratch_of(stream_number(most), few_floats).parts == nullptr);
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts != nullptr);
  UserObjects graph;
  CHECK(captured(fake, graph, few_floats, stream_number(most)).parts != nullptr);
  FakeCuda::destroy(graph);
  fake_cuda_in_another_context();
  CHECK(gpu::scratch_of(stream_number(most), few_floats).parts != nullptr);
}

TEST_CASE("a stream of the same handle in another context has other scratch memory") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const unsigned long long first_context = fake.context;
  const Scratch first = gpu::scratch_of(stream_number(0), few_floats);
  fake_cuda_in_another_context();
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts != first.parts);
  fake.context = first_context;
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts == first.parts);
}

TEST_CASE("a thread without a context gets the primary one") {
  FakeCuda& fake = fake_cuda_in_another_context();
  fake.context = 0;
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts != nullptr);
  CHECK(fake.context == 1);
}

TEST_CASE("a graph's scratch memory is its own, in each branch, and the same for all launches of a branch") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const Scratch of_stream = gpu::scratch_of(stream_number(0), few_floats);
  UserObjects first, second;
  fake.begin_capture(stream_number(0), first);
  fake.join_capture(stream_number(1), stream_number(0));
  const Scratch trunk = gpu::scratch_of(stream_number(0), few_floats);
  const Scratch branch = gpu::scratch_of(stream_number(1), few_floats);
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts == trunk.parts);
  const Scratch larger = gpu::scratch_of(stream_number(0), scratch_floats);
  fake.captures.clear();
  const Scratch other = captured(fake, second, few_floats);

  std::set<const float*> different;
  for (const Scratch& scratch : {of_stream, trunk, branch, larger, other}) {
    REQUIRE(scratch.parts != nullptr);
    CHECK(tickets_are_zero(scratch));
    different.insert(scratch.parts);
  }
  CHECK(different.size() == 5);
  CHECK(first.size() == 3);
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts == of_stream.parts);
  FakeCuda::destroy(first);
  FakeCuda::destroy(second);
}

TEST_CASE("what a graph had is the next one's when the graph and its executables are gone") {
  FakeCuda& fake = fake_cuda_in_another_context();
  UserObjects graph, meanwhile, next;
  const Scratch scratch = captured(fake, graph, few_floats);
  UserObjects executable = FakeCuda::instantiate(graph);
  FakeCuda::destroy(graph);
  CHECK(captured(fake, meanwhile, few_floats).parts != scratch.parts);
  FakeCuda::destroy(executable);
  const std::size_t allocated = fake.memory.size();
  CHECK(captured(fake, next, few_floats).parts == scratch.parts);
  CHECK(fake.memory.size() == allocated);
  FakeCuda::destroy(meanwhile);
  FakeCuda::destroy(next);
}

TEST_CASE("all graphs together have a thirty-second of the memory") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const std::size_t total = fake.total_memory;
  fake.total_memory = std::size_t{32} << 21;  // 2 MiB for graphs
  UserObjects graphs[3];
  CHECK(captured(fake, graphs[0], few_floats).parts != nullptr);
  CHECK(captured(fake, graphs[1], few_floats).parts != nullptr);
  CHECK(captured(fake, graphs[2], few_floats).parts == nullptr);
  CHECK(graphs[2].empty());
  FakeCuda::destroy(graphs[0]);
  CHECK(captured(fake, graphs[2], few_floats).parts != nullptr);
  for (UserObjects& graph : graphs) FakeCuda::destroy(graph);
  fake.total_memory = total;
}

TEST_CASE("where something fails there is no scratch memory, no error is left behind, and nothing is lost") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const std::size_t allocated = fake.memory.size();
  UserObjects graph;

  fake.has_memory = false;
  CHECK(captured(fake, graph, few_floats).parts == nullptr);
  fake.has_memory = true;
  CHECK(cudaGetLastError() == cudaSuccess);

  fake.graphs_keep_objects = false;
  CHECK(captured(fake, graph, few_floats).parts == nullptr);
  fake.graphs_keep_objects = true;
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(graph.empty());

  CHECK(captured(fake, graph, few_floats).parts != nullptr);
  CHECK(fake.memory.size() == allocated + 1);
  FakeCuda::destroy(graph);
}

TEST_CASE("a stream that cannot be asked, or whose capture is broken, has no scratch memory") {
  FakeCuda& fake = fake_cuda_in_another_context();
  const std::size_t allocated = fake.memory.size();
  fake.query_error = cudaErrorStreamCaptureImplicit;
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts == nullptr);
  fake.query_error = cudaSuccess;
  CHECK(cudaGetLastError() == cudaSuccess);

  UserObjects graph;
  fake.begin_capture(stream_number(0), graph);
  fake.captures[stream_number(0)].status = cudaStreamCaptureStatusInvalidated;
  CHECK(gpu::scratch_of(stream_number(0), few_floats).parts == nullptr);
  CHECK(fake.memory.size() == allocated);
  fake.captures.clear();
}

TEST_CASE("the first call in a context may be captured, and leaves the thread's capture mode as it was") {
  FakeCuda& fake = fake_cuda_in_another_context();
  UserObjects graph;
  REQUIRE(fake.set_up.count(fake.context) == 0);
  CHECK(captured(fake, graph, few_floats).parts != nullptr);
  CHECK(fake.mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(cudaGetLastError() == cudaSuccess);
  FakeCuda::destroy(graph);
}

}  // namespace ladder::test

// SPDX-License-Identifier: MIT
// Which cores work for which GPU, on a machine of two NUMA nodes that a file describes: core 0 and the GPUs 0000:17:00
// and 0000:18:00 are of one, core 1 and the GPU 0001:97:00 of the other; nobody knows where 0000:c1:00 is.
#include "offload/placement.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "copied_lines.hpp"
#include "offload/cores.hpp"
#include "offload_run.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

constexpr PciAddress first{0x0000, 0x17, 0}, neighbour{0x0000, 0x18, 0}, across{0x0001, 0x97, 0}, unplaced{0, 0xc1, 0};
constexpr PciAddress unknown{0x0000, 0x99, 0};

/// A file for the length of a test, with the system's list of nodes.
class NodeList {
 public:
  explicit NodeList(const std::string& nodes)
      : path_(std::filesystem::temp_directory_path() / ("ladder_nodes_" + std::to_string(getpid()))) {
    std::ofstream(path_) << nodes << '\n';
  }
  ~NodeList() { std::filesystem::remove(path_); }
  PlacementSources sources(const std::string& hwloc = PlacementSources{}.hwloc) const {
    return {path_.string(), hwloc};
  }

 private:
  std::filesystem::path path_;
};

CoreSet cores(std::initializer_list<unsigned> numbers) {
  CoreSet set;
  for (const unsigned number : numbers) set.add(number);
  return set;
}

CoreSet cores_of_this_thread() {
  CoreSet set;
  REQUIRE(set.read_from_this_thread());
  return set;
}

bool hwloc_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libhwloc") != std::string::npos) return true;
  return false;
}

/// Whether the process may use both cores of the file. CI's machines have them; others see less of these tests.
bool has_both_cores() { return cores_of_process().has(0) && cores_of_process().has(1) && usable_cores() >= 2; }

struct Machine {
  explicit Machine(std::vector<PciAddress> gpus) : device(8 * mib) {
    device.device_count = static_cast<int>(gpus.size());
    device.pci_addresses = std::move(gpus);
  }
  FakeGpuDevice device;
};

/// What every thread but the calling one may run on.
std::vector<CoreSet> cores_of_other_threads() {
  std::vector<CoreSet> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t id = std::stoi(task.path().filename().string());
    cpu_set_t set;
    if (id == gettid() || sched_getaffinity(id, sizeof set, &set) != 0) continue;
    CoreSet& one = found.emplace_back();
    for (unsigned core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) one.add(core);
  }
  return found;
}

int threads_on(const CoreSet& cores) {
  const std::vector<CoreSet> all = cores_of_other_threads();
  return static_cast<int>(std::ranges::count(all, cores));
}

}  // namespace

// The first test of this file, and in a process of its own: once hwloc is loaded it stays.
TEST_CASE("on one node hwloc is not even loaded, nor the GPUs asked") {
  REQUIRE_FALSE(hwloc_is_loaded());
  for (const char* nodes : {"0", "3", ""}) {
    const NodeList list(nodes);
    Machine machine({first, across});
    CHECK(cores_near_gpus(machine.device, cores({0, 1}), list.sources()).empty());
    CHECK(machine.device.calls() == 0);
  }
  Machine machine({first});
  CHECK(cores_near_gpus(machine.device, cores({0, 1}), {"/no/such/file", PlacementSources{}.hwloc}).empty());
  CHECK_FALSE(hwloc_is_loaded());
}

TEST_CASE("each GPU has the cores of its node that the process may use") {
  for (const char* nodes : {"0-1", "0,8"}) {
    const NodeList list(nodes);
    Machine machine({first, across, neighbour, unplaced, unknown});
    const auto near = cores_near_gpus(machine.device, cores({0, 1, 5}), list.sources());
    REQUIRE(near.size() == 5);
    CHECK(near[0] == cores({0}));
    CHECK(near[1] == cores({1}));
    CHECK(near[2] == cores({0}));
    CHECK_FALSE(near[3]);  // on no node
    CHECK_FALSE(near[4]);  // not in the file
  }
  CHECK(hwloc_is_loaded());
}

TEST_CASE("a process that may use none of a GPU's cores, or no others, stays as it is") {
  const NodeList list("0-1");
  Machine machine({first, across});
  const auto near = cores_near_gpus(machine.device, cores({1, 7}), list.sources());
  REQUIRE(near.size() == 2);
  CHECK_FALSE(near[0]);
  CHECK(near[1] == cores({1}));
  CHECK_FALSE(cores_near_gpus(machine.device, cores({1}), list.sources())[1]);
}

TEST_CASE("where hwloc is missing, or is another library, or the GPUs say nothing, nobody knows") {
  const NodeList list("0-1");
  Machine machine({first, across});
  for (const char* library : {"libhwloc.so.none", "libm.so.6"}) {
    for (const auto& near : cores_near_gpus(machine.device, cores({0, 1}), list.sources(library))) CHECK_FALSE(near);
  }
  Machine silent({});
  silent.device.device_count = 2;
  const auto near = cores_near_gpus(silent.device, cores({0, 1}), list.sources());
  REQUIRE(near.size() == 2);
  CHECK_FALSE(near[0]);
  Machine failing({first});
  failing.device.fault = {0, Fault::Course::once};
  CHECK(cores_near_gpus(failing.device, cores({0, 1}), list.sources()).empty());
}

TEST_CASE("GPUs of a node share a team, whose threads are on its cores") {
  if (!has_both_cores()) return;
  const NodeList list("0-1");
  Machine machine({first, across, neighbour, unplaced});
  constexpr int threads = 3;
  const int on_first = threads_on(cores({0})), on_second = threads_on(cores({1}));
  Placement placement(machine.device, threads, list.sources());
  CHECK(&placement.of(0).team == &placement.of(2).team);
  CHECK(&placement.of(0).team != &placement.of(1).team);
  CHECK(&placement.of(3).team == &placement.of(4).team);
  CHECK(&placement.of(3).team == &placement.of(-1).team);
  CHECK(placement.of(3).cores == nullptr);
  REQUIRE(placement.of(1).cores != nullptr);
  CHECK(*placement.of(1).cores == cores({1}));

  Jobs here(40), there(40), anywhere(40);
  here.submit(placement.of(0).team);
  there.submit(placement.of(1).team);
  anywhere.submit(placement.of(3).team);
  const auto are_placed = [&] {
    const bool first_full = threads_on(cores({0})) == on_first + threads;
    const bool second_full = threads_on(cores({1})) == on_second + threads;
    return first_full && second_full;
  };
  constexpr int patience = 2000;  // ms: a thread binds itself when it begins to run
  for (int i = 0; i < patience && !are_placed(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(are_placed());
  for (Jobs* jobs : {&here, &there, &anywhere}) {
    for (const CopyJob& job : jobs->jobs) wait_for(job);
    CHECK(jobs->all_arrived());
  }
}

TEST_CASE("half of a team's cores copy, eight at most, or as many threads as were asked for") {
  CHECK(copy_threads(0, 1) == 1);
  CHECK(copy_threads(0, 12) == 6);
  CHECK(copy_threads(0, 96) == 8);
  CHECK(copy_threads(33, 2) == 33);
}

TEST_CASE("a child goes without its parent's teams") {
  if (!has_both_cores()) return;
  const NodeList list("0-1");
  Machine machine({first, across});
  auto placement = std::make_unique<Placement>(machine.device, 2, list.sources());
  Jobs before(4);
  before.submit(placement->of(1).team);
  for (const CopyJob& job : before.jobs) wait_for(job);
  CHECK(in_child([&] {
    placement->abandon_in_child();
    Jobs jobs(3, 77);
    jobs.submit(placement->of(1).team);
    const bool copied = jobs.all_done() && jobs.all_arrived();
    placement.reset();
    return copied;
  }));
}

TEST_CASE("pinned memory is asked for from the GPU's cores, and the caller has its own back, also after a failure") {
  if (!has_both_cores()) return;
  const NodeList list("0-1");
  std::thread([&] {
    for (const CoreSet& of_caller : {cores({0}), cores({0, 1}), cores({1})}) {
      REQUIRE(of_caller.give_to_this_thread());
      for (const std::size_t pinned : {std::size_t{0}, SIZE_MAX}) {
        Machine machine({first, across});
        machine.device.context = 1;
        machine.device.most_pinned_bytes = pinned;
        OffloadEngine engine(machine.device, copying_threads, roomy, {}, list.sources());
        HostProduct product({70, 60, 50, Op::none, Op::none, 2.0f, 3.0f});
        CHECK((run(engine, product).status == launch_ok) == (pinned != 0));
        CHECK(cores_of_this_thread() == of_caller);
        REQUIRE(machine.device.cores_of_pinning().size() == (pinned == 0 ? 1 : 2));
        for (const CoreSet& of_pinning : machine.device.cores_of_pinning()) CHECK(of_pinning == cores({1}));
        if (pinned != 0) CHECK(product.is_right());
      }
    }
  }).join();
}

TEST_CASE("each of several GPUs is driven, and has its pinned memory, on its own node") {
  if (!has_both_cores()) return;
  const NodeList list("0-1");
  Machine machine({first, across, neighbour});
  const CoreSet before = cores_of_this_thread();
  OffloadEngine engine(machine.device, copying_threads, roomy, {.kind = GpusSetting::Kind::all}, list.sources());
  HostProduct product({1100, 170, 20, Op::none, Op::transpose, 2.0f, 3.0f});
  CHECK(run(engine, product).status == launch_ok);
  CHECK(product.is_right());
  CHECK(cores_of_this_thread() == before);
  const std::vector<CoreSet> pinning = machine.device.cores_of_pinning();
  CHECK(std::ranges::count(pinning, cores({0})) == 4);  // two rings of two GPUs
  CHECK(std::ranges::count(pinning, cores({1})) == 2);
}

TEST_CASE("to ask hwloc about this machine moves the calling thread nowhere") {
  const NodeList list("0-1");
  std::thread([&] {
    CoreSet one;
    for (unsigned core = 0; one.count() == 0; ++core)
      if (cores_of_process().has(core)) one.add(core);
    REQUIRE(one.give_to_this_thread());
    Machine machine({first});
    CHECK(cores_near_gpus(machine.device, cores({0, 1}), list.sources()).size() == 1);
    CHECK(cores_of_this_thread() == one);
  }).join();
}

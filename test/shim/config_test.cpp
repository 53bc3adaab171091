// SPDX-License-Identifier: MIT
// The environment: every variable, every kind of bad value.
#include "config.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <thread>

#include "offload/cores.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

std::map<std::string, std::string> variables;

const char* look_up(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

struct Parsed {
  Config config;
  std::vector<std::string> complaints;
};

Parsed parse(std::map<std::string, std::string> environment) {
  variables = std::move(environment);
  Parsed parsed;
  parsed.config = parse_config(look_up, parsed.complaints);
  return parsed;
}

}  // namespace

TEST_CASE("an empty environment gives the defaults, silently") {
  for (const auto& environment :
       {std::map<std::string, std::string>{},
        {{"LADDER_RUNG", ""}, {"LADDER_DEVICE", ""}, {"LADDER_LOG", ""}, {"LADDER_BLAS", ""}}}) {
    const Parsed parsed = parse(environment);
    CHECK(parsed.complaints.empty());
    CHECK(parsed.config.rung.turns.empty());
    CHECK_FALSE(parsed.config.rung.automatic);
    CHECK(parsed.config.device == DeviceWish::automatic);
    CHECK(parsed.config.log == LogLevel::off);
    CHECK(parsed.config.log_time == LogTime::host);
    CHECK(parsed.config.log_file.empty());
    CHECK(parsed.config.blas.empty());
    CHECK(parsed.config.cublas.empty());
  }
}

TEST_CASE("LADDER_RUNG takes every rung by number, name and id") {
  for (const Rung& rung : rungs()) {
    std::vector<std::string> spellings = {rung.name, rung.id};
    if (rung.number != unnumbered) spellings.push_back(std::to_string(rung.number));
    for (const std::string& spelling : spellings) {
      const Parsed parsed = parse({{"LADDER_RUNG", spelling}});
      CAPTURE(spelling);
      CHECK(parsed.complaints.empty());
      REQUIRE(parsed.config.rung.turns.size() == 1);
      CHECK(parsed.config.rung.turns[0] == &rung);
    }
  }
}

TEST_CASE("LADDER_RUNG takes auto and lists") {
  CHECK(parse({{"LADDER_RUNG", "auto"}}).config.rung.automatic);
  const Parsed parsed = parse({{"LADDER_RUNG", "9,naive,r04"}});
  CHECK(parsed.complaints.empty());
  REQUIRE(parsed.config.rung.turns.size() == 3);
  CHECK(parsed.config.rung.turns[0] == find_rung("9"));
  CHECK(parsed.config.rung.turns[1] == find_rung("1"));
  CHECK(parsed.config.rung.turns[2] == find_rung("4"));
}

TEST_CASE("a bad LADDER_RUNG is reported once with the valid ones; the default stays") {
  for (const char* bad : {"nope", "99", "-1", "9,", ",9", "9,nope", "9 ", "auto,9", "9x", ","}) {
    const Parsed parsed = parse({{"LADDER_RUNG", bad}});
    CAPTURE(bad);
    CHECK(parsed.config.rung.turns.empty());
    CHECK_FALSE(parsed.config.rung.automatic);
    REQUIRE(parsed.complaints.size() == 1);
    const std::string& line = parsed.complaints[0];
    CHECK(line.find("LADDER_RUNG=" + std::string(bad)) != std::string::npos);
    for (const Rung& rung : rungs()) CHECK(line.find(rung.name) != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("LADDER_DEVICE and LADDER_LOG take their words and no others") {
  CHECK(parse({{"LADDER_DEVICE", "auto"}}).config.device == DeviceWish::automatic);
  CHECK(parse({{"LADDER_DEVICE", "gpu"}}).config.device == DeviceWish::gpu);
  CHECK(parse({{"LADDER_DEVICE", "cpu"}}).config.device == DeviceWish::cpu);
  CHECK(parse({{"LADDER_DEVICE", "emulate"}}).config.device == DeviceWish::emulate);
  CHECK(parse({{"LADDER_LOG", "off"}}).config.log == LogLevel::off);
  CHECK(parse({{"LADDER_LOG", "summary"}}).config.log == LogLevel::summary);
  CHECK(parse({{"LADDER_LOG", "call"}}).config.log == LogLevel::call);
  CHECK(parse({{"LADDER_LOG_TIME", "host"}}).config.log_time == LogTime::host);
  CHECK(parse({{"LADDER_LOG_TIME", "gpu"}}).config.log_time == LogTime::gpu);

  const Parsed parsed = parse({{"LADDER_DEVICE", "GPU"}, {"LADDER_LOG", "1"}, {"LADDER_LOG_TIME", "yes"}});
  CHECK(parsed.config.device == DeviceWish::automatic);
  CHECK(parsed.config.log == LogLevel::off);
  CHECK(parsed.config.log_time == LogTime::host);
  REQUIRE(parsed.complaints.size() == 3);
  CHECK(parsed.complaints[0].find("LADDER_DEVICE=GPU is not valid; valid are: auto, gpu, cpu, emulate") !=
        std::string::npos);
  CHECK(parsed.complaints[1].find("LADDER_LOG=1 is not valid; valid are: off, summary, call") != std::string::npos);
  CHECK(parsed.complaints[2].find("LADDER_LOG_TIME=yes is not valid; valid are: host, gpu") != std::string::npos);
}

TEST_CASE("LADDER_REPRODUCIBLE is 1 or 0") {
  CHECK_FALSE(parse({}).config.reproducible);
  CHECK_FALSE(parse({{"LADDER_REPRODUCIBLE", "0"}}).config.reproducible);
  CHECK(parse({{"LADDER_REPRODUCIBLE", "1"}}).config.reproducible);
  for (const char* bad : {"yes", "2", "1 ", "true"}) {
    const Parsed parsed = parse({{"LADDER_REPRODUCIBLE", bad}});
    CHECK_FALSE(parsed.config.reproducible);
    REQUIRE(parsed.complaints.size() == 1);
    CHECK(parsed.complaints[0] == "ladderblas: LADDER_REPRODUCIBLE=" + std::string(bad) +
                                      " is not valid; valid are: 0, 1; the default is used");
  }
}

TEST_CASE("LADDER_OFFLOAD takes its words and no others") {
  CHECK(parse({}).config.offload == OffloadWish::automatic);
  CHECK(parse({{"LADDER_OFFLOAD", "auto"}}).config.offload == OffloadWish::automatic);
  CHECK(parse({{"LADDER_OFFLOAD", "always"}}).config.offload == OffloadWish::always);
  CHECK(parse({{"LADDER_OFFLOAD", "never"}}).config.offload == OffloadWish::never);
  for (const char* bad : {"Always", "1", "never ", "gpu"}) {
    const Parsed parsed = parse({{"LADDER_OFFLOAD", bad}});
    CHECK(parsed.config.offload == OffloadWish::automatic);
    REQUIRE(parsed.complaints.size() == 1);
    CHECK(parsed.complaints[0] == "ladderblas: LADDER_OFFLOAD=" + std::string(bad) +
                                      " is not valid; valid are: auto, always, never; the default is used");
  }
}

namespace {

struct SizeVariable {
  const char* name;
  std::size_t Config::*field;
  std::string least;
};
const SizeVariable size_variables[] = {{"LADDER_OFFLOAD_MEMORY", &Config::offload_memory, "1M"},
                                       {"LADDER_OFFLOAD_KEEP", &Config::offload_keep, "0"},
                                       {"LADDER_OFFLOAD_PINNED", &Config::offload_pinned, "1M"}};

}  // namespace

TEST_CASE("sizes are bytes, or K, M, G of them") {
  const Config defaults = parse({}).config;
  CHECK(defaults.offload_memory == 0);
  CHECK(defaults.offload_keep == 1073741824);
  CHECK(defaults.offload_pinned == 67108864);
  const std::map<std::string, std::size_t> sizes = {
      {"1048576", 1048576}, {"1234567", 1234567}, {"1024K", 1048576},    {"3M", 3145728},
      {"512M", 536870912},  {"4G", 4294967296},   {"0000002M", 2097152}, {"17179869183G", 18446744072635809792u}};
  for (const SizeVariable& variable : size_variables) {
    for (const auto& [spelling, bytes] : sizes) {
      const Parsed parsed = parse({{variable.name, spelling}});
      CAPTURE(spelling);
      CHECK(parsed.complaints.empty());
      CHECK(parsed.config.*variable.field == bytes);
    }
  }
  CHECK(parse({{"LADDER_OFFLOAD_KEEP", "0"}}).config.offload_keep == 0);
}

TEST_CASE("a size that is none, too small or too large is reported, and the default stays") {
  const Config defaults = parse({}).config;
  for (const SizeVariable& variable : size_variables) {
    std::vector<std::string> bad = {"lots", "-1",  "+1M", "1.5G",      "4g", "4GB",          "G",
                                    "1M ",  " 1M", "1 M", "0x1000000", "1T", "17179869184G", "18446744073709551616"};
    if (variable.least != "0") bad.insert(bad.end(), {"0", "0G", "1", "1023K", "1048575"});
    for (const std::string& value : bad) {
      const Parsed parsed = parse({{variable.name, value}});
      CAPTURE(value);
      CHECK(parsed.config.*variable.field == defaults.*variable.field);
      REQUIRE(parsed.complaints.size() == 1);
      CHECK(parsed.complaints[0] == "ladderblas: " + std::string(variable.name) + "=" + value +
                                        " is not valid; valid are: bytes, " + variable.least +
                                        " or more, with K, M or G behind the number for powers of 1024; the default "
                                        "is used");
    }
  }
}

TEST_CASE("LADDER_OFFLOAD_THREADS is a number of threads") {
  CHECK(parse({}).config.offload_threads == 0);
  CHECK(parse({{"LADDER_OFFLOAD_THREADS", "1"}}).config.offload_threads == 1);
  CHECK(parse({{"LADDER_OFFLOAD_THREADS", "256"}}).config.offload_threads == 256);
  for (const char* bad : {"0", "-1", "257", "4K", "two", "1.0", " 1", "99999999999"}) {
    const Parsed parsed = parse({{"LADDER_OFFLOAD_THREADS", bad}});
    CHECK(parsed.config.offload_threads == 0);
    REQUIRE(parsed.complaints.size() == 1);
    CHECK(parsed.complaints[0] == "ladderblas: LADDER_OFFLOAD_THREADS=" + std::string(bad) +
                                      " is not valid; valid are: 1 to 256; the default is used");
  }
}

TEST_CASE("half of the cores copy, eight at most, or as many threads as were asked for") {
  Config config;
  CHECK(copy_threads(config) == std::clamp(usable_cores() / 2, 1, 8));
  config.offload_threads = 33;
  CHECK(copy_threads(config) == 33);

  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  }
  const int cores = CPU_COUNT(&before);
  // A thread that is tied to a core, as those of OpenMP may be, and one of ours that it starts.
  int seen_tied = 0;
  int seen_free = 0;
  std::thread([&] {
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    seen_tied = usable_cores();
    std::thread([&] {
      take_cores_of_process();
      cpu_set_t now;
      if (sched_getaffinity(0, sizeof now, &now) == 0) seen_free = CPU_COUNT(&now);
    }).join();
  }).join();
  CHECK(seen_tied == cores);
  CHECK(seen_free == cores);
}

TEST_CASE("paths are taken as they are") {
  const Parsed parsed =
      parse({{"LADDER_LOG_FILE", "/tmp/a b%p"}, {"LADDER_BLAS", "libx.so"}, {"LADDER_CUBLAS", "/y/libcublas.so"}});
  CHECK(parsed.complaints.empty());
  CHECK(parsed.config.log_file == "/tmp/a b%p");
  CHECK(parsed.config.blas == "libx.so");
  CHECK(parsed.config.cublas == "/y/libcublas.so");
}

TEST_CASE("NVIDIA_TF32_OVERRIDE=0 forbids TF32; its other values are not ours to judge") {
  CHECK(parse({{"NVIDIA_TF32_OVERRIDE", "0"}}).config.tf32_forbidden);
  for (const char* other : {"", "1", "no"}) {
    const Parsed parsed = parse({{"NVIDIA_TF32_OVERRIDE", other}});
    CHECK_FALSE(parsed.config.tf32_forbidden);
    CHECK(parsed.complaints.empty());
  }
  CHECK_FALSE(parse({}).config.tf32_forbidden);
}

TEST_CASE("LADDER_GPUS names all GPUs, some, or the one of the process's rank") {
  using Kind = GpusSetting::Kind;
  CHECK(parse({}).config.gpus.kind == Kind::current);
  CHECK(parse({{"LADDER_GPUS", "all"}}).config.gpus.kind == Kind::all);
  const GpusSetting listed = parse({{"LADDER_GPUS", "2,0"}}).config.gpus;
  CHECK(listed.kind == Kind::listed);
  CHECK(listed.ordinals == std::vector<int>{2, 0});
  for (const char* launcher : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const GpusSetting by_rank = parse({{"LADDER_GPUS", "local-rank"}, {launcher, "3"}}).config.gpus;
    CHECK(by_rank.kind == Kind::local_rank);
    CHECK(by_rank.rank == 3);
  }
  for (const char* bad : {"local-rank", "-1", "0,", ",1", "1,1", "gpu0", "0 1", "99999999999", "ALL"}) {
    CAPTURE(bad);
    const auto parsed = parse({{"LADDER_GPUS", bad}, {"SLURM_LOCALID", "x"}});
    CHECK(parsed.config.gpus.kind == Kind::current);
    REQUIRE(parsed.complaints.size() == 1);
    CHECK(parsed.complaints[0].find("LADDER_GPUS") != std::string::npos);
  }
}

TEST_CASE("GPUs that are not there are left out, and named") {
  using Kind = GpusSetting::Kind;
  std::string complaint;
  CHECK(chosen_gpus({}, 4, complaint).empty());
  CHECK(chosen_gpus({.kind = Kind::all}, 3, complaint) == std::vector<int>{0, 1, 2});
  CHECK(chosen_gpus({.kind = Kind::all}, 0, complaint).empty());
  CHECK(chosen_gpus({.kind = Kind::local_rank, .rank = 5}, 2, complaint) == std::vector<int>{1});
  CHECK(chosen_gpus({.kind = Kind::listed, .ordinals = {1, 0}}, 2, complaint) == std::vector<int>{1, 0});
  CHECK(complaint.empty());
  CHECK(chosen_gpus({.kind = Kind::listed, .ordinals = {5, 1}}, 2, complaint) == std::vector<int>{1});
  CHECK(complaint.find("0 to 1") != std::string::npos);
  CHECK(chosen_gpus({.kind = Kind::listed, .ordinals = {5}}, 1, complaint) == std::vector<int>{0});
}

// SPDX-License-Identifier: MIT
// LADDER_TUNING and the file that it names: read, mistrusted, written, and heeded by the choice.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "choose_config.hpp"
#include "tuning_builtin.hpp"
#include "tuning_cache.hpp"
#include "tuning_source.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

const GpuIdentity some_gpu{"Some GPU", 100, 13000};
const CacheKey here{"Some GPU", 100, "580.1", "0123456789abcdef"};

const KernelConfig& last_config() { return find_rung("r07")->emulated->configs.back(); }

GemmProblem problem() {
  GemmProblem p;
  p.op_a = Op::transpose;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 4096;
  return p;
}

TuningRecord record(std::string_view config = last_config().name) {
  return {.rung = "r07",
          .op_a = Op::transpose,
          .m = 4096,
          .n = 4096,
          .k = 4096,
          .config = config,
          .ms = 3.5,
          .runner_up = "128x128x16_8x8"};
}

/// A file that goes away with this.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("ladder-tuning-" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  TuningSetting named() const { return {.named = true, .path = path_.string()}; }
  TuningSetting by_default() const { return {.path = path_.string()}; }

 private:
  std::filesystem::path path_;
};

std::string cache_text(const CacheKey& key = here) {
  TuningCache cache;
  cache.merge(key, {record()});
  return cache.text();
}

int measured(const Tuning& tuning) {
  return tuning.table ? tuning.table->measured(tuning_key(rung_key("r07"), problem())) : no_config;
}

std::map<std::string, std::string> variables;

const char* look_up(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

TuningSetting setting_of(std::map<std::string, std::string> environment) {
  variables = std::move(environment);
  std::vector<std::string> complaints;
  const Config config = parse_config(look_up, complaints);
  CHECK(complaints.empty());
  return config.tuning;
}

}  // namespace

TEST_CASE("LADDER_TUNING is off, a path, or the user's cache folder") {
  CHECK(setting_of({{"LADDER_TUNING", "off"}}).off);
  const TuningSetting named = setting_of({{"LADDER_TUNING", "/x/y"}, {"HOME", "/home/me"}});
  CHECK((named.named && !named.off && named.path == "/x/y"));
  const TuningSetting home = setting_of({{"HOME", "/home/me"}});
  CHECK((!home.named && !home.off && home.path == "/home/me/.cache/ladderblas/tuning.json"));
  CHECK(setting_of({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/c"}}).path == "/c/ladderblas/tuning.json");
  CHECK(setting_of({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "c"}, {"LADDER_TUNING", ""}}).path ==
        "/home/me/.cache/ladderblas/tuning.json");
  CHECK(setting_of({}).path.empty());
}

TEST_CASE("what was written is read, and the choice heeds it") {
  const TemporaryFile file(cache_text());
  const Tuning tuning = tuning_for(file.named(), some_gpu, here);
  CHECK(tuning.complaint.empty());
  REQUIRE(tuning.table != nullptr);
  publish_tuning_table(emulator_slot, tuning.table.get());
  const std::span<const KernelConfig> configs = find_rung("r07")->emulated->configs;
  CHECK(&choose_config(rung_key("r07"), configs, problem(), 132, emulator_slot) == &configs.back());
  publish_tuning_table(emulator_slot, nullptr);
  CHECK(&choose_config(rung_key("r07"), configs, problem(), 132, emulator_slot) != &configs.back());
}

TEST_CASE("off means off") { CHECK(tuning_for({.off = true}, {"NVIDIA H200", 132, 13000}, here).table == nullptr); }

TEST_CASE("a table of another GPU, driver or build is none; only a named file is spoken of") {
  CacheKey other_gpu = here, other_size = here, other_driver = here, other_build = here;
  other_gpu.gpu = "Another GPU";
  other_size.multiprocessors = 99;
  other_driver.driver = "570.9";
  other_build.build = "fedcba9876543210";
  for (const CacheKey& other : {other_gpu, other_size, other_driver, other_build}) {
    const TemporaryFile file(cache_text(other));
    const Tuning tuning = tuning_for(file.named(), some_gpu, here);
    CHECK(tuning.table == nullptr);
    CHECK(tuning.complaint.find("LADDER_TUNING=" + file.named().path) != std::string::npos);
    CHECK(tuning.complaint.find("no table for this GPU") != std::string::npos);
    CHECK(tuning.complaint.find('\n') == std::string::npos);
    CHECK(tuning_for(file.by_default(), some_gpu, here).complaint.empty());
  }
}

TEST_CASE("a damaged file is as none, at whatever byte it breaks off") {
  const std::string whole = cache_text();
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    CHECK_FALSE(TuningCache::parse(std::string_view(whole).substr(0, length)).has_value());
  }
  for (const char* text : {"", "null", "[]", "{}", "42", R"({"format": 2, "tables": []})", R"({"format": 1})",
                           R"({"format": 1, "tables": {}})", "\xff\xfe", R"({"format": "1", "tables": []})"}) {
    CAPTURE(text);
    const TemporaryFile file(text);
    const Tuning tuning = tuning_for(file.named(), some_gpu, here);
    CHECK(tuning.table == nullptr);
    CHECK(tuning.complaint.find("not a tuning cache") != std::string::npos);
    CHECK(tuning_for(file.by_default(), some_gpu, here).complaint.empty());
  }
}

TEST_CASE("a file that is not there") {
  const Tuning tuning = tuning_for({.named = true, .path = "/nonexistent/tuning.json"}, some_gpu, here);
  CHECK(tuning.table == nullptr);
  CHECK(tuning.complaint.find("No such file") != std::string::npos);
  CHECK(tuning_for({.path = "/nonexistent/tuning.json"}, some_gpu, here).complaint.empty());
  CHECK(tuning_for({.named = true, .path = "/"}, some_gpu, here).complaint.find("directory") != std::string::npos);
}

TEST_CASE("a pipe, a device and a file without end are refused, and nothing waits for them") {
  const TemporaryFile file("");
  const std::string pipe = file.named().path + ".pipe";
  REQUIRE(mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR) == 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    const Tuning tuning = tuning_for({.named = true, .path = path}, some_gpu, here);
    CHECK(tuning.table == nullptr);
    CHECK(tuning.complaint.find("not a regular file") != std::string::npos);
    CHECK(tuning_for({.path = path}, some_gpu, here).complaint.empty());
  }
  unlink(pipe.c_str());
  std::filesystem::resize_file(file.named().path, std::uintmax_t{1} << 40);  // a hole: it takes no room
  CHECK(tuning_for(file.named(), some_gpu, here).complaint.find("larger than") != std::string::npos);
}

TEST_CASE("tables that are none, or nested beyond sense, harm nobody") {
  TuningCache cache;
  cache.merge(here, {record()});
  std::string text = cache.text();
  constexpr std::size_t depth = 100'000;
  const std::string nested = std::string(depth, '[') + std::string(depth, ']');
  text.insert(text.find("[") + 1, "1, null, " + nested + ", ");
  auto read = TuningCache::parse(text);
  REQUIRE(read.has_value());
  CHECK(read->keys() == std::vector<CacheKey>{here});
  CHECK(read->choices(here)->size() == 1);
}

TEST_CASE("choices that make no sense are left out, one by one") {
  std::string text = cache_text();
  const auto with = [&text](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& changed :
       {with(R"("m": 4096)", R"("m": "x")"), with(R"("m": 4096)", R"("m": -1)"), with(R"("m": 4096)", R"("m": 1.5)"),
        with(R"("op_a": "T")", R"("op_a": "C")"), with(R"("both")", R"("all")"), with(R"("ms": 3.5)", R"("ms": [])"),
        with("r07", "r77"), with(last_config().name, "1x1"), with(R"("choices")", R"("choice")")}) {
    CAPTURE(changed);
    const TemporaryFile file(changed);
    const Tuning tuning = tuning_for(file.named(), some_gpu, here);
    CHECK(tuning.complaint.empty());
    CHECK(measured(tuning) == no_config);
  }
}

TEST_CASE("merging keeps other tables and other problems, and replaces the same ones") {
  CacheKey elsewhere = here;
  elsewhere.gpu = "Another GPU";
  TuningCache cache;
  cache.merge(elsewhere, {record()});
  TuningRecord small = record();
  small.m = 64;
  cache.merge(here, {record(), small});
  TuningRecord changed = record("128x128x8_8x8");
  changed.ms = 1.25;
  cache.merge(here, {changed});

  const auto read = TuningCache::parse(cache.text());
  REQUIRE(read.has_value());
  CHECK(read->keys().size() == 2);
  CHECK(read->choices(elsewhere)->size() == 1);
  const auto choices = read->choices(here);
  REQUIRE(choices->size() == 2);
  CHECK(choices->at(0).m == 64);
  CHECK(choices->at(1).config == "128x128x8_8x8");
  CHECK(choices->at(1).ms == 1.25);
  CHECK(choices->at(1).runner_up == "128x128x16_8x8");
  CHECK(choices->at(1).op_a == Op::transpose);
  CHECK(choices->at(1).alignment == Alignment::both);
}

TEST_CASE("the cache stands before the built-in measurements") {
  const GpuIdentity h200{"NVIDIA H200", 132, 13000};
  const std::span<const TuningRecord> builtin = builtin_tuning_records(h200);
  // A build without CUDA has no configuration that only a GPU runs.
  const auto known = static_cast<std::size_t>(std::ranges::count_if(
      builtin, [](const TuningRecord& record) { return !TuningTable(std::span(&record, 1)).empty(); }));
  CHECK(known > builtin.size() / 2);
  const TemporaryFile file(cache_text());
  const Tuning tuning = tuning_for(file.named(), h200, here);
  CHECK(measured(tuning) == static_cast<int>(find_rung("r07")->emulated->configs.size()) - 1);
  CHECK(tuning.table->size() >= known);
  const Tuning without = tuning_for({.path = "/nonexistent/tuning.json"}, h200, here);
  REQUIRE(without.table != nullptr);
  CHECK(without.table->size() == known);
}

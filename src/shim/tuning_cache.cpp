// SPDX-License-Identifier: MIT
#include "tuning_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "json_member.hpp"
#include "op_letter.hpp"
#include "tuning_builtin.hpp"

namespace ladder::shim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_file = 16 << 20;  // bytes: some sixty thousand choices

constexpr std::array all_alignments = {Alignment::none, Alignment::a, Alignment::b, Alignment::both};

/// A file that is open for reading while this lives. Opening does not wait for the other end of a pipe.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string reason(int error) { return std::generic_category().message(error); }

std::optional<Op> op_of(std::string_view letter) {
  if (letter == "N") return Op::none;
  if (letter == "T") return Op::transpose;
  return std::nullopt;
}

std::optional<Alignment> alignment_named(std::string_view name) {
  for (const Alignment alignment : all_alignments) {
    if (name == alignment_name(alignment)) return alignment;
  }
  return std::nullopt;
}

std::optional<TuningRecord> record_of(const Json& json) {
  const auto op_a = op_of(text_of(json, "op_a"));
  const auto op_b = op_of(text_of(json, "op_b"));
  const auto alignment = alignment_named(text_of(json, "alignment"));
  const Json* ms = member(json, "ms");
  if (!op_a || !op_b || !alignment || ms == nullptr || !ms->is_number()) return std::nullopt;
  TuningRecord record{.rung = text_of(json, "rung"),
                      .op_a = *op_a,
                      .op_b = *op_b,
                      .alignment = *alignment,
                      .m = integer_of(json, "m"),
                      .n = integer_of(json, "n"),
                      .k = integer_of(json, "k"),
                      .batch = integer_of(json, "batch"),
                      .config = text_of(json, "config"),
                      .ms = ms->get<double>(),
                      .runner_up = text_of(json, "runner_up")};
  if (record.m < 0 || record.n < 0 || record.k < 0 || record.batch < 0) return std::nullopt;
  return record;
}

bool same_problem(const TuningRecord& l, const TuningRecord& r) {
  return l.rung == r.rung && l.op_a == r.op_a && l.op_b == r.op_b && l.alignment == r.alignment && l.m == r.m &&
         l.n == r.n && l.k == r.k && l.batch == r.batch;
}

CacheKey key_of(const Json& table) {
  return {std::string(text_of(table, "gpu")), static_cast<int>(integer_of(table, "multiprocessors")),
          std::string(text_of(table, "driver")), std::string(text_of(table, "build"))};
}

}  // namespace

std::string loaded_driver() {
  std::string why_not;
  std::string driver = read_whole_file("/sys/module/nvidia/version", why_not).value_or("");
  driver.resize(std::min(driver.find('\n'), driver.size()));
  return driver;
}

CacheKey cache_key(const GpuIdentity& gpu) {
  std::string driver = loaded_driver();
  if (driver.empty()) driver = "CUDA " + std::to_string(gpu.cuda_of_driver);
  return {gpu.name, gpu.multiprocessors, driver, kernels_build_id()};
}

std::optional<std::string> read_whole_file(const std::string& path, std::string& why) {
  const auto fail = [&why](std::string because) {
    why = std::move(because);
    return std::nullopt;
  };
  const OpenFile file(path);
  struct stat facts;
  if (file.descriptor() < 0 || fstat(file.descriptor(), &facts) != 0) return fail(reason(errno));
  if (S_ISDIR(facts.st_mode)) return fail(reason(EISDIR));
  if (!S_ISREG(facts.st_mode)) return fail("it is not a regular file");
  std::string text;
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t length = read(file.descriptor(), piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return fail(reason(errno));
    if (length == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(length));
    if (text.size() > longest_file) return fail("it is larger than 16 MiB");
  }
}

nlohmann::ordered_json json_of(const TuningRecord& r) {
  return {{"rung", r.rung},
          {"op_a", op_letter(r.op_a)},
          {"op_b", op_letter(r.op_b)},
          {"alignment", alignment_name(r.alignment)},
          {"m", r.m},
          {"n", r.n},
          {"k", r.k},
          {"batch", r.batch},
          {"config", r.config},
          {"ms", r.ms},
          {"runner_up", r.runner_up}};
}

TuningCache::TuningCache() : document_{{"format", format}, {"tables", Json::array()}} {}

std::optional<TuningCache> TuningCache::parse(std::string_view text) {
  TuningCache cache;
  cache.document_ = Json::parse(text, nullptr, false);
  const Json* tables = member(cache.document_, "tables");
  if (integer_of(cache.document_, "format") != format || tables == nullptr || !tables->is_array()) return std::nullopt;
  return cache;
}

std::vector<CacheKey> TuningCache::keys() const {
  std::vector<CacheKey> keys;
  for (const Json& table : *member(document_, "tables")) {
    if (table.is_object()) keys.push_back(key_of(table));
  }
  return keys;
}

const Json* TuningCache::table_of(const CacheKey& key) const {
  for (const Json& table : *member(document_, "tables")) {
    if (key_of(table) == key) return &table;
  }
  return nullptr;
}

std::optional<std::vector<TuningRecord>> TuningCache::choices(const CacheKey& key) const {
  const Json* table = table_of(key);
  if (table == nullptr) return std::nullopt;
  std::vector<TuningRecord> records;
  const Json* listed = member(*table, "choices");
  if (listed == nullptr || !listed->is_array()) return records;
  for (const Json& choice : *listed) {
    if (const auto record = record_of(choice)) records.push_back(*record);
  }
  return records;
}

void TuningCache::merge(const CacheKey& key, const std::vector<TuningRecord>& choices) {
  Json merged = Json::array();
  for (const TuningRecord& old : this->choices(key).value_or(std::vector<TuningRecord>{})) {
    const auto replaces = [&old](const TuningRecord& r) { return same_problem(r, old); };
    if (std::ranges::none_of(choices, replaces)) merged.push_back(json_of(old));
  }
  for (const TuningRecord& choice : choices) merged.push_back(json_of(choice));

  Json& tables = document_["tables"];
  Json kept = Json::array();
  for (Json& table : tables) {
    if (key_of(table) != key) kept.push_back(std::move(table));
  }
  kept.push_back({{"gpu", key.gpu},
                  {"multiprocessors", key.multiprocessors},
                  {"driver", key.driver},
                  {"build", key.build},
                  {"choices", std::move(merged)}});
  tables = std::move(kept);
}

std::vector<HostTable> TuningCache::hosts() const { return host_tables_in(document_); }

std::optional<HostRates> TuningCache::host_rates(const HostKey& key) const {
  for (const HostTable& table : hosts()) {
    if (table.key == key) return table.rates;
  }
  return std::nullopt;
}

void TuningCache::keep(const HostKey& key, const HostRates& rates) { keep_host_rates(document_, key, rates); }

std::string TuningCache::text() const {
  constexpr int indent = 1;
  return document_.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ladder::shim

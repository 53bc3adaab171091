// SPDX-License-Identifier: MIT
#include "tuning_files.hpp"

#include <fmt/format.h>

#include <system_error>

#include "bench/atomic_file.hpp"

namespace ladder::tune {

namespace {

/// An empty cache where there is no such file; nothing where it is something else.
std::optional<shim::TuningCache> read_cache(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return shim::TuningCache();
  std::string why;
  const std::optional<std::string> text = shim::read_whole_file(path.string(), why);
  return text ? shim::TuningCache::parse(*text) : std::nullopt;
}

std::string problem_text(const TuningRecord& r) {
  return fmt::format("{}{} {}x{}x{}{} aligned: {}", shim::op_letter(r.op_a), shim::op_letter(r.op_b), r.m, r.n, r.k,
                     r.batch == 1 ? "" : fmt::format("*{}", r.batch), alignment_name(r.alignment));
}

}  // namespace

std::string add_to_cache(const std::filesystem::path& path, const shim::CacheKey& key,
                         const std::vector<TuningRecord>& records) {
  std::optional<shim::TuningCache> cache = read_cache(path);
  if (!cache) return fmt::format("{}: this is not a tuning cache; it is left as it is", path.string());
  cache->merge(key, records);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return fmt::format("{}: {}", path.parent_path().string(), error.message());
  std::string complaint;
  bench::write_file_atomically(path, cache->text(), complaint);
  return complaint;
}

std::string builtin_text(const shim::CacheKey& key, const std::vector<TuningRecord>& records) {
  std::string text = fmt::format(
      "// Quickest configurations on an {} with {} multiprocessors, driver {}, kernels {}: `ladder tune --builtin`.\n"
      "//\n"
      "// TUNED(rung, op(A), op(B), aligned operands, m, n, k, batch, configuration, ms, runner-up)\n",
      key.gpu, key.multiprocessors, key.driver, key.build);
  for (const TuningRecord& r : records) {
    text += fmt::format("TUNED({}, {}, {}, {}, {}, {}, {}, {}, \"{}\", {:.5g}, \"{}\")\n", r.rung,
                        shim::op_letter(r.op_a), shim::op_letter(r.op_b), alignment_name(r.alignment), r.m, r.n, r.k,
                        r.batch, r.config, r.ms, r.runner_up);
  }
  return text;
}

std::string describe_cache(const std::filesystem::path& path, const std::optional<shim::CacheKey>& here,
                           std::string& complaint) {
  const std::optional<shim::TuningCache> cache = read_cache(path);
  if (!std::filesystem::exists(path) || !cache) {
    complaint = fmt::format("{}: {}", path.string(), cache ? "there is no tuning cache" : "this is not a tuning cache");
    return {};
  }
  std::string text;
  for (const shim::CacheKey& key : cache->keys()) {
    text += fmt::format("{}, {} multiprocessors, driver {}, kernels {}{}\n", key.gpu, key.multiprocessors, key.driver,
                        key.build, here == key ? " (in use here)" : "");
    for (const TuningRecord& r : cache->choices(key).value_or(std::vector<TuningRecord>{})) {
      text += fmt::format("  {} {}: {} ({:.4g} ms)\n", r.rung, problem_text(r), r.config, r.ms);
    }
  }
  return text;
}

}  // namespace ladder::tune

// SPDX-License-Identifier: MIT
#include "tuning_files.hpp"

#include <fmt/format.h>

#include <system_error>

#include "bench/atomic_file.hpp"
#include "bench/csv_file.hpp"
#include "host_session.hpp"
#include "op_letter.hpp"

namespace ladder::tune {

namespace {

bool is_missing(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
}

/// Nothing where there is none in that file; then `complaint` is one line that says why.
std::optional<shim::TuningCache> read_cache(const std::filesystem::path& path, std::string& complaint) {
  std::string why = "this is not a tuning cache";
  const std::optional<std::string> text = shim::read_whole_file(path.string(), why);
  std::optional<shim::TuningCache> cache = text ? shim::TuningCache::parse(*text) : std::nullopt;
  if (!cache) complaint = fmt::format("{}: {}", path.string(), why);
  return cache;
}

std::string problem_text(const TuningRecord& r) {
  return fmt::format("{}{} {}x{}x{}{} aligned: {}", op_letter(r.op_a), op_letter(r.op_b), r.m, r.n, r.k,
                     r.batch == 1 ? "" : fmt::format("*{}", r.batch), alignment_name(r.alignment));
}

/// Reads the cache, or makes one, has `change` change it, and writes it. Empty, or one line of complaint.
template <class Change>
std::string change_cache(const std::filesystem::path& path, const Change& change) {
  std::string complaint;
  std::optional<shim::TuningCache> cache = is_missing(path) ? shim::TuningCache() : read_cache(path, complaint);
  if (!cache) return complaint + "; it is left as it is";
  change(*cache);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return fmt::format("{}: {}", path.parent_path().string(), error.message());
  bench::write_file_atomically(path, cache->text(), complaint);
  return complaint;
}

}  // namespace

std::string add_to_cache(const std::filesystem::path& path, const shim::CacheKey& key,
                         const std::vector<TuningRecord>& records) {
  return change_cache(path, [&](shim::TuningCache& cache) { cache.merge(key, records); });
}

std::string add_to_cache(const std::filesystem::path& path, const shim::HostKey& key, const shim::HostRates& rates) {
  return change_cache(path, [&](shim::TuningCache& cache) { cache.keep(key, rates); });
}

std::string builtin_text(const shim::CacheKey& key, const std::vector<TuningRecord>& records) {
  std::string text = fmt::format(
      "// Quickest configurations on an {} with {} multiprocessors, driver {}, kernels {}: `ladder tune --builtin`.\n"
      "//\n"
      "// TUNED(rung, op(A), op(B), aligned operands, m, n, k, batch, configuration, ms, runner-up)\n",
      key.gpu, key.multiprocessors, key.driver, key.build);
  for (const TuningRecord& r : records) {
    text += fmt::format("TUNED({}, {}, {}, {}, {}, {}, {}, {}, \"{}\", {:.5g}, \"{}\")\n", r.rung, op_letter(r.op_a),
                        op_letter(r.op_b), alignment_name(r.alignment), r.m, r.n, r.k, r.batch, r.config, r.ms,
                        r.runner_up);
  }
  return text;
}

std::string times_csv(const bench::Conditions& conditions, std::span<const CandidateTime> times) {
  std::string text = bench::csv_conditions(conditions);
  text +=
      "category,op_a,op_b,m,n,k,lda,ldb,ldc,batch,rung,alignment,config,ms,ms_q1,ms_q3,runs,rank,predicted_cycles,"
      "models_rank\n";
  for (const CandidateTime& t : times) {
    const bench::BenchProblem& p = t.problem;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.7g},{:.7g},{:.7g},{},{},{:.7g},{}\n",
                        bench::csv_cell(p.category), op_letter(p.op_a), op_letter(p.op_b), p.m, p.n, p.k, p.lda, p.ldb,
                        p.ldc, p.batch, t.rung->id, alignment_name(t.alignment), bench::csv_cell(t.config),
                        t.time.median, t.time.q1, t.time.q3, t.runs, t.rank, t.predicted_cycles, t.models_rank);
  }
  return text;
}

std::string describe_cache(const std::filesystem::path& path, const std::optional<shim::CacheKey>& here,
                           std::string& complaint) {
  const std::optional<shim::TuningCache> cache = read_cache(path, complaint);
  if (!cache) return {};
  std::string text;
  for (const shim::CacheKey& key : cache->keys()) {
    text += fmt::format("{}, {} multiprocessors, driver {}, kernels {}{}\n", key.gpu, key.multiprocessors, key.driver,
                        key.build, here == key ? " (in use here)" : "");
    for (const TuningRecord& r : cache->choices(key).value_or(std::vector<TuningRecord>{})) {
      text += fmt::format("  {} {}: {} ({:.4g} ms)\n", r.rung, problem_text(r), r.config, r.ms);
    }
  }
  const shim::HostKey this_host = shim::host_key();
  for (const auto& [key, rates] : cache->hosts()) {
    text += fmt::format("{}, {} cores, {}, driver {}, kernels {}{}\n  {}\n", key.cpu, key.cores, key.gpu, key.driver,
                        key.build, key == this_host ? " (in use here)" : "", host_rates_text(rates));
  }
  return text;
}

}  // namespace ladder::tune

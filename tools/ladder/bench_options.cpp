// SPDX-License-Identifier: MIT
// What `ladder bench` can be asked.
#include <memory>

#include "bench/shape_list.hpp"
#include "bench/text_list.hpp"
#include "bench_command.hpp"
#include "command_line.hpp"

namespace ladder::cli {

namespace {

std::string known_shapes(const std::string& text) {
  std::string complaint;
  bench::parse_shapes(text, complaint);
  return complaint;
}

std::string known_ops(const std::string& text) {
  for (const std::string_view pair : bench::split(text, ',')) {
    if (pair.size() != 2 || pair.find_first_not_of("NT") != pair.npos)
      return "'" + std::string(pair) + "' is none of NN, NT, TN, TT";
  }
  return {};
}

// A time that a clock can wait for: neither NaN nor without end.
std::string known_seconds(const std::string& text) {
  constexpr double a_day = 86400.0;
  double seconds = 0.0;
  if (CLI::detail::lexical_cast(text, seconds) && seconds >= 0.0 && seconds <= a_day) return {};
  return "'" + text + "' is no number of seconds from 0 to a day";
}

}  // namespace

void add_problem_options(CLI::App& command, BenchOptions& options, const std::string& group) {
  command
      .add_option("shape", options.shapes,
                  "4096, 4096x2x4096 (m x n x k), TN:512x64x512 (ops), 128*256 (batch);\nseveral with spaces or commas")
      ->check(known_shapes);
  command.add_option("--shapes", options.shape_file, "CSV file of problems: category, op_a, op_b, m, n, k, ...")
      ->group(group);
  command.add_option("--replay", options.replay, "A problem as a line of the library's log (LADDER_LOG=call)")
      ->group(group);
  command.add_option("--ops", options.ops, "Each shape typed with each of these operations: NN,NT,TN,TT")
      ->check(known_ops)
      ->group(group);
  command.add_option("--category", options.category, "Only problems of this category")->group(group);
}

namespace {

void add_contenders(CLI::App& bench, BenchOptions& options) {
  constexpr const char* group = "Contenders";
  bench
      .add_option("--rungs", options.rungs,
                  "9, a name, 1-9, all, 9:CONFIG for one of a rung's configurations,\nauto; several with commas; the "
                  "default rung if not given")
      ->check(known_rungs)
      ->group(group);
  bench
      .add_option("--against", options.against,
                  "Peers, or none; ratios compare with the first:\ncublas (pedantic FP32), cublas_default, cublas_tf32,"
                  "\ncublas_bf16x9; openblas, nvblas for a host door")
      ->group(group);
  bench
      .add_option("--door", options.door,
                  "What is called: the kernel itself, or a function of the library:\ncublasSgemm_v2, cblas_sgemm, "
                  "sgemm_; the last two are host doors")
      ->check(CLI::IsMember({"kernel", "cublas", "cblas", "sgemm_"}))
      ->capture_default_str()
      ->group(group);
  bench.add_option("--blas", options.blas, "OpenBLAS's file; LADDER_BLAS or the loader's if not given")->group(group);
  bench.add_option("--nvblas", options.nvblas, "NVBLAS's file; the loader's if not given")->group(group);
  bench
      .add_option("--nvblas-gpus", options.nvblas_gpus,
                  "GPUs of NVBLAS: ordinals with spaces between them, or ALL;\nLADDER_GPUS says which are ours")
      ->capture_default_str()
      ->group(group);
  bench
      .add_option("--peer-timeout", options.peer_timeout_s,
                  "Seconds that NVBLAS's process may take to answer,\nbeyond what the problem's size explains")
      ->check(CLI::PositiveNumber)
      ->check(known_seconds)
      ->capture_default_str()
      ->group(group);
}

void add_measuring(CLI::App& bench, BenchOptions& options) {
  constexpr const char* group = "Measuring";
  constexpr int most_samples = 10000;
  constexpr int most_calls = 1000000;
  const std::vector<std::string> names(bench::data_names.begin(), bench::data_names.end());
  bench.add_option("--data", options.data, "What A and B hold")
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(group);
  bench.add_flag("--warm-cache", options.warm_cache, "Leave in the L2 what the run before left there")->group(group);
  CLI::Option* samples =
      bench.add_option("--samples", options.samples, "Runs of each contender; 15 to 51 if not given")
          ->check(CLI::Range(1, most_samples))
          ->group(group);
  bench
      .add_option(
          "--sustain", options.sustain_s,
          "Let each contender work that many seconds without a\npause, in a warm cache, instead of taking turns; "
          "its last\ntwo thirds count")
      ->check(CLI::PositiveNumber)
      ->check(known_seconds)
      ->excludes(samples)
      ->group(group);
  bench
      .add_option(
          "--calls", options.calls,
          "Calls in a row that give the host's time of one\n(host_us); 3 to 15 into an idle stream if not given")
      ->check(CLI::Range(1, most_calls))
      ->group(group);
  bench
      .add_option(
          "--pause", options.pause_s,
          "Seconds between FP32 contenders and those on tensor cores,\nand after a problem of long runs where the "
          "latter take part")
      ->check(known_seconds)
      ->capture_default_str()
      ->group(group);
  bench.add_flag("--ceilings", options.ceilings, "Measure all that the GPU can do at best, before the problems if any")
      ->group(group);
}

void add_reporting(CLI::App& bench, BenchOptions& options) {
  constexpr const char* group = "Reporting";
  bench
      .add_option(
          "--output", options.output,
          "File for the results: JSON where its name ends in .json,\nelse CSV; with %r in its name a file for each "
          "rung")
      ->group(group);
  CLI::Option* json = bench.add_flag("--json", options.json, "Print JSON instead of tables")->group(group);
  bench.add_flag("--csv", options.csv, "Print CSV instead of tables")->excludes(json)->group(group);
  CLI::Option* summarize =
      bench.add_option("--summarize", options.summarize, "Measure nothing: summarize that CSV file")->group(group);
  bench.add_option("--rung", options.rung, "Summarize this rung only")->needs(summarize)->group(group);
  constexpr int two_files = 2;
  bench
      .add_option("--compare", options.compare,
                  "Measure nothing: what got quicker or slower from the\nfirst CSV file to the second")
      ->expected(two_files)
      ->excludes(summarize)
      ->group(group);
}

}  // namespace

void add_bench(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Time rungs against each other and against cuBLAS");
  bench->footer(
      "Examples: ladder bench 4096 --rungs 1-9\n"
      "          ladder bench --shapes tools/bench/shapes.csv --against cublas,cublas_tf32 --output fp32.csv\n"
      "Contenders take turns run by run, each with a flushed L2, and their results are checked; those on tensor cores\n"
      "come after all others.\n"
      "Exit code: 0 all right; 1 a wrong result, a failed launch, or results that could not be written; 2 nothing\n"
      "could be timed. With --summarize 1 where the file holds failures, with --compare where something got slower\n"
      "or is not right any more.");
  add_problem_options(*bench, *options, "Problems (squares from 256 to 4096 if none is given)");
  add_contenders(*bench, *options);
  add_measuring(*bench, *options);
  add_reporting(*bench, *options);
  bench->callback([&chosen, options] { chosen = [options] { return bench_command(*options); }; });
}

}  // namespace ladder::cli

// SPDX-License-Identifier: MIT
// What `ladder bench --summarize` and `--compare` print, and their exit codes.
#include "ladder/bench_report.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "ladder/commands.hpp"
#include "row.hpp"
#include "temporary_file.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Results sound{{}, {row_of("square", 64, 1, 0.5), row_of("square", 128, 1, 2)}};

Results with_time(std::size_t row, double ms) {
  Results results = sound;
  results.rows[row].time = {ms, ms, ms};
  return results;
}

}  // namespace

TEST_CASE("the summary has a line a category and one for all") {
  const std::string text = cli::summary_text(summarize(sound));
  CHECK(contains(text, "time of cublas / own time"));
  CHECK(contains(text, "\nrung 9 double_buffered  problems  ratio"));
  CHECK(contains(text,
                 "\nsquare                  2         1.000  0.500  -         -      -       square NN 64x64x64\n"));
  CHECK(contains(text, "\nall                     2         1.000  0.500"));
}

TEST_CASE("the summary of several rungs has a line for each") {
  Results results = sound;
  results.rows[0].rung = results.rows[0].name = "padded";
  const std::string text = cli::summary_text(summarize(results));
  CHECK(contains(text, "\npadded             1         0.500  0.500"));
  CHECK(contains(text, "\n9 double_buffered  1         2.000  2.000"));
  CHECK(contains(text, "\nrung 9 double_buffered  problems"));
}

TEST_CASE("the comparison names what changed") {
  const std::string text = cli::comparison_text(compare(sound, with_time(1, 1.5)));
  CHECK(contains(text, "Slower beyond the spread: 1"));
  CHECK(contains(text, "+50.0 %"));
  CHECK(contains(text, "Quicker beyond the spread: none"));
  CHECK(contains(text, "2 compared, geometric mean of time before / time after: 0.816"));
}

TEST_CASE("exit codes of the summary") {
  const TemporaryFile good(results_csv(sound));
  const TemporaryFile failed(results_csv(with_time(0, std::numeric_limits<double>::quiet_NaN())));
  const TemporaryFile broken("no results");
  CHECK(cli::summarize_command(good.path(), false, "") == cli::exit_ok);
  CHECK(cli::summarize_command(good.path(), true, "9") == cli::exit_ok);
  CHECK(cli::summarize_command(good.path(), true, "8") == cli::exit_usage);
  CHECK(cli::summarize_command(failed.path(), true, "") == cli::exit_failed);
  CHECK(cli::summarize_command(broken.path(), false, "") == cli::exit_usage);
}

TEST_CASE("exit codes of the comparison") {
  const TemporaryFile before(results_csv(sound));
  const TemporaryFile slower(results_csv(with_time(0, 1.5)));
  const TemporaryFile failed(results_csv(with_time(0, std::numeric_limits<double>::quiet_NaN())));
  const TemporaryFile other(results_csv({{}, {row_of("square", 256, 1, 1)}}));
  const TemporaryFile broken("no results");
  CHECK(cli::compare_command(before.path(), before.path(), false) == cli::exit_ok);
  CHECK(cli::compare_command(before.path(), slower.path(), false) == cli::exit_failed);
  CHECK(cli::compare_command(slower.path(), before.path(), true) == cli::exit_ok);
  CHECK(cli::compare_command(before.path(), failed.path(), true) == cli::exit_failed);
  CHECK(cli::compare_command(before.path(), other.path(), false) == cli::exit_usage);
  CHECK(cli::compare_command(before.path(), broken.path(), false) == cli::exit_usage);
}

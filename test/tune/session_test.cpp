// SPDX-License-Identifier: MIT
// A whole session without a GPU: its budget, what it could not tune, and what becomes of what it found.
#include "tune/session.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "choose_config.hpp"
#include "shim/tuning_source.hpp"
#include "tune/tuning_files.hpp"

namespace ladder::tune {

namespace {

constexpr double ms_per_s = 1000.0;

/// A machine on which the last configuration of every rung is the quickest, and whose clock is the runs' own time.
class FakeWorkbench final : public Workbench {
 public:
  explicit FakeWorkbench(double run_ms) : run_ms_(run_ms) {}

  std::string place(const bench::BenchProblem& p) override {
    if (p.m == too_large) return "no room";
    problem_.op_a = p.op_a;
    problem_.op_b = p.op_b;
    problem_.m = p.m, problem_.n = p.n, problem_.k = p.k;
    problem_.lda = p.lda, problem_.ldb = p.ldb, problem_.ldc = p.ldc;
    return {};
  }
  const GemmProblem& problem() const override { return problem_; }
  const RungKernel* kernel_of(const Rung& rung) const override { return rung.emulated; }
  int multiprocessors() const override { return 132; }
  double now_s() const override { return now_s_; }

  std::unique_ptr<Stopwatch> stopwatch(const RungKernel& kernel) override {
    class Watch final : public Stopwatch {
     public:
      Watch(FakeWorkbench& bench, int best) : bench_(bench), best_(best) {}
      std::optional<double> time_ms(int config) override {
        const double ms = config == best_ ? bench_.run_ms_ : 2 * bench_.run_ms_;
        bench_.now_s_ += ms / ms_per_s;
        return ms;
      }

     private:
      FakeWorkbench& bench_;
      int best_;
    };
    return std::make_unique<Watch>(*this, static_cast<int>(kernel.configs.size()) - 1);
  }

  static constexpr std::int64_t too_large = 1 << 20;

 private:
  double run_ms_;
  double now_s_ = 0.0;
  GemmProblem problem_;
};

bench::BenchProblem cube(std::int64_t size) {
  return bench::with_leading_dimensions({.category = "square", .m = size, .n = size, .k = size});
}

const Rung& rung_7() { return *find_rung("r07"); }

}  // namespace

TEST_CASE("rungs 7 and 9 can be tuned; rungs without a choice cannot") {
  const auto tunable = tunable_rungs();
  CHECK(std::ranges::find(tunable, find_rung("7")) != tunable.end());
  CHECK(std::ranges::find(tunable, find_rung("9")) != tunable.end());
  CHECK(std::ranges::find(tunable, find_rung("6")) == tunable.end());
}

TEST_CASE("each problem and rung gets a choice, measured against the model's") {
  FakeWorkbench workbench(1.0);
  const std::vector<bench::BenchProblem> problems = {cube(4096), cube(512)};
  std::size_t told = 0;
  const Session session = tune(problems,
                               {.rungs = {&rung_7(), &default_rung()},
                                .candidates = all_candidates,
                                .progress = [&](const bench::BenchProblem&, std::size_t, std::size_t) { ++told; }},
                               workbench);
  REQUIRE(session.choices.size() == 4);
  CHECK(session.not_tuned.empty());
  CHECK(told == problems.size());
  const Choice& choice = session.choices.front();
  CHECK(choice.config == rung_7().emulated->configs.back().name);
  CHECK(choice.models_choice != choice.config);
  CHECK(choice.gain == doctest::Approx(2.0));
  CHECK(choice.alignment == Alignment::both);
}

TEST_CASE("the time of every candidate is kept beside what the model said of it") {
  FakeWorkbench workbench(1.0);
  const std::vector<bench::BenchProblem> problems = {cube(4096)};
  const Session session =
      tune(problems, {.rungs = {&rung_7()}, .candidates = all_candidates, .to_the_end = true}, workbench);
  const std::span<const KernelConfig> configs = rung_7().emulated->configs;
  REQUIRE(session.times.size() == configs.size());
  CHECK(session.times.front().config == configs.back().name);
  CHECK(session.times.front().rank == 1);
  CHECK(session.times.front().predicted_cycles == configs.back().predicted_cycles(workbench.problem(), 132));
  std::vector<int> models_ranks;
  for (const CandidateTime& time : session.times) models_ranks.push_back(time.models_rank);
  std::ranges::sort(models_ranks);
  for (std::size_t i = 0; i < models_ranks.size(); ++i) CHECK(models_ranks[i] == static_cast<int>(i) + 1);

  const std::string csv = times_csv({{"GPU", "Some\nGPU"}}, session.times);
  CHECK(csv.starts_with("# GPU: Some GPU\ncategory,op_a,"));
  CHECK(csv.find("square,N,N,4096,4096,4096,4096,4096,4096,1,r07,both," + std::string(configs.back().name) +
                 ",1,1,1,3,1,") != std::string::npos);
}

TEST_CASE("the budget ends the session; what is left is named") {
  FakeWorkbench workbench(100.0);
  const std::vector<bench::BenchProblem> problems(20, cube(8192));
  const Session session = tune(problems, {.rungs = {&rung_7()}, .budget_s = 2.0}, workbench);
  CHECK(session.seconds >= 2.0);
  CHECK(session.seconds <= 2.5);  // no more than the run that was under way, and the first of that problem
  CHECK(!session.choices.empty());
  CHECK(session.choices.size() + session.not_tuned.size() == problems.size());
  CHECK(session.not_tuned.back().find("budget") != std::string::npos);
}

TEST_CASE("a problem that finds no room is named, and the others are tuned") {
  FakeWorkbench workbench(1.0);
  const std::vector<bench::BenchProblem> problems = {cube(FakeWorkbench::too_large), cube(512)};
  const Session session = tune(problems, {.rungs = {&rung_7()}}, workbench);
  CHECK(session.choices.size() == 1);
  REQUIRE(session.not_tuned.size() == 1);
  CHECK(session.not_tuned.front().find("no room") != std::string::npos);
}

TEST_CASE("what a session found is written, read by the library, and chosen") {
  FakeWorkbench workbench(1.0);
  const std::vector<bench::BenchProblem> problems = {cube(512)};
  const Session session = tune(problems, {.rungs = {&rung_7()}, .candidates = all_candidates}, workbench);
  const GpuIdentity gpu{"Some GPU", 132, 13000};
  const shim::CacheKey key = shim::cache_key(gpu);
  const auto folder = std::filesystem::temp_directory_path() / ("ladder-tune-" + std::to_string(getpid()));
  const auto path = folder / "new" / "tuning.json";
  REQUIRE(add_to_cache(path, key, {record_of(session.choices.front())}) == "");

  const shim::Tuning tuning = shim::tuning_for({.named = true, .path = path.string()}, gpu, key);
  CHECK(tuning.complaint == "");
  REQUIRE(tuning.table != nullptr);
  publish_tuning_table(emulator_slot, tuning.table.get());
  const std::span<const KernelConfig> configs = rung_7().emulated->configs;
  CHECK(&choose_config(rung_key("r07"), configs, workbench.problem(), 132, emulator_slot) == &configs.back());
  publish_tuning_table(emulator_slot, nullptr);

  std::string complaint;
  const std::string shown = describe_cache(path, key, complaint);
  CHECK(complaint == "");
  CHECK(shown.find("in use here") != std::string::npos);
  CHECK(shown.find(configs.back().name) != std::string::npos);

  describe_cache(folder / "none.json", key, complaint);
  CHECK(complaint.find("No such file") != std::string::npos);
  describe_cache(folder, key, complaint);
  CHECK(complaint.find("directory") != std::string::npos);
  CHECK(add_to_cache(folder, key, {}).find("left as it is") != std::string::npos);
  const std::string unthinkable(5000, 'x');  // longer than any name may be
  CHECK(add_to_cache(unthinkable, key, {}).find("too long") != std::string::npos);

  std::ofstream(path) << "not a cache";
  CHECK(add_to_cache(path, key, {record_of(session.choices.front())}).find("not a tuning cache") != std::string::npos);
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "not a cache");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a table to build in has a line for each choice") {
  const TuningRecord record{.rung = "r07",
                            .op_a = Op::transpose,
                            .m = 1,
                            .n = 2,
                            .k = 3,
                            .batch = 4,
                            .config = "a",
                            .ms = 0.5,
                            .runner_up = "b"};
  const std::string text = builtin_text({"Some GPU", 132, "580.1", "0123"}, {record});
  CHECK(text.find("TUNED(r07, T, N, both, 1, 2, 3, 4, \"a\", 0.5, \"b\")\n") != std::string::npos);
}

}  // namespace ladder::tune

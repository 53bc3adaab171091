// SPDX-License-Identifier: MIT
// Who rests when in a race of host doors: contenders with threads that stay awake, on a clock that the test turns.
#include "bench/host/host_race.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ladder::bench {

namespace {

constexpr double stays_awake_ms = 104.0;  // as OpenBLAS's threads do
constexpr int samples = 15;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The time, and whose threads are awake until when.
struct FakeCores {
  double now_ms = 0.0;
  double slept_ms = 0.0;
  double awake_until_ms = 0.0;
  const HostContender* awake = nullptr;

  bool busy() const { return now_ms < awake_until_ms; }

  RestMeans means() {
    return {[this] { return busy() ? 16 : 0; }, [this] { return now_ms; },
            [this](double ms) {
              now_ms += ms;
              slept_ms += ms;
            }};
  }
};

struct Habits {
  double ms = 0.0;  ///< of a call
  bool on_cpu_blas = false;
  double stays_awake_ms = 0.0;
  double first_ms = 0.0;  ///< of the first call; 0: as the others
};

class FakeContender : public HostContender {
 public:
  FakeContender(FakeCores& cores, const Habits& habits) : cores_(cores), habits_(habits) {}

  std::string begin(const HostTask&, HostMatrices&) override { return {}; }

  HostAnswer call() override {
    if (cores_.busy() && cores_.awake != this) ++disturbed_;
    return make_call();
  }

  HostAnswer checked_call() override {
    HostAnswer answer = calls_ == 0 ? call() : make_call();
    answer.judgement = Judgement{std::string(verdict_right), 0.0};
    return answer;
  }

  std::string name() const override { return "fake"; }
  bool on_cpu_blas() const override { return habits_.on_cpu_blas; }

  int calls() const { return calls_; }
  int disturbed() const { return disturbed_; }  ///< calls among the awake threads of another, but for the last check
  int woken() const { return woken_; }          ///< calls when nobody was awake

 private:
  HostAnswer make_call() {
    const double ms = calls_ == 0 && habits_.first_ms > 0.0 ? habits_.first_ms : habits_.ms;
    if (!cores_.busy()) ++woken_;
    ++calls_;
    cores_.now_ms += ms;
    if (habits_.stays_awake_ms > 0.0) {
      cores_.awake = this;
      cores_.awake_until_ms = cores_.now_ms + habits_.stays_awake_ms;
    }
    return {{}, ms, std::nullopt};
  }

  FakeCores& cores_;
  Habits habits_;
  int calls_ = 0;
  int disturbed_ = 0;
  int woken_ = 0;
};

Habits gpu_of(double ms) { return {.ms = ms}; }
Habits cpu_of(double ms) { return {.ms = ms, .on_cpu_blas = true, .stays_awake_ms = stays_awake_ms}; }

/// On a problem of no size, and without a failure.
struct FakeRace {
  explicit FakeRace(const std::vector<Habits>& all) {
    contenders.reserve(all.size());
    for (const Habits& habits : all) contenders.emplace_back(cores, habits);
    std::vector<HostContender*> pointers;
    for (FakeContender& contender : contenders) pointers.push_back(&contender);
    HostTask task;
    task.problem.m = task.problem.n = task.problem.k = 1;
    task.problem = with_leading_dimensions(task.problem);
    for (const HostRun& run : race_host_doors(pointers, task, samples, rests)) {
      CHECK(run.complaint.empty());
      CHECK(run.ms.size() == samples);
    }
  }

  FakeCores cores;
  Rests rests{cores.means()};
  std::vector<FakeContender> contenders;
};

}  // namespace

TEST_CASE("nobody's long calls meet the awake threads of another, and one rest a round is enough") {
  for (const double cpu_ms : {1.0, 5.0, 40.0}) {
    CAPTURE(cpu_ms);
    const FakeRace race({gpu_of(4.0), cpu_of(cpu_ms), gpu_of(8.0)});
    for (const FakeContender& contender : race.contenders) CHECK(contender.disturbed() == 0);
    CHECK(race.cores.slept_ms >= samples * (stays_awake_ms - 3 * cpu_ms - 12.0));
    CHECK(race.cores.slept_ms <= (samples + 2) * (stays_awake_ms + 2.0));
    CHECK(contains(race.rests.text(), "48, the longest 104 ms, 0 cut short"));
  }
}

TEST_CASE("a sample of a call under 10 ms finds its own threads awake, rests or not") {
  const FakeRace race({gpu_of(4.0), cpu_of(5.0), gpu_of(8.0)});
  // First call, the one that tells its length, two for each sample, and the last: only untimed ones wake threads.
  CHECK(race.contenders[1].calls() == 3 + 2 * samples);
  CHECK(race.contenders[1].woken() <= 1 + samples + 1);
}

TEST_CASE("where the CPU's calls are short nobody rests but before first calls") {
  const FakeRace race({gpu_of(4.0), cpu_of(0.5), gpu_of(8.0)});
  CHECK(contains(race.rests.text(), "3, "));
  CHECK(race.contenders[0].disturbed() >= samples);
}

TEST_CASE("where no CPU BLAS takes part nobody rests but before first calls") {
  const FakeRace race({gpu_of(4.0), gpu_of(8.0)});
  CHECK(contains(race.rests.text(), "2, the longest 0 ms"));
  CHECK(race.cores.slept_ms == 0.0);
}

TEST_CASE("a first call that is long for once decides nothing") {
  Habits habits = cpu_of(0.5);
  habits.first_ms = 9.0;
  const FakeRace race({gpu_of(4.0), habits, gpu_of(8.0)});
  CHECK(contains(race.rests.text(), "3, "));
}

TEST_CASE("threads that never sleep cannot stop a race") {
  Habits restless = cpu_of(5.0);
  restless.stays_awake_ms = 1e9;
  const FakeRace race({gpu_of(4.0), restless, gpu_of(8.0)});
  // All but those before the first calls of the first two.
  CHECK(contains(race.rests.text(), "46 cut short after 600 ms"));
  CHECK(race.cores.slept_ms <= 48 * 602.0);
}

TEST_CASE("a thread that yields in a loop is awake, one that waits is not") {
  std::atomic<bool> started{false}, stop{false};
  std::thread spinner([&] {
    for (started = true; !stop;) std::this_thread::yield();
  });
  while (!started) std::this_thread::yield();
  CHECK(runnable_threads(getpid()) >= 1);
  stop = true;
  spinner.join();
  Rests rests(rest_means([] { return runnable_threads(getpid()); }));
  rests.rest();
  CHECK(contains(rests.text(), "1, "));
  CHECK(contains(rests.text(), "0 cut short"));
}

TEST_CASE("threads of another process, which may be gone") {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) std::this_thread::yield();
  }
  REQUIRE(child > 0);
  CHECK(runnable_threads(child) == 1);
  kill(child, SIGSTOP);
  waitpid(child, nullptr, WUNTRACED);
  CHECK(runnable_threads(child) == 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(runnable_threads(child) == 0);
  CHECK(runnable_threads(-1) == 0);
}

}  // namespace ladder::bench

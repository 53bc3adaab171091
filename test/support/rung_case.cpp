// SPDX-License-Identifier: MIT
#include "rung_case.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "oracle.hpp"

namespace ladder::test {

namespace {

std::int64_t ld_of(std::int64_t rows, Lines lines) {
  constexpr std::int64_t quad = 4;
  const std::int64_t smallest = std::max<std::int64_t>(1, rows);
  switch (lines) {
    case Lines::quads:
      return (smallest / quad + 1) * quad;
    case Lines::odd:
      return smallest + 1 + smallest % 2;
    case Lines::tight:
      break;
  }
  return smallest;
}

/// Everything of a case's problem but addresses and scalars by address.
GemmProblem shape_of(const Case& c) {
  GemmProblem p;
  p.op_a = c.op_a;
  p.op_b = c.op_b;
  p.m = c.shape.m;
  p.n = c.shape.n;
  p.k = c.shape.k;
  p.alpha.value = c.alpha;
  p.lda = ld_of(c.op_a == Op::none ? p.m : p.k, c.lines);
  p.ldb = ld_of(c.op_b == Op::none ? p.k : p.n, c.lines);
  p.beta.value = c.beta;
  p.ldc = ld_of(p.m, c.lines);
  return p;
}

// What beta scales where that is not C: not read where beta = 0.
Matrix old_c_of(const Case& c, const GemmProblem& p) {
  if (!c.finish.old_c_elsewhere) return {0, 0, 1, 0};
  constexpr int other_shift = 2;
  Matrix old_c(p.m, p.n, p.ldc + 3, other_shift);
  old_c.fill_randomly(~c.seed);
  if (c.beta == 0.0f) old_c.fill(std::numeric_limits<float>::quiet_NaN());
  return old_c;
}

Matrix bias_of(const Case& c, const GemmProblem& p) {
  const std::int64_t elements = c.finish.bias == Bias::by_row ? p.m : c.finish.bias == Bias::by_column ? p.n : 0;
  Matrix bias(elements, elements == 0 ? 0 : 1, std::max<std::int64_t>(elements, 1), c.shift);
  bias.fill_randomly(c.seed + 1000);
  return bias;
}

// An address where any access faults.
const float* unreadable() {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  static void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return static_cast<const float*>(memory);
}

using LaunchFunction = LaunchStatus (*)(const GemmProblem& problem, Stream stream);

Matrix result_of(LaunchFunction launch, const Operands& operands) {
  Matrix result = operands.c;
  {
    const Matrix::Armed armed_a(operands.a);
    const Matrix::Armed armed_b(operands.b);
    const Matrix::Armed armed_c(result);
    const Matrix::Armed armed_old_c(operands.old_c);
    const Matrix::Armed armed_bias(operands.bias);
    REQUIRE(launch(operands.problem(result), nullptr) == launch_ok);
  }
  CHECK(result.canaries_live());
  return result;
}

void check_within_bound(const Matrix& result, const std::vector<Expected>& expected) {
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < result.columns(); ++j) {
    for (std::int64_t i = 0; i < result.rows(); ++i) {
      const Expected& due = expected[static_cast<std::size_t>(i + j * result.rows())];
      if (!agrees(result.at(i, j), due) && wrong++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", result.at(i, j), ", due ", due.value, " +- ", due.bound);
      }
    }
  }
  CHECK(wrong == 0);
}

void check_same(const Matrix& result, const Matrix& other, const char* whose) {
  std::int64_t different = 0;
  for (std::int64_t j = 0; j < result.columns(); ++j) {
    for (std::int64_t i = 0; i < result.rows(); ++i) {
      if (!same_value(result.at(i, j), other.at(i, j)) && different++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", result.at(i, j), ", ", whose, " has ", other.at(i, j));
      }
    }
  }
  CHECK(different == 0);
}

/// What a launch has to agree with.
struct Due {
  std::vector<Expected> expected;
  std::optional<Matrix> of_rung_1;  // none in the tiny set
};

void check_launch(LaunchFunction launch, Sums sums, const Operands& operands, const Due& due) {
  constexpr std::uint32_t slab_share = 3;  // the tensor cores' sums take the emulator ten times as long
  const Matrix result = result_of(launch, operands);
  check_within_bound(result, due.expected);
  if (!due.of_rung_1) return;
  if (sums == Sums::by_k || operands.how.exact) {
    check_same(result, *due.of_rung_1, "rung 1");
  } else if (sanitizer_share == 1 && (sums != Sums::by_slab || operands.how.seed % slab_share == 0)) {
    check_same(result_of(launch, operands), result, "the run before");
  }
  if (sums != Sums::as_asked) return;
  const PlainSums asked;
  INFO("in the order of k");
  check_same(result_of(launch, operands), *due.of_rung_1, "rung 1");
}

}  // namespace

std::string describe(const Finish& finish) {
  std::string text;
  if (finish.old_c_elsewhere) text += " old C elsewhere";
  if (finish.bias != Bias::none) text += finish.bias == Bias::by_row ? " bias by row" : " bias by column";
  if (finish.activation != Activation::none) text += finish.activation == Activation::relu ? " relu" : " gelu";
  return text;
}

std::string describe(const std::string& kernel, const Case& c) {
  const auto letter = [](Op op) { return op == Op::none ? 'N' : 'T'; };
  return kernel + " op=" + letter(c.op_a) + letter(c.op_b) + " m=" + std::to_string(c.shape.m) +
         " n=" + std::to_string(c.shape.n) + " k=" + std::to_string(c.shape.k) + " alpha=" + std::to_string(c.alpha) +
         " beta=" + std::to_string(c.beta) + " lines=" + std::to_string(static_cast<int>(c.lines)) +
         " shift=" + std::to_string(c.shift) + (c.scalars_by_address ? " scalars by address" : "") +
         (c.exact ? " exact" : "") + describe(c.finish);
}

bool same_value(float left, float right) {
  return bits_of(left) == bits_of(right) || (std::isnan(left) && std::isnan(right));
}

bool can_run(const KernelConfig& config, const GemmProblem& problem, int multiprocessors) {
  return std::isfinite(config.predicted_cycles(problem, multiprocessors));
}

bool is_rung_9s(const Rung& rung, const KernelConfig& config) {
  return &rung != &default_rung() &&
         std::ranges::count(default_rung().emulated->configs, config.launch, &KernelConfig::launch) > 0;
}

Sums sums_of(const RungKernel& kernel) {
  const bool all_by_k = std::all_of(kernel.configs.begin(), kernel.configs.end(),
                                    [](const KernelConfig& config) { return config.sums == Sums::by_k; });
  return all_by_k ? Sums::by_k : Sums::as_asked;
}

Sums emulated_sums_of(const Rung& rung) {
  return uses_tensor_cores(rung.precision) ? Sums::by_slab : sums_of(*rung.emulated);
}

bool spares_configs(const Rung& rung) { return effort() == Effort::tiny && uses_tensor_cores(rung.precision); }

Operands::Operands(const Case& case_)
    : ProductMatrices(shape_of(case_), case_.shift, case_.seed),
      how(case_),
      old_c(old_c_of(case_, shape_of(case_))),
      bias(bias_of(case_, shape_of(case_))) {
  if (how.finish.old_c_elsewhere) c.fill(std::numeric_limits<float>::quiet_NaN());
  if (!how.exact) return;
  a.fill_with_integers(how.seed);
  b.fill_with_integers(how.seed + 1);
}

GemmProblem Operands::problem(Matrix& result) const {
  GemmProblem p = ProductMatrices::problem(shape_of(how), result);
  if (how.scalars_by_address) {
    // Their values must not be taken instead.
    const float unused = std::numeric_limits<float>::quiet_NaN();
    p.alpha = {&how.alpha, unused};
    p.beta = {&how.beta, unused};
  }
  if (how.inputs_unreadable) p.a = p.b = unreadable();
  if (how.finish.old_c_elsewhere) p.old_c = old_c.data();
  p.ld_old_c = old_c.ld();
  if (how.finish.bias != Bias::none) p.bias = bias.data();
  p.bias_by_column = how.finish.bias == Bias::by_column;
  p.activation = how.finish.activation;
  return p;
}

Effort effort() {
  const char* set = std::getenv("LADDER_TEST_SET");
  if (set == nullptr || std::string_view(set) == "full") return Effort::full;
  REQUIRE((std::string_view(set) == "small" || std::string_view(set) == "tiny"));
  return std::string_view(set) == "small" ? Effort::small : Effort::tiny;
}

std::vector<const Rung*> chosen_rungs() {
  const char* name = std::getenv("LADDER_TEST_RUNG");
  if (name != nullptr) {
    const Rung* rung = find_rung(name);
    REQUIRE(rung != nullptr);
    REQUIRE(rung->emulated != nullptr);
    return {rung};
  }
  std::vector<const Rung*> all;
  for (const Rung& rung : rungs()) {
    if (rung.emulated != nullptr) all.push_back(&rung);
  }
  return all;
}

void check_operands(const Rung& rung, const Operands& operands, Ran* ran) {
  const std::string text = describe(rung.id, operands.how);
  INFO(text);
  const Operands before = operands;
  Matrix unchanged = operands.c;
  const GemmProblem problem = operands.problem(unchanged);
  REQUIRE(first_illegal_argument(problem) == GemmArgument::none);
  if (is_noop(problem)) return;
  Due due{expected_result(problem, rung.precision), std::nullopt};
  if (effort() != Effort::tiny) due.of_rung_1 = result_of(find_rung("naive")->emulated->launch, operands);

  check_launch(rung.emulated->launch, emulated_sums_of(rung), operands, due);
  constexpr unsigned spared_share = 7;
  const unsigned share = spares_configs(rung) ? spared_share : operands.how.share;
  for (std::size_t i = 0; i < rung.emulated->configs.size(); ++i) {
    const KernelConfig& config = rung.emulated->configs[i];
    if ((i + operands.how.seed) % share != 0 || is_rung_9s(rung, config) || !can_run(config, problem)) continue;
    INFO(config.name);
    check_launch(config.launch, config.sums, operands, due);
    if (ran != nullptr) ran->insert(&config);
  }
  const bool leaves_c =
      problem.is_plain() && operands.how.beta == 1.0f && (operands.how.alpha == 0.0f || problem.k == 0);
  if (leaves_c) CHECK(result_of(rung.emulated->launch, operands).same_bits(operands.c));
  CHECK(operands.a.same_bits(before.a));
  CHECK(operands.b.same_bits(before.b));
  CHECK(operands.old_c.same_bits(before.old_c));
  CHECK(operands.bias.same_bits(before.bias));
}

}  // namespace ladder::test

// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <doctest/doctest.h>

using namespace ladder;
using namespace ladder::profile;

namespace {

const bench::BenchProblem cube = [] {
  bench::BenchProblem problem;
  problem.m = problem.n = problem.k = 1024;
  return bench::with_leading_dimensions(problem);
}();
constexpr double ffmas = 1024.0 * 1024.0 * 1024.0 / 32.0;

Figures figures_of(const std::vector<Reading>& readings) { return Figures(Counters({"f", readings}), cube); }

}  // namespace

TEST_CASE("rates and ratios follow from the counters") {
  const auto f = figures_of({{"gpu__time_duration.sum", "ns", 1e6},
                             {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", 32.0 * ffmas},
                             {"smsp__inst_executed.sum", "inst", 4.0 * ffmas},
                             {"smsp__inst_executed_op_shared_ld.sum", "inst", 0.5 * ffmas},
                             {"smsp__inst_executed_op_global_ld.sum", "inst", 0.25 * ffmas},
                             {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", 34.0},
                             {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", 4.0},
                             {"dram__bytes_read.sum", "Mbyte", 3.0 * 1.024 * 1.024 * 4.0},
                             {"dram__bytes_write.sum", "byte", 0.0}});
  CHECK(f[Figure::time] == doctest::Approx(1.0));
  CHECK(f[Figure::rate] == doctest::Approx(2.0 * 1.073741824));
  CHECK(f[Figure::ffma_share] == doctest::Approx(25.0));
  CHECK(f[Figure::loads_per_ffma] == doctest::Approx(0.75));
  CHECK(f[Figure::shared_loads_per_ffma] == doctest::Approx(0.5));
  CHECK(f[Figure::sectors_per_request] == doctest::Approx(8.5));
  CHECK(f[Figure::dram_traffic] == doctest::Approx(1.0));
}

TEST_CASE("asynchronous copies are global loads too") {
  const auto f = figures_of({{"smsp__inst_executed_op_global_ld.sum", "", 0.0},
                             {"smsp__inst_executed_op_ldgsts.sum", "", ffmas / 8.0},
                             {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "", 0.0},
                             {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", 0.0},
                             {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", "", 16.0},
                             {"sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", "", 1.0}});
  CHECK(f[Figure::global_loads_per_ffma] == doctest::Approx(0.125));
  CHECK(f[Figure::sectors_per_request] == doctest::Approx(16.0));
}

TEST_CASE("what cannot be had is missing, not zero") {
  const auto none = figures_of({});
  for (std::size_t i = 0; i < figure_count; ++i) CHECK_FALSE(none[static_cast<Figure>(i)].has_value());
  CHECK(value_text(Figure::fma_pipe, none[Figure::fma_pipe]) == "-");
  const auto idle = figures_of({{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", 0.0},
                                {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "", 0.0},
                                {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "", 0.0},
                                {"launch__occupancy_limit_warps", "block", 4.0}});
  CHECK(idle[Figure::shared_wavefronts] == 0.0);
  CHECK_FALSE(idle[Figure::bank_conflicts].has_value());
  CHECK(idle[Figure::blocks] == 4.0);
}

TEST_CASE("one name for the FMA pipe stands in for the other") {
  CHECK(figures_of({{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "%", 40.0}})[Figure::fma_pipe] ==
        40.0);
  CHECK(figures_of({{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "%", 40.0},
                    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "%", 44.0}})[Figure::fma_pipe] ==
        44.0);
}

TEST_CASE("values for people") {
  CHECK(value_text(Figure::fma_pipe, 87.654) == "87.7 %");
  CHECK(value_text(Figure::clock, 1980.2) == "1980 MHz");
  CHECK(value_text(Figure::loads_per_ffma, 0.0) == "0");
}

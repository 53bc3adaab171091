// SPDX-License-Identifier: MIT
#include "ncu_csv.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace ladder::profile;

namespace {

const std::string heading =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",)"
    R"("Device","CC","dram__bytes_read.sum","gpu__time_duration.sum")";
const std::string units = R"("","","","","","","","","","","","byte","ns")";

std::string row(const std::string& id, const std::string& name, const std::string& bytes, const std::string& time) {
  return '"' + id + R"(","7","ladder","127.0.0.1",")" + name +
         R"csv(","1","7","(256, 1, 1)","(65536, 1, 1)","0","9.0",")csv" + bytes + R"(",")" + time + '"';
}

}  // namespace

TEST_CASE("one row a kernel, among remarks") {
  const auto output = read_ncu_csv(
      "==PROF== Connected to process 7 (/usr/bin/ladder)\n==PROF== Profiling \"x\" - 0: 0%\n" + heading + "\n" + units +
      "\n" + row("0", "sgemm_naive", "1,234,567", "140,000,000") + "\n==WARNING== Something in between\n" +
      row("1", "void f<(int)2, float>(T1, \"\"x\"\")", "n/a", "2.5e3") + "\n");
  CHECK(output.complaint.empty());
  REQUIRE(output.kernels.size() == 2);
  CHECK(output.kernels[0].name == "sgemm_naive");
  REQUIRE(output.kernels[0].readings.size() == 2);
  CHECK(output.kernels[0].readings[0].metric == "dram__bytes_read.sum");
  CHECK(output.kernels[0].readings[0].unit == "byte");
  CHECK(output.kernels[0].readings[0].value == 1234567.0);
  CHECK(output.kernels[0].readings[1].value == 140e6);
  CHECK(output.kernels[1].name == "void f<(int)2, float>(T1, \"x\")");
  CHECK_FALSE(output.kernels[1].readings[0].value.has_value());
  CHECK(output.kernels[1].readings[1].value == 2500.0);
}

TEST_CASE("one row a metric") {
  const std::string start = R"(","7","ladder","h",")";
  const auto line = [&start](const char* id, const char* name, const char* metric, const char* unit,
                             const char* value) {
    return fmt::format("\"{}{}{}\",\"Command line profiler metrics\",\"{}\",\"{}\",\"{}\"\n", id, start, name, metric,
                       unit, value);
  };
  const auto output = read_ncu_csv(
      R"("ID","Process ID","Process Name","Host Name","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value")"
      "\n" +
      line("0", "sgemm_naive", "gpu__time_duration.sum", "ms", "140.5") +
      line("0", "sgemm_naive", "dram__bytes_read.sum", "", "n/a") + line("1", "sgemm_naive", "Duration", "ms", "3") +
      line("1", "sgemm_naive", "gpu__time_duration.sum", "ms", "3"));
  CHECK(output.complaint.empty());
  REQUIRE(output.kernels.size() == 2);
  CHECK(output.kernels[0].readings.size() == 2);
  CHECK(output.kernels[1].readings.size() == 1);
}

TEST_CASE("output without a table has no kernels") {
  CHECK(read_ncu_csv("").kernels.empty());
  CHECK(read_ncu_csv("").complaint.empty());
  CHECK(read_ncu_csv("==ERROR== ERR_NVGPUCTRPERM - no\n==WARNING== No kernels were profiled.\n").complaint.empty());
  CHECK(read_ncu_csv(heading).kernels.empty());
  CHECK(read_ncu_csv(heading + "\n" + units + "\n").kernels.empty());
}

TEST_CASE("a broken table is refused") {
  const std::string begun = heading + "\n" + units + "\n";
  for (const std::string& rest : {std::string("\"0\",\"7\"\n"), std::string("\"0\",\"unfinished"),
                                  std::string("\"0\" x,\"y\"\n"), row("0", "f", "1", "2") + ",\"more\"\n"}) {
    CAPTURE(rest);
    const auto output = read_ncu_csv(begun + rest);
    CHECK_FALSE(output.complaint.empty());
    CHECK(output.kernels.empty());
  }
  CHECK_FALSE(read_ncu_csv("\"ID\",\"Name\"\n\"0\",\"f\"\n").complaint.empty());
  CHECK_FALSE(read_ncu_csv("\"ID\",\"Kernel Name\",\"Metric Name\"\n\"0\",\"f\",\"a__b\"\n").complaint.empty());
}

TEST_CASE("numbers") {
  CHECK(number_of("1,234.5") == 1234.5);
  CHECK(number_of("0") == 0.0);
  CHECK(number_of("1.5e9") == 1.5e9);
  for (const char* text : {"", "n/a", "nan", "inf", "12 %", "1e999", "0x10", "(256, 1, 1)"}) {
    CAPTURE(text);
    CHECK_FALSE(number_of(text).has_value());
  }
}

TEST_CASE("counters come in base units, whatever they came in") {
  const Counters counters({"f",
                           {{"gpu__time_duration.sum", "msecond", 2.0},
                            {"dram__bytes_read.sum", "Gbyte", 3.0},
                            {"sm__cycles_elapsed.avg.per_second", "Ghz", 1.98},
                            {"lts__t_bytes.sum", "byte", std::nullopt},
                            {"nobody__asked.sum", "", 1.0}}});
  CHECK(counters[Metric::duration] == 2e6);
  CHECK(counters[Metric::dram_read] == 3e9);
  CHECK(counters[Metric::sm_clock] == doctest::Approx(1.98e9));
  CHECK_FALSE(counters[Metric::l2_bytes].has_value());
  CHECK_FALSE(counters[Metric::instructions].has_value());
}

// SPDX-License-Identifier: MIT
// What the kinds of data make of a number drawn at random.
#include "bench/operand_data.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace ladder::bench;

namespace {

constexpr std::int64_t extent = 256;

OperandPlace place_in_a(std::int64_t line, std::int64_t k) { return {true, line, extent, k, extent}; }
OperandPlace place_in_b(std::int64_t line, std::int64_t k) { return {false, line, extent, k, extent}; }

// Of all elements of one operand, where every number drawn is 1.5.
std::set<float> values_of(Data data, bool in_a) {
  std::set<float> values;
  for (std::int64_t line = 0; line < extent; ++line) {
    for (std::int64_t k = 0; k < extent; ++k) {
      values.insert(element_of(data, 1.5f, in_a ? place_in_a(line, k) : place_in_b(line, k)));
    }
  }
  return values;
}

}  // namespace

TEST_CASE("every kind of data has a name of its own") {
  std::set<std::string> names(data_names.begin(), data_names.end());
  CHECK(names.size() == data_names.size());
  CHECK(data_named("spread") == Data::spread);
  CHECK(std::string(data_name(Data::graded_rows)) == "graded_rows");
  CHECK_FALSE(data_named("none"));
  CHECK(is_drawn_by_host(Data::zeros));
  CHECK_FALSE(is_drawn_by_host(Data::graded));
}

TEST_CASE("drawn numbers are kept where the distribution is all there is to say") {
  for (const Data data : {Data::normal, Data::uniform, Data::positive})
    CHECK(element_of(data, 0.3f, place_in_a(3, 5)) == 0.3f);
  CHECK(element_of(Data::zeros, 0.3f, place_in_a(3, 5)) == 0.0f);
}

TEST_CASE("graded data rise along k in A and fall in B, graded rows rise over the rows") {
  CHECK(element_of(Data::graded, 1.0f, place_in_a(7, 0)) == 0x1p-10f);
  CHECK(element_of(Data::graded, 1.0f, place_in_a(7, extent - 1)) == 0x1p10f);
  CHECK(element_of(Data::graded, 1.0f, place_in_b(7, 0)) == 0x1p10f);
  CHECK(values_of(Data::graded, true).size() == 21);
  CHECK(element_of(Data::graded_rows, 1.0f, place_in_a(0, 9)) == 0x1p-25f);
  CHECK(element_of(Data::graded_rows, 1.0f, place_in_b(extent - 1, 9)) == 0x1p25f);
  CHECK(values_of(Data::graded_rows, true).size() == 51);
}

TEST_CASE("log-normal data have both signs and keep within sixty binades") {
  bool signs[2] = {};
  for (std::int64_t k = 0; k < extent; ++k) {
    const float value = element_of(Data::log_normal, 2.0f, place_in_a(1, k));
    CHECK(std::abs(value) == 0x1p20f);
    signs[value < 0.0f] = true;
    CHECK(std::abs(element_of(Data::log_normal, 5.0f, place_in_a(1, k))) == 0x1p30f);
    CHECK(std::abs(element_of(Data::log_normal, -5.0f, place_in_a(1, k))) == 0x1p-30f);
  }
  CHECK(signs[0]);
  CHECK(signs[1]);
}

TEST_CASE("one in ten of sparse data is there") {
  int kept = 0;
  for (std::int64_t line = 0; line < extent; ++line) {
    for (std::int64_t k = 0; k < extent; ++k)
      kept += element_of(Data::sparse, 1.0f, place_in_a(line, k)) != 0.0f ? 1 : 0;
  }
  CHECK(kept == doctest::Approx(0.1 * extent * extent).epsilon(0.1));
}

TEST_CASE("subnormal and huge operands, and spikes that do not meet") {
  CHECK(element_of(Data::subnormal, 1.0f, place_in_a(0, 0)) == 0x1p-130f);
  CHECK(element_of(Data::subnormal, 1.0f, place_in_b(0, 0)) == 1.0f);
  CHECK(element_of(Data::huge, 1.0f, place_in_a(0, 0)) == 0x1p60f);
  CHECK(element_of(Data::huge, 1.0f, place_in_b(0, 0)) == 0x1p40f);
  for (std::int64_t k = 0; k < extent; ++k) {
    CHECK(element_of(Data::spiked, 1.0f, place_in_a(0, k)) == (k % 64 == 0 ? 0x1p30f : 1.0f));
    CHECK(element_of(Data::spiked, 1.0f, place_in_b(0, k)) == (k % 64 == 32 ? 0x1p30f : 1.0f));
  }
}

TEST_CASE("spread data fill sixteen binades and no more, in both operands differently") {
  const std::set<float> values = values_of(Data::spread, true);
  CHECK(values.size() == 16);
  CHECK(*values.begin() == 1.5f * 0x1p-15f);
  CHECK(*values.rbegin() == 1.5f);
  CHECK(element_of(Data::spread, -0x1.8p-20f, place_in_a(2, 3)) ==
        -element_of(Data::spread, 0x1.8p5f, place_in_a(2, 3)));
  int different = 0;
  for (std::int64_t k = 0; k < extent; ++k) {
    different += element_of(Data::spread, 1.0f, place_in_a(0, k)) != element_of(Data::spread, 1.0f, place_in_b(0, k));
  }
  CHECK(different > extent / 2);
}

// SPDX-License-Identifier: MIT
// The table of rungs: nothing twice, everything found, a source file for each.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "rung.hpp"

namespace ladder::test {

TEST_CASE("ids, names and numbers are unique") {
  std::set<std::string> words;
  std::set<int> numbers;
  for (const Rung& rung : rungs()) {
    CHECK(words.insert(rung.id).second);
    CHECK(words.insert(rung.name).second);
    if (rung.number != unnumbered) CHECK(numbers.insert(rung.number).second);
  }
}

TEST_CASE("numbers climb by one from 0") {
  int due = 0;
  for (const Rung& rung : rungs()) {
    if (rung.number != unnumbered) CHECK(rung.number == due++);
  }
}

TEST_CASE("a rung is found by its id, its name and its number") {
  for (const Rung& rung : rungs()) {
    CHECK(find_rung(rung.id) == &rung);
    CHECK(find_rung(rung.name) == &rung);
    if (rung.number != unnumbered) CHECK(find_rung(std::to_string(rung.number)) == &rung);
  }
}

TEST_CASE("what is no rung is not found") {
  for (const char* word : {"", "-1", "-", "99", "1x", " 1", "r", "r99", "NAIVE", "naive ", "99999999999999999999"}) {
    CAPTURE(word);
    CHECK(find_rung(word) == nullptr);
  }
}

TEST_CASE("rung 0 has no kernel of its own; every other has one for the emulator, and for the GPU in a CUDA build") {
  for (const Rung& rung : rungs()) {
    CAPTURE(rung.id);
    const bool handed_on = &rung == &cublas_rung();
    CHECK((rung.emulated == nullptr) == handed_on);
    CHECK((rung.gpu == nullptr) == (handed_on || LADDER_HAS_CUDA == 0));
    CHECK(std::string(rung.idea).size() > 0);
    if (rung.emulated == nullptr) continue;
    CHECK((rung.emulated->launch != nullptr));
    CHECK(rung.emulated->tile.bm > 0);
    CHECK(rung.emulated->tile.bn > 0);
    CHECK(rung.emulated->tile.bk > 0);
    CHECK(rung.emulated->tile.stages > 0);
  }
}

TEST_CASE("a rung's file is named after it") {
  for (const Rung& rung : rungs()) {
    if (rung.emulated == nullptr) continue;
    const std::string file = std::string(rung.id) + "_" + rung.name + ".cu";
    CAPTURE(file);
    CHECK(std::filesystem::exists(std::filesystem::path(LADDER_KERNEL_FOLDER) / file));
  }
}

TEST_CASE("the default is rung 9, in FP32") {
  CHECK(default_rung().number == 9);
  CHECK(default_rung().precision == Precision::fp32);
  CHECK(std::string(precision_name(default_rung().precision)) == "fp32");
}

TEST_CASE("every precision has a name, and all but FP32 need the tensor cores") {
  CHECK(std::string(precision_name(Precision::fp32)) == "fp32");
  CHECK(std::string(precision_name(Precision::tf32)) == "tf32");
  CHECK(std::string(precision_name(Precision::bf16x6)) == "bf16x6");
  CHECK(std::string(precision_name(Precision::fp16x3)) == "fp16x3");
  CHECK_FALSE(uses_tensor_cores(Precision::fp32));
  for (const Precision precision : {Precision::tf32, Precision::bf16x6, Precision::fp16x3})
    CHECK(uses_tensor_cores(precision));
}

}  // namespace ladder::test

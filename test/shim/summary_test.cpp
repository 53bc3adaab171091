// SPDX-License-Identifier: MIT
// The summary: which calls share a row, and the text that is made of the rows.
#include "summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace ladder;
using namespace ladder::shim;

namespace {

Served by(const char* rung, Place place, const char* why) {
  return {Server::rung, find_rung(rung), place, -1, why, nullptr};
}

SummaryKey some_key() { return {Door::sgemm_, by("9", Place::emulate, "default"), ShapeClass::square}; }

void add(SummaryTable& table, const SummaryKey& key, std::uint64_t calls, double milliseconds, double gflop) {
  SummaryRow& row = table.row(key);
  row.calls += calls;
  row.nanoseconds += static_cast<std::uint64_t>(milliseconds * 1e6);
  row.flops += gflop * 1e9;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The cells after "ladderblas:", with one space between.
std::string cells_of(const std::string& line) {
  std::istringstream stream(line);
  std::string cell, cells;
  stream >> cell;
  CHECK(cell == "ladderblas:");
  while (stream >> cell) cells += (cells.empty() ? "" : " ") + cell;
  return cells;
}

}  // namespace

TEST_CASE("calls share a row where door, server, place, GPU, class and reason are the same, and only there") {
  const auto table = std::make_unique<SummaryTable>();
  std::set<SummaryRow*> rows;
  const auto is_another = [&](const SummaryKey& key) {
    SummaryRow* row = &table->row(key);
    CHECK(row == &table->row(key));
    CHECK(rows.insert(row).second);
  };
  SummaryKey key = some_key();
  is_another(key);
  key.door = Door::cblas_sgemm;
  is_another(key);
  key.served = by("4", Place::emulate, "default");
  is_another(key);
  key.served.place = Place::gpu;
  is_another(key);
  key.served.gpu_ordinal = 1;
  is_another(key);
  key.shape = ShapeClass::skinny;
  is_another(key);
  key.served.why = "LADDER_RUNG";
  is_another(key);
  key.served.failure = "out of memory";
  is_another(key);
  key.served = Served{};
  is_another(key);
  const std::string same_text = "default";  // elsewhere in memory
  SummaryKey again = some_key();
  again.served.why = same_text.c_str();
  CHECK(rows.count(&table->row(again)) == 1);
}

TEST_CASE("a row knows what it is for") {
  const auto table = std::make_unique<SummaryTable>();
  CHECK(table->empty());
  for (int door = 0; door < door_count; ++door) {
    for (int server = 0; server < server_count; ++server) {
      SummaryKey key{static_cast<Door>(door), served_by_index(server),
                     static_cast<ShapeClass>(door % shape_class_count)};
      key.served.gpu_ordinal = server - 1;
      table->row(key).calls = 1;
      table->for_each([&](const SummaryKey& found, const SummaryRow&) {
        CHECK(found.door == key.door);
        CHECK(found.served.server == key.served.server);
        CHECK(found.served.rung == key.served.rung);
        CHECK(found.served.gpu_ordinal == key.served.gpu_ordinal);
        CHECK(found.shape == key.shape);
        CHECK(std::string(found.served.why) == why_noop);
      });
      table->row(key).calls = 0;
    }
  }
  CHECK(table->empty());
}

TEST_CASE("a table that is full adds up the rest in one row; no call is lost") {
  const auto table = std::make_unique<SummaryTable>();
  SummaryKey key = some_key();
  int calls = 0;
  for (int door = 0; door < door_count; ++door) {
    for (int server = 0; server < server_count; ++server) {
      for (int gpu = -1; gpu < 7; ++gpu) {
        key.door = static_cast<Door>(door);
        key.served = served_by_index(server);
        key.served.gpu_ordinal = gpu;
        table->row(key).calls += 1;
        ++calls;
      }
    }
  }
  REQUIRE(calls > SummaryTable::most_rows);
  CHECK(table->overflow().calls > 0);
  const std::vector<std::string> lines = lines_of(format_summary(*table, false));
  CHECK(cells_of(lines[lines.size() - 3]).rfind("others - - - - - ", 0) == 0);
  CHECK(cells_of(lines[lines.size() - 2]) == "total - - - - - " + std::to_string(calls) + " 0.000 0.000");
}

TEST_CASE("words beyond those that fit are one word") {
  WordList list;
  std::vector<std::string> texts;
  for (int i = 0; i < WordList::most_words + 2; ++i) texts.push_back("word" + std::to_string(i));
  for (int i = 0; i < WordList::most_words; ++i) CHECK(list.number_of(texts[i].c_str()) == i);
  CHECK(list.number_of(texts[WordList::most_words].c_str()) == WordList::too_many);
  CHECK(list.number_of(texts[WordList::most_words + 1].c_str()) == WordList::too_many);
  CHECK(list.number_of("word7") == 7);
  CHECK(std::string(list.word(7)) == "word7");
  CHECK(std::string(list.word(WordList::too_many)) == "other");
}

TEST_CASE("the text: headings, rows by time, totals, notes") {
  const auto table = std::make_unique<SummaryTable>();
  CHECK(format_summary(*table, false).empty());
  add(*table, some_key(), 2, 1.5, 0.25);
  SummaryKey key{Door::cublasSgemm_v2, by("0", Place::gpu, "tf32"), ShapeClass::decode};
  key.served.gpu_ordinal = 1;
  add(*table, key, 30, 40.0, 8.0);
  key.served.why = why_types;
  key.door = Door::cublasGemmEx;
  key.shape = ShapeClass::unknown;
  add(*table, key, 7, 3.0, 0.0);
  key = some_key();
  key.served = {Server::next_blas, nullptr, Place::cpu, -1, "fallback", "Out of memory"};
  add(*table, key, 1, 0.0, 0.0);

  const std::vector<std::string> lines = lines_of(format_summary(*table, false));
  REQUIRE(lines.size() == 7);
  CHECK(cells_of(lines[0]) == "door rung name device class why calls GFLOP host_ms");
  CHECK(cells_of(lines[1]) == "cublasSgemm_v2 0 cublas gpu:1 decode tf32 30 8.000 40.000");
  CHECK(cells_of(lines[2]) == "cublasGemmEx 0 cublas gpu:1 - types 7 0.000 3.000");
  CHECK(cells_of(lines[3]) == "sgemm_ 9 double_buffered emulate square default 2 0.250 1.500");
  CHECK(cells_of(lines[4]) == "sgemm_ none next_blas cpu square fallback:out-of-memory 1 0.000 0.000");
  CHECK(cells_of(lines[5]) == "total - - - - - 40 8.250 44.500");
  CHECK(lines[6] == "ladderblas: note: 37 of 40 calls went on to the real cuBLAS: 30 tf32, 7 types");
  for (int i = 1; i <= 5; ++i) CHECK(lines[i].size() == lines[0].size());

  table->reset();
  CHECK(format_summary(*table, false).empty());
}

TEST_CASE("with GPU times: what was timed, what was not, and the rate of what was") {
  const auto table = std::make_unique<SummaryTable>();
  const SummaryKey on_gpu{Door::cublasSgemm_v2, by("9", Place::gpu, "default"), ShapeClass::square};
  add(*table, on_gpu, 6, 1.0, 12.0);
  table->row(on_gpu).captured = 3;
  table->row(on_gpu).gpu.add(2e6, 4e9);
  add(*table, some_key(), 1, 9.0, 2.0);
  const std::vector<std::string> lines = lines_of(format_summary(*table, true));
  REQUIRE(lines.size() == 6);
  CHECK(cells_of(lines[0]) == "door rung name device class why calls GFLOP host_ms gpu_ms TFLOP/s timed in_graphs");
  CHECK(cells_of(lines[1]) == "cublasSgemm_v2 9 double_buffered gpu square default 6 12.000 1.000 2.000 2.000 1 3");
  CHECK(cells_of(lines[2]) == "sgemm_ 9 double_buffered emulate square default 1 2.000 9.000 - - 0 0");
  CHECK(cells_of(lines[3]) == "total - - - - - 7 14.000 10.000 2.000 2.000 1 3");
  CHECK(lines[4].rfind("ladderblas: note: 3 calls became part of graphs", 0) == 0);
  CHECK(lines[5].rfind("ladderblas: note: 2 calls on a GPU have no GPU time", 0) == 0);
}

TEST_CASE("no row is lost or doubled between threads") {
  const auto table = std::make_unique<SummaryTable>();
  constexpr int threads = 4;
  constexpr int calls = 1000;
  const std::vector<std::string> reasons{"a", "b", "c", "d", "e"};
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      SummaryKey key = some_key();
      for (int i = 0; i < calls; ++i) {
        key.served.why = reasons[i % reasons.size()].c_str();
        key.shape = static_cast<ShapeClass>(i % shape_class_count);
        table->row(key).calls += 1;
      }
    });
  for (std::thread& thread : pool) thread.join();
  int rows = 0;
  std::uint64_t sum = 0;
  table->for_each([&](const SummaryKey&, const SummaryRow& row) {
    ++rows;
    sum += row.calls;
  });
  CHECK(sum == threads * calls);
  CHECK(rows == shape_class_count);  // the reason goes with the class: 5 divides 10
}

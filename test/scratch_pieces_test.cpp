// SPDX-License-Identifier: MIT
// Which captured graph gets which piece of scratch memory, and the numbers of contexts, without a GPU.
#include "scratch_pieces.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "key_numbers.hpp"

namespace ladder::test {

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t plenty = 1024 * mib;

// As many addresses as a test has pieces; nobody looks behind them.
std::array<char, 8> memories;

/// Takes a piece and gives a new one its memory, as a launch does.
ScratchPiece* taken(ScratchPieces& pieces, const CapturedStream& owner, std::size_t bytes, std::size_t most = plenty) {
  static std::size_t used = 0;
  ScratchPiece* const piece = pieces.take(owner, bytes, most).piece;
  if (piece != nullptr && piece->memory == nullptr) pieces.fill(*piece, &memories[used++ % memories.size()]);
  return piece;
}

}  // namespace

TEST_CASE("a piece has a power of two of bytes, from 1 MiB to all that a launch may need") {
  const auto floats_in = [](std::size_t bytes) { return static_cast<std::int64_t>((bytes - ticket_bytes) / 4); };
  CHECK(piece_bytes(0) == mib);
  CHECK(piece_bytes(1) == mib);
  CHECK(piece_bytes(floats_in(mib)) == mib);
  CHECK(piece_bytes(floats_in(mib) + 1) == 2 * mib);
  CHECK(piece_bytes(floats_in(32 * mib)) == 32 * mib);
  CHECK(piece_bytes(floats_in(32 * mib) + 1) == largest_piece);
  CHECK(piece_bytes(scratch_floats) == largest_piece);
  CHECK(largest_piece == static_cast<std::size_t>(scratch_floats) * 4 + ticket_bytes);
}

TEST_CASE("what is captured on one stream shares a piece that is large enough for it") {
  static ScratchPieces pieces;
  const CapturedStream owner{0, 1, 0x10};
  ScratchPiece* const first = taken(pieces, owner, 2 * mib);
  REQUIRE(first != nullptr);
  CHECK(first->bytes == 2 * mib);
  for (const std::size_t bytes : {mib, 2 * mib}) {
    const auto [piece, was_held] = pieces.take(owner, bytes, plenty);
    CHECK(piece == first);
    CHECK(was_held);
  }
  const auto [larger, was_held] = pieces.take(owner, 4 * mib, plenty);
  CHECK(larger != first);
  CHECK(larger->bytes == 4 * mib);
  CHECK_FALSE(was_held);
  CHECK(larger->memory == nullptr);
}

TEST_CASE("no two captures, streams or contexts share a piece") {
  static ScratchPieces pieces;
  std::set<const ScratchPiece*> seen;
  for (const CapturedStream& owner : {CapturedStream{0, 1, 0x10}, CapturedStream{0, 1, 0x20},
                                      CapturedStream{0, 2, 0x10}, CapturedStream{1, 1, 0x10}}) {
    seen.insert(taken(pieces, owner, mib));
  }
  CHECK(seen.size() == 4);
  CHECK(seen.count(nullptr) == 0);
}

TEST_CASE("what a graph leaves behind is the next one's of its context, the smallest that will do") {
  static ScratchPieces pieces;
  ScratchPiece* const large = taken(pieces, {0, 1, 0x10}, 4 * mib);
  ScratchPiece* const small = taken(pieces, {0, 2, 0x10}, 2 * mib);
  ScratchPiece* const elsewhere = taken(pieces, {1, 3, 0x10}, mib);
  char* const memory = small->memory;
  for (ScratchPiece* piece : {large, small, elsewhere}) pieces.give_back(*piece);

  const auto [next, was_held] = pieces.take({0, 4, 0x10}, mib, plenty);
  CHECK(next == small);
  CHECK(next->memory == memory);
  CHECK_FALSE(was_held);
  CHECK(taken(pieces, {0, 5, 0x10}, mib) == large);
  ScratchPiece* const one_more = taken(pieces, {0, 6, 0x10}, mib);
  CHECK(one_more != elsewhere);
  CHECK(one_more->bytes == mib);
}

TEST_CASE("a piece that its graph gave back is not its owner's any more") {
  static ScratchPieces pieces;
  const CapturedStream owner{0, 1, 0x10};
  ScratchPiece* const piece = taken(pieces, owner, mib);
  pieces.give_back(*piece);
  const auto [again, was_held] = pieces.take(owner, mib, plenty);
  CHECK(again == piece);
  CHECK_FALSE(was_held);
}

TEST_CASE("the graphs of a context hold no more than they may, and those of another one as much again") {
  static ScratchPieces pieces;
  constexpr std::size_t most = 3 * mib;
  ScratchPiece* const first = taken(pieces, {0, 1, 0x10}, 2 * mib, most);
  CHECK(taken(pieces, {0, 2, 0x10}, 2 * mib, most) == nullptr);
  CHECK(taken(pieces, {0, 2, 0x10}, mib, most) != nullptr);
  CHECK(taken(pieces, {0, 3, 0x10}, mib, most) == nullptr);
  CHECK(taken(pieces, {1, 3, 0x10}, 2 * mib, most) != nullptr);
  pieces.give_back(*first);
  CHECK(taken(pieces, {0, 3, 0x10}, mib, most) == first);
}

TEST_CASE("a piece for which there was no memory leaves room for others, and nobody finds it before it is there") {
  static ScratchPieces pieces;
  const CapturedStream owner{0, 1, 0x10};
  ScratchPiece* const refused = pieces.take(owner, mib, mib).piece;
  REQUIRE(refused != nullptr);
  CHECK(pieces.take(owner, mib, mib).piece == nullptr);
  pieces.forget(*refused);
  ScratchPiece* const next = taken(pieces, owner, mib, mib);
  REQUIRE(next != nullptr);
  CHECK(next->memory != nullptr);
}

TEST_CASE("threads that take pieces at once get different ones") {
  static ScratchPieces pieces;
  constexpr int threads = 4, times = 50;
  std::vector<std::vector<ScratchPiece*>> of_thread(threads);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (int i = 0; i < times; ++i)
        of_thread[thread].push_back(pieces.take({0, std::uint64_t(thread * times + i), 0x10}, mib, plenty).piece);
    });
  }
  for (std::thread& thread : running) thread.join();
  std::set<const ScratchPiece*> seen;
  for (const auto& those : of_thread) seen.insert(those.begin(), those.end());
  CHECK(seen.size() == threads * times);
  CHECK(seen.count(nullptr) == 0);
}

TEST_CASE("the first keys get numbers and keep them, those beyond get none") {
  static KeyNumbers<3> numbers;
  CHECK(numbers.number_of(7) == 0);
  CHECK(numbers.number_of(70) == 1);
  CHECK(numbers.number_of(7) == 0);
  CHECK(numbers.number_of(700) == 2);
  CHECK(numbers.number_of(7000) == KeyNumbers<3>::none);
  CHECK(numbers.number_of(70) == 1);
}

TEST_CASE("threads that ask at once agree on every key's number") {
  constexpr int keys = 16, threads = 4;
  static KeyNumbers<keys> numbers;
  std::array<std::array<int, keys>, threads> of_thread{};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (int i = 0; i < keys; ++i) {
        const int key = (i + thread * keys / threads) % keys;
        of_thread[thread][key] = numbers.number_of(static_cast<std::uint64_t>(key) + 1);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const auto& those : of_thread) CHECK(those == of_thread[0]);
  const std::set<int> different(of_thread[0].begin(), of_thread[0].end());
  CHECK(different.size() == keys);
  CHECK(*different.begin() == 0);
}

}  // namespace ladder::test

// SPDX-License-Identifier: MIT
// Memory that a fake GPU gives out: found again by address, and known to be wrongly used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace ladder::test {

/// From the first byte to after the last.
struct Touched {
  const std::byte* begin;
  const std::byte* end;

  bool meets(const Touched& other) const { return begin < other.end && other.begin < end; }
};

/// Full of NaN when given. It stays where it is when it is taken back: whoever still uses it is found, and does no
/// harm.
class FakeMemory {
 public:
  void* give(std::size_t bytes, int context);
  /// Null, or why that is wrong. `all` becomes what was there.
  const char* take_back(const void* memory, Touched& all);

  bool has(const void* address) const { return find(address) != nullptr; }
  /// Null, or what is wrong with using it in that context. Of memory that is not from here: that it is not.
  const char* complaint(const Touched& use, int context) const;

  std::size_t held() const { return held_; }
  std::size_t held_in(int context) const;
  std::size_t most_held() const { return most_held_; }
  int given() const { return static_cast<int>(pieces_.size()); }

 private:
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    Touched all;
    int context;
    bool is_held;
  };
  const Piece* find(const void* address) const;

  std::map<const std::byte*, Piece> pieces_;  // by where they begin
  std::size_t held_ = 0;
  std::size_t most_held_ = 0;
};

}  // namespace ladder::test

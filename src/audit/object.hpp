// SPDX-License-Identifier: MIT
// What the auditor remembers of a loaded object: all of it in the one word that the loader keeps for an auditor.
#pragma once

#include <link.h>

#include <cstdint>

#include "doors.hpp"

namespace ladder::audit {

class Object {
 public:
  /// Looks at what the object exports.
  Object(const link_map& map, Lmid_t name_space);

  explicit Object(std::uintptr_t word) : word_(word) {}
  std::uintptr_t word() const { return word_; }

  const link_map& map() const { return *reinterpret_cast<const link_map*>(word_ & ~all_marks); }

  /// In another namespace than the program.
  bool is_elsewhere() const { return (word_ & elsewhere) != 0; }

  /// The object itself defines doors of this kind.
  bool defines(Kind kind) const { return (word_ & mark_of(kind)) != 0; }

 private:
  // The lowest bits of the address of a link_map are free.
  static constexpr std::uintptr_t elsewhere = 1, device_doors = 2, host_doors = 4;
  static constexpr std::uintptr_t all_marks = elsewhere | device_doors | host_doors;
  static_assert(alignof(link_map) > all_marks, "the marks lie beside the address of a link_map");
  static std::uintptr_t mark_of(Kind kind) { return kind == Kind::device ? device_doors : host_doors; }

  std::uintptr_t word_;
};

inline bool operator==(Object a, Object b) { return a.word() == b.word(); }

}  // namespace ladder::audit

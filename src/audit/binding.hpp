// SPDX-License-Identifier: MIT
// The policy: which bindings are redirected to libladderblas, and why the others are not.
#pragma once

#include <link.h>

#include <cstdint>

#include "doors.hpp"
#include "object.hpp"

namespace ladder::audit {

/// The words of the record (record.hpp says what each means).
enum class Answer : unsigned char {
  door,
  ours,
  own_search,
  not_a_door,
  inside_blas,
  not_a_blas,
  not_loaded,
  elsewhere,
  record_only,
};

const char* word_of(Answer answer);

/// A reference of one object and the definition of another that the loader found for it.
struct Binding {
  const char* symbol;
  Object from, to;
  bool by_dlsym;
};

/// libladderblas in the program's namespace, where it was there at the start.
class Ladderblas {
 public:
  /// Takes the object for libladderblas if it is that. While the process has one thread.
  bool recognise(Object object);

  bool is_loaded() const { return map_ != nullptr; }
  bool is(Object object) const { return map_ != nullptr && &object.map() == map_; }

  /// Address of its function, or 0 where this libladderblas has no such door.
  std::uintptr_t function(int door) const { return functions_[door]; }

 private:
  const link_map* map_ = nullptr;
  std::uintptr_t functions_[door_count] = {};
};

/// What is to be done about the binding. Answer::door: make it mean function(door_index(symbol)).
Answer judge(const Binding& binding, const Ladderblas& ladderblas, bool record_only);

}  // namespace ladder::audit

// SPDX-License-Identifier: MIT
#include "binding.hpp"

#include "symbol_table.hpp"

namespace ladder::audit {

namespace {

bool is_of_a_blas(const Binding& binding) {
  const char* companion = companion_of(binding.symbol);
  return companion == nullptr || SymbolTable(binding.to.map()).defines(companion);
}

}  // namespace

const char* word_of(Answer answer) {
  switch (answer) {
    case Answer::door:
      return "door";
    case Answer::ours:
      return "ours";
    case Answer::own_search:
      return "own_search";
    case Answer::not_a_door:
      return "not_a_door";
    case Answer::inside_blas:
      return "inside_blas";
    case Answer::not_a_blas:
      return "not_a_blas";
    case Answer::not_loaded:
      return "not_loaded";
    case Answer::elsewhere:
      return "namespace";
    case Answer::record_only:
      return "record_only";
  }
  return "";
}

bool Ladderblas::recognise(Object object) {
  if (is_loaded() || object.is_elsewhere()) return false;
  const SymbolTable table(object.map());
  if (!table.defines("ladder_version")) return false;
  map_ = &object.map();
  for (int i = 0; i < door_count; ++i) functions_[i] = table.find(doors[i].text);
  return true;
}

Answer judge(const Binding& binding, const Ladderblas& ladderblas, bool record_only) {
  if (binding.from.is_elsewhere() || binding.to.is_elsewhere()) return Answer::elsewhere;
  const int door = door_index(binding.symbol);
  if (door < 0) return Answer::not_a_door;
  if (!ladderblas.is_loaded()) return Answer::not_loaded;
  if (ladderblas.is(binding.to)) return Answer::ours;
  if (ladderblas.is(binding.from)) return Answer::own_search;
  if (ladderblas.function(door) == 0) return Answer::not_a_door;
  if (binding.from.defines(doors[door].kind)) return Answer::inside_blas;
  if (!is_of_a_blas(binding)) return Answer::not_a_blas;
  return record_only ? Answer::record_only : Answer::door;
}

}  // namespace ladder::audit

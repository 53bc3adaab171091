// SPDX-License-Identifier: MIT
// What became of each name that an object of the program uses.
#include <algorithm>
#include <array>

#include "diagnosis.hpp"

namespace ladder::doctor {

namespace {

const ElfFacts* object_at(const Run& run, const std::string& file) {
  const auto found = std::ranges::find(run.objects, file, &ElfFacts::file);
  return found == run.objects.end() ? nullptr : &*found;
}

/// Libraries that have what they use: a BLAS among its own parts.
bool is_blas(const ElfFacts* object) {
  return object != nullptr && object->interpreter.empty() && has_symbol(*object, Role::exported, NameKind::door);
}

/// The words of src/audit/record.hpp for what was not, or would not be, redirected.
constexpr std::string_view why_inside_blas = "inside_blas", why_namespace = "namespace", why_not_a_blas = "not_a_blas",
                           why_not_loaded = "not_loaded";

Fate fate_past_us(const Run& run, const Binding& binding) {
  const ElfFacts* from = object_at(run, binding.from);
  const bool library = from == nullptr || from->interpreter.empty();
  if (library && (binding.why == why_inside_blas || is_blas(from))) return Fate::inside_blas;
  if (binding.from == binding.to) return Fate::own_copy;
  if (binding.why == why_not_loaded) return Fate::past_not_loaded;
  if (binding.why == why_namespace) return Fate::past_in_namespace;
  return binding.way == Way::dlsym ? Fate::past_by_dlsym : Fate::past_by_deepbind;
}

Fate fate_of(const Run& run, const Binding& binding, NameKind kind) {
  switch (kind) {
    case NameKind::another_name:
      return Fate::another_name;
    case NameKind::another_form:
      return Fate::another_form;
    case NameKind::another_type:
      return Fate::another_type;
    case NameKind::not_a_product:
      return Fate::not_a_product;
    case NameKind::door:
    case NameKind::other:
      break;
  }
  if (!binding.redirected && !is_ours(binding.to)) return fate_past_us(run, binding);
  return run.calls.through(binding.symbol) > 0 ? Fate::served : Fate::unused;
}

/// A BLAS's use of its own parts says something of SGEMM only.
bool is_worth_a_row(const Run& run, const Binding& binding, NameKind kind) {
  if (kind == NameKind::other || is_ours(binding.from) || binding.why == why_not_a_blas) return false;
  return kind == NameKind::door || !is_blas(object_at(run, binding.from));
}

bool is_bound(const Run& run, const ElfFacts& object, const std::string& symbol) {
  return std::ranges::any_of(run.log.bindings, [&](const Binding& binding) {
    return binding.symbol == symbol && binding.from == object.file;
  });
}

/// What an object imports and the loader was not asked for: a door that, bound lazily, is never called, and the
/// neighbours of which the auditor keeps no record.
void add_unbound(const Run& run, std::vector<Row>& rows) {
  for (const ElfFacts& object : run.objects) {
    for (const GemmSymbol& symbol : object.symbols) {
      const bool door = symbol.kind == NameKind::door, neighbour = symbol.kind == NameKind::not_a_product;
      if (symbol.role != Role::imported || !(door || neighbour) || is_bound(run, object, symbol.name)) continue;
      const Binding unbound{symbol.name, object.file, {}, {}, {}, {}};
      if (is_worth_a_row(run, unbound, symbol.kind)) {
        rows.push_back({unbound, door ? Fate::not_bound : Fate::not_a_product});
      }
    }
  }
}

}  // namespace

const char* fate_name(Fate fate) {
  constexpr std::array names = {"served",           "unused",          "not_bound",         "past_by_dlsym",
                                "past_by_deepbind", "past_not_loaded", "past_in_namespace", "own_copy",
                                "inside_blas",      "another_name",    "another_form",      "another_type",
                                "not_a_product"};
  return names[static_cast<std::size_t>(fate)];
}

bool is_missed(Fate fate) {
  switch (fate) {
    case Fate::past_by_dlsym:
    case Fate::past_by_deepbind:
    case Fate::past_not_loaded:
    case Fate::past_in_namespace:
    case Fate::own_copy:
    case Fate::another_name:
    case Fate::another_form:
      return true;
    case Fate::served:
    case Fate::unused:
    case Fate::not_bound:
    case Fate::inside_blas:
    case Fate::another_type:
    case Fate::not_a_product:
      break;
  }
  return false;
}

std::vector<Row> rows_of(const Run& run) {
  std::vector<Row> rows;
  for (const Binding& binding : run.log.bindings) {
    const NameKind kind = kind_of(binding.symbol);
    if (!is_worth_a_row(run, binding, kind)) continue;
    const Fate fate = fate_of(run, binding, kind);
    rows.push_back({binding, fate, fate == Fate::served ? run.calls.through(binding.symbol) : 0});
  }
  add_unbound(run, rows);
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return std::pair(!is_missed(row.fate), row.fate); });
  return rows;
}

}  // namespace ladder::doctor

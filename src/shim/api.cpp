// SPDX-License-Identifier: MIT
// The functions of ladderblas.h.
#include <ladderblas/ladderblas.h>

#include <optional>
#include <string_view>

#include "auto_rung.hpp"
#include "counters.hpp"
#include "last_error.hpp"
#include "log.hpp"
#include "rung.hpp"
#include "rung_wish.hpp"

namespace shim = ladder::shim;
using ladder::Rung;

namespace {

#define AS_TEXT(number) #number
#define DOTTED(major, minor, patch) AS_TEXT(major) "." AS_TEXT(minor) "." AS_TEXT(patch)
constexpr const char* version = DOTTED(LADDERBLAS_VERSION_MAJOR, LADDERBLAS_VERSION_MINOR, LADDERBLAS_VERSION_PATCH);
static_assert(std::string_view(version) == LADDER_PROJECT_VERSION, "the header and the build name the same version");
#undef DOTTED
#undef AS_TEXT

ladder_status set_rung(const char* name, void (*wish)(const Rung*)) {
  const bool automatic = name != nullptr && std::string_view(name) == ladder::auto_rung_id;
  const Rung* rung = automatic ? &ladder::auto_entry() : name ? ladder::find_rung(name) : nullptr;
  if (name != nullptr && rung == nullptr) {
    shim::set_last_error("there is no such rung; ladder_rung_info() lists those that exist");
    return LADDER_UNKNOWN_RUNG;
  }
  wish(rung);
  return LADDER_OK;
}

const char* name_of(const Rung* rung) { return rung ? rung->name : nullptr; }

std::optional<shim::Door> find_door(std::string_view name) {
  for (int i = 0; i < shim::door_count; ++i) {
    if (name == shim::door_names[i]) return static_cast<shim::Door>(i);
  }
  return std::nullopt;
}

}  // namespace

const char* ladder_version(void) { return version; }

int ladder_rung_count(void) { return static_cast<int>(ladder::rungs().size()); }

ladder_status ladder_rung_info(int index, ladder_rung* info) {
  if (info == nullptr) return LADDER_INVALID_ARGUMENT;
  if (index < 0 || index >= ladder_rung_count()) return LADDER_UNKNOWN_RUNG;
  const Rung& rung = ladder::rungs()[index];
  *info = {rung.id, rung.number, rung.name, rung.idea, ladder::precision_name(rung.precision)};
  return LADDER_OK;
}

ladder_status ladder_set_rung(const char* rung) { return set_rung(rung, shim::wish_for_process); }

ladder_status ladder_set_thread_rung(const char* rung) { return set_rung(rung, shim::wish_for_thread); }

const char* ladder_get_rung(void) { return name_of(shim::wish_of_process()); }

const char* ladder_get_thread_rung(void) { return name_of(shim::wish_of_thread()); }

uint64_t ladder_call_count(const char* door, const char* rung) {
  const std::optional<shim::Door> found_door = door ? find_door(door) : std::nullopt;
  const Rung* found_rung = rung ? ladder::find_rung(rung) : nullptr;
  if ((door != nullptr && !found_door) || (rung != nullptr && found_rung == nullptr)) return 0;
  return shim::count_of(found_door, found_rung);
}

void ladder_reset_counters(void) { shim::forget_calls(); }

const char* ladder_last_error(void) { return shim::last_error(); }

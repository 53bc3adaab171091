// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include <elf.h>

#include "system.hpp"
#include "text.hpp"
#include "text_buffer.hpp"

namespace ladder::audit {

namespace {

Settings current;

void set_mode(const char* value) {
  if (same(value, "record")) {
    current.record_only = true;
  } else if (*value != '\0' && !same(value, "redirect")) {
    constexpr int room = 512;
    char letters[room];
    TextBuffer line(letters, room);
    line.text("ladderblas: LADDER_AUDIT=").text(value);
    line.text(" is not valid; valid are: redirect, record; the default is used").write_line_to(standard_error);
  }
}

/// The loader hands these to the initialiser of every library. The auxiliary vector lies behind the environment.
[[gnu::constructor]] void read(int, char**, char** environment) {
  char** variable = environment;
  for (; *variable != nullptr; ++variable) {
    if (const char* value = after(*variable, "LADDER_AUDIT=")) set_mode(value);
    if (const char* value = after(*variable, "LADDER_AUDIT_LOG=")) current.log = *value != '\0' ? value : nullptr;
  }
  const auto* entry = reinterpret_cast<const Elf64_auxv_t*>(variable + 1);
  for (; entry->a_type != AT_NULL; ++entry) {
    if (entry->a_type == AT_SECURE) current.secure = entry->a_un.a_val != 0;
  }
}

}  // namespace

const Settings& settings() { return current; }

}  // namespace ladder::audit

// SPDX-License-Identifier: MIT
// What the auditor needs to know about strings: it has no C library to ask.
#pragma once

namespace ladder::audit {

/// Where `text` goes on after `beginning`, or null.
inline const char* after(const char* text, const char* beginning) {
  for (; *beginning != '\0'; ++beginning, ++text) {
    if (*text != *beginning) return nullptr;
  }
  return text;
}

inline bool begins_with(const char* text, const char* beginning) { return after(text, beginning) != nullptr; }

inline bool same(const char* a, const char* b) {
  const char* rest = after(a, b);
  return rest != nullptr && *rest == '\0';
}

}  // namespace ladder::audit

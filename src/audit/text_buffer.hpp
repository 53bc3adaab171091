// SPDX-License-Identifier: MIT
// Text put together in the caller's memory: the auditor has no heap.
#pragma once

#include <cstddef>

#include "system.hpp"

namespace ladder::audit {

class TextBuffer {
 public:
  /// Writes to `room`, which has that many bytes and outlives this.
  TextBuffer(char* room, std::size_t bytes) : letters_(room), most_(bytes) {}

  TextBuffer& text(const char* words);
  TextBuffer& number(long value);

  /// `key=value`, with a tab before it unless it is the first; tabs, newlines and backslashes in the value escaped.
  TextBuffer& field(const char* key, const char* value);
  TextBuffer& field(const char* key, long value);

  /// A path in which %p stands for the process id.
  TextBuffer& path(const char* pattern);

  /// Ends the text with a 0; "" if it did not fit.
  const char* c_string();

  /// Ends the text with a newline and writes it at once; nothing if it did not fit.
  void write_line_to(File file);

 private:
  void put(char letter);
  void begin_field(const char* key);

  char* letters_;
  std::size_t most_;
  std::size_t length_ = 0;
  bool fits_ = true;
};

}  // namespace ladder::audit

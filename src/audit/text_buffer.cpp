// SPDX-License-Identifier: MIT
#include "text_buffer.hpp"

#include "text.hpp"

namespace ladder::audit {

void TextBuffer::put(char letter) {
  fits_ = fits_ && length_ < most_;
  if (fits_) letters_[length_++] = letter;
}

TextBuffer& TextBuffer::text(const char* words) {
  for (; *words != '\0'; ++words) put(*words);
  return *this;
}

TextBuffer& TextBuffer::number(long value) {
  constexpr int base = 10, most_digits = 20;
  char digits[most_digits];
  int count = 0;
  if (value < 0) put('-');
  auto rest = value < 0 ? 0 - static_cast<unsigned long>(value) : static_cast<unsigned long>(value);
  do {
    digits[count++] = static_cast<char>('0' + rest % base);
    rest /= base;
  } while (rest != 0);
  while (count > 0) put(digits[--count]);
  return *this;
}

void TextBuffer::begin_field(const char* key) {
  if (length_ > 0) put('\t');
  text(key);
  put('=');
}

TextBuffer& TextBuffer::field(const char* key, const char* value) {
  begin_field(key);
  for (; *value != '\0'; ++value) {
    const char letter = *value == '\t' ? 't' : *value == '\n' ? 'n' : *value;
    if (letter != *value || letter == '\\') put('\\');
    put(letter);
  }
  return *this;
}

TextBuffer& TextBuffer::field(const char* key, long value) {
  begin_field(key);
  return number(value);
}

TextBuffer& TextBuffer::path(const char* pattern) {
  while (*pattern != '\0') {
    if (const char* rest = after(pattern, "%p")) {
      number(process_id());
      pattern = rest;
    } else {
      put(*pattern++);
    }
  }
  return *this;
}

const char* TextBuffer::c_string() {
  put('\0');
  if (!fits_) letters_[0] = '\0';
  return letters_;
}

void TextBuffer::write_line_to(File file) {
  put('\n');
  if (fits_) write_once(file, letters_, length_);
}

}  // namespace ladder::audit

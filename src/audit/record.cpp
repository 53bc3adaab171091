// SPDX-License-Identifier: MIT
#include "record.hpp"

#include <linux/limits.h>

#include "settings.hpp"
#include "system.hpp"
#include "text_buffer.hpp"

namespace ladder::audit {

namespace {

/// A line of the record. The file is opened for each: a descriptor kept in a program that closes all that it does not
/// know could be another file by the next line, and after a fork the name can be another.
class Entry {
 public:
  explicit Entry(const char* event) : line_(letters_, sizeof letters_) {
    line_.field("event", event).field("pid", process_id());
  }
  ~Entry() {
    char letters[PATH_MAX];
    const File file = open_to_append(TextBuffer(letters, sizeof letters).path(settings().log).c_string());
    if (!file.is_open()) return;
    line_.write_line_to(file);
    close_file(file);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  template <class Value>
  Entry& field(const char* key, Value value) {
    line_.field(key, value);
    return *this;
  }

  Entry& object(const char* key, Object object) {
    const char* name = object.map().l_name;
    return name != nullptr && *name != '\0' ? field(key, name) : program(key);
  }

  Entry& program(const char* key) {
    char path[PATH_MAX];
    program_path(path, sizeof path);
    line_.field(key, path);
    return *this;
  }

 private:
  char letters_[2 * PATH_MAX + PATH_MAX / 2];  // two paths and room for the rest
  TextBuffer line_;
};

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

long number_of(Lmid_t name_space) { return static_cast<long>(name_space); }

/// A BLAS binds hundreds of its own parts, which say nothing about a program.
bool is_of_interest(const Binding& binding) {
  if (door_index(binding.symbol) >= 0) return true;
  const bool part_of_a_blas = binding.from.defines(Kind::device) || binding.from.defines(Kind::host);
  return !part_of_a_blas && is_gemm_like(binding.symbol);
}

}  // namespace

bool is_recording() { return settings().log != nullptr; }

void record_start() {
  if (!is_recording()) return;
  Entry("start").program("program").field("mode", settings().record_only ? "record" : "redirect");
}

void record_open(Object object, Lmid_t name_space, bool ours) {
  if (!is_recording()) return;
  Entry("open").object("object", object).field("namespace", number_of(name_space)).field("ours", yes_or_no(ours));
}

void record_ready() {
  if (is_recording()) Entry("ready");
}

void record_close(Object object) {
  if (is_recording()) Entry("close").object("object", object);
}

void record_binding(const Binding& binding, Answer answer) {
  if (!is_recording() || !is_of_interest(binding)) return;
  Entry("bind")
      .field("symbol", binding.symbol)
      .object("from", binding.from)
      .object("to", binding.to)
      .field("via", binding.by_dlsym ? "dlsym" : "plt")
      .field("redirected", yes_or_no(answer == Answer::door))
      .field("why", word_of(answer));
}

}  // namespace ladder::audit

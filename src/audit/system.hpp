// SPDX-License-Identifier: MIT
// The few system calls of the auditor, made without a C library.
//
// The loader gives an auditor a namespace of its own, with its own copy of every library that it depends on. A second
// libc there would cost memory, a start-up and static TLS, of which programs have little; and its locks would not be
// put right in the child of a fork. So the auditor depends on nothing at all.
#pragma once

#include <cstddef>

namespace ladder::audit {

struct File {
  int descriptor;
  bool is_open() const { return descriptor >= 0; }
};

/// Opens for appending, and makes the file where there is none.
File open_to_append(const char* path);
void close_file(File file);

/// One write(2), whatever comes of it.
void write_once(File file, const char* bytes, std::size_t count);

inline constexpr File standard_error{2};

int process_id();

/// Path of the running program; "" where /proc is not mounted. `path` has room for `bytes`, the final 0 included.
void program_path(char* path, std::size_t bytes);

}  // namespace ladder::audit

// SPDX-License-Identifier: MIT
#include "stderr_line.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace ladder::shim {

void write_line(int descriptor, std::string_view line) {
  const int errno_of_caller = errno;
  char newline = '\n';
  const iovec parts[] = {{const_cast<char*>(line.data()), line.size()}, {&newline, 1}};
  // Nobody can be told that the log could not be written.
  [[maybe_unused]] const ssize_t written = writev(descriptor, parts, 2);
  errno = errno_of_caller;
}

void stderr_line(std::string_view line) { write_line(STDERR_FILENO, line); }

}  // namespace ladder::shim

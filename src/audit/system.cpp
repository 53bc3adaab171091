// SPDX-License-Identifier: MIT
#include "system.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

namespace ladder::audit {

namespace {

static_assert(sizeof(long) == sizeof(void*), "a register holds a pointer");

/// Linux on x86-64; the result is negative on failure. errno is the program's and stays as it is.
long system_call(long number, long first = 0, long second = 0, long third = 0, long fourth = 0) {
  long result;
  register long fourth_register asm("r10") = fourth;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register)
               : "rcx", "r11", "memory");
  return result;
}

long address(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace

File open_to_append(const char* path) {
  constexpr long permissions = 0666;  // less what the umask takes
  constexpr long flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
  return {static_cast<int>(system_call(SYS_openat, AT_FDCWD, address(path), flags, permissions))};
}

void close_file(File file) { system_call(SYS_close, file.descriptor); }

void write_once(File file, const char* bytes, std::size_t count) {
  system_call(SYS_write, file.descriptor, address(bytes), static_cast<long>(count));
}

int process_id() { return static_cast<int>(system_call(SYS_getpid)); }

void program_path(char* path, std::size_t bytes) {
  const long length =
      system_call(SYS_readlinkat, AT_FDCWD, address("/proc/self/exe"), address(path), static_cast<long>(bytes - 1));
  path[length > 0 ? length : 0] = '\0';
}

}  // namespace ladder::audit

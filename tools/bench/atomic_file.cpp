// SPDX-License-Identifier: MIT
#include "atomic_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ladder::bench {

namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// mkstemp gives 0600; a result is for whoever may read the folder's other files.
mode_t usual_mode() {
  constexpr mode_t readable_and_writable = 0666;
  const mode_t mask = umask(0);
  umask(mask);
  return readable_and_writable & ~mask;
}

bool fill(int descriptor, std::string_view text) {
  return write_all(descriptor, text) && fchmod(descriptor, usual_mode()) == 0 && fsync(descriptor) == 0;
}

}  // namespace

bool write_file_atomically(const std::filesystem::path& path, std::string_view text, std::string& complaint) {
  const auto complain = [&](int error) {
    complaint = fmt::format("{}: {}", path.string(), std::strerror(error));
    return false;
  };
  std::string temporary = path.string() + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return complain(errno);
  const bool filled = fill(descriptor, text);
  int error = filled ? 0 : errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return true;
  unlink(temporary.c_str());
  return complain(error);
}

}  // namespace ladder::bench

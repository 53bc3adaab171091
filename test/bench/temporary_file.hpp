// SPDX-License-Identifier: MIT
// A file that a test writes and that is gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ladder::bench {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text = {}) {
    std::string folder = (std::filesystem::temp_directory_path() / "bench_test.XXXXXX").string();
    folder_ = mkdtemp(folder.data()) == nullptr ? std::string{} : folder;
    std::ofstream(path(), std::ios::binary) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path() const { return folder_ / "file.csv"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace ladder::bench

// SPDX-License-Identifier: MIT
// A place for the files that other programs want or write.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace ladder::bench {

/// A folder of one's own under the system's temporary one, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "ladder-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }

  const std::filesystem::path& path() const { return path_; }  ///< empty where there could be none

 private:
  std::filesystem::path path_;
};

}  // namespace ladder::bench

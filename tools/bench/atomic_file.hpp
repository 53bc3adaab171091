// SPDX-License-Identifier: MIT
// Writing a file so that a reader sees the old one or the whole of the new one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ladder::bench {

/// Writes a temporary file in the same folder, syncs it and renames it onto `path`. False with one line of complaint
/// ("PATH: why") where that failed; then `path` is untouched and the temporary file is gone.
bool write_file_atomically(const std::filesystem::path& path, std::string_view text, std::string& complaint);

}  // namespace ladder::bench

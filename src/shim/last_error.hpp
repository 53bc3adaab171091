// SPDX-License-Identifier: MIT
// What went wrong last on this thread, for ladder_last_error().
#pragma once

#include <string_view>

namespace ladder::shim {

/// Keeps (a possibly shortened copy of) `text` for this thread. Allocates nothing.
void set_last_error(std::string_view text);

/// Never null; "" when nothing has gone wrong on this thread.
const char* last_error();

}  // namespace ladder::shim

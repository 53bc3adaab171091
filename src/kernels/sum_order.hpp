// SPDX-License-Identifier: MIT
// Whether a sum may be taken in blocks of k. Blocks fill the GPU and round less; the plain order of k gives bits that
// depend on nothing but an element's own row and column.
#pragma once

namespace ladder {

/// True: every launch from now on adds each element's products in the plain order of k. Any thread.
void set_plain_sums(bool plain);

/// The last value set; false at first.
bool plain_sums();

}  // namespace ladder

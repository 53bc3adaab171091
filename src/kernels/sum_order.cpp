// SPDX-License-Identifier: MIT
#include "sum_order.hpp"

#include <atomic>

namespace ladder {

namespace {

constinit std::atomic<bool> plain{false};

}  // namespace

void set_plain_sums(bool wanted) { plain.store(wanted, std::memory_order_relaxed); }

bool plain_sums() { return plain.load(std::memory_order_relaxed); }

}  // namespace ladder

// SPDX-License-Identifier: MIT
// How a function becomes one of the library's exported symbols.
#pragma once

#define LADDER_EXPORT extern "C" __attribute__((visibility("default")))

/// Address of the code that called the exported function in which this is written.
#define LADDER_CALLER __builtin_return_address(0)

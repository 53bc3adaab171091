// SPDX-License-Identifier: MIT
#include "header_test.c"

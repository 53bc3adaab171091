/* SPDX-License-Identifier: MIT */
/* The public header, alone and first: as C99 and, through header_test.cpp, as C++. */
#include <ladderblas/ladderblas.h>

int main(void) {
  struct ladder_rung rung;
  return ladder_rung_info(0, &rung) == LADDER_OK && rung.number == 0 && ladder_version()[0] != '\0' ? 0 : 1;
}

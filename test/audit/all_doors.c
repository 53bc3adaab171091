/* SPDX-License-Identifier: MIT */
/* A library that defines every door, so that each can be asked for, and a product of another type. None is called. */
#define DEVICE_DOOR(name) \
  void name(void);        \
  void name(void) {}
#define HOST_DOOR(name, form) DEVICE_DOOR(name)
#include "doors.def"

DEVICE_DOOR(dgemm_)

/* SPDX-License-Identifier: MIT */
/* Functions of a BLAS that are none of ours: an SGEMM with a name of its own, a product in double precision, and no
 * product. They take what sgemm_ takes, and compute nothing. */
#define TOY_FUNCTION(name) \
  void name(const char* op) { (void)op; }

TOY_FUNCTION(toy_sgemm_)
TOY_FUNCTION(dgemm_)
TOY_FUNCTION(ssyrk_)

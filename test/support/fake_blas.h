/* SPDX-License-Identifier: MIT */
/* What the fake CPU BLAS leaves in the first element of C, and how often it was called. */
#ifndef FAKE_BLAS_H
#define FAKE_BLAS_H

#define FAKE_BLAS_MARK 4242.0f

int fake_blas_cblas_calls(void);
int fake_blas_fortran_calls(void);

#endif

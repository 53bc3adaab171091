/* SPDX-License-Identifier: MIT */
/* libladderblas: choosing the rung of the ladder and counting calls from inside a program. */
#ifndef LADDERBLAS_LADDERBLAS_H
#define LADDERBLAS_LADDERBLAS_H

#include <stdint.h>

#define LADDERBLAS_VERSION_MAJOR 0
#define LADDERBLAS_VERSION_MINOR 1
#define LADDERBLAS_VERSION_PATCH 0

#if defined(__GNUC__)
#define LADDER_API __attribute__((visibility("default")))
#else
#define LADDER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a function of this header answers. */
enum ladder_status {
  LADDER_OK = 0,
  LADDER_UNKNOWN_RUNG = 1,     /**< no rung has this name, id, number or index */
  LADDER_INVALID_ARGUMENT = 2, /**< a pointer was null that must not be, or a value is none of those that may be */
  LADDER_NO_MEMORY = 3,        /**< neither the GPU nor the library has room for one more */
  LADDER_GPU_FAILED = 4        /**< there is no GPU, or it failed: ladder_last_error() says how */
};

/** One rung of the ladder. The strings live as long as the library is loaded. */
struct ladder_rung {
  const char* id;        /**< "r05": the same in every version */
  int number;            /**< what LADDER_RUNG calls it; -1 for a rung that has a name only */
  const char* name;      /**< "thread_tile_2d" */
  const char* idea;      /**< the one idea that it adds, one sentence */
  const char* precision; /**< "fp32"; on the tensor cores "tf32", or as good as FP32: "bf16x6", "fp16x3" */
};

/** Version of the loaded library, "major.minor.patch". */
LADDER_API const char* ladder_version(void);

/** Number of rungs, numbered and named ones. */
LADDER_API int ladder_rung_count(void);

/**
 * Describes one rung.
 * @param index  0 ... ladder_rung_count() - 1, from the bottom of the ladder to its top
 * @param rung   filled in on LADDER_OK
 * @return LADDER_OK, LADDER_UNKNOWN_RUNG or LADDER_INVALID_ARGUMENT
 */
LADDER_API enum ladder_status ladder_rung_info(int index, struct ladder_rung* rung);

/**
 * Chooses the rung of every thread that has not chosen its own. Wins over LADDER_RUNG and over the
 * math mode of a cuBLAS handle, but for "auto", which keeps off the tensor cores where that is pedantic.
 * @param rung  name, id or number ("warp_tiled", "r08", "8"), or "auto": for each problem the quickest
 *              rung that is as good as FP32; NULL takes the choice back
 * @return LADDER_OK or LADDER_UNKNOWN_RUNG (the choice is then as it was)
 * Any thread, at any time; calls that have begun are not affected.
 */
LADDER_API enum ladder_status ladder_set_rung(const char* rung);

/** Chooses the rung of the calling thread; otherwise as ladder_set_rung(), over which it wins. */
LADDER_API enum ladder_status ladder_set_thread_rung(const char* rung);

/** Name of the rung chosen by ladder_set_rung(), "auto", or NULL. */
LADDER_API const char* ladder_get_rung(void);

/** Name of the rung chosen by ladder_set_thread_rung() on this thread, "auto", or NULL. */
LADDER_API const char* ladder_get_thread_rung(void);

/**
 * Number of calls served so far.
 * @param door  exported function that they came through ("cblas_sgemm"), or NULL for all
 * @param rung  name, id or number of the rung that served them, which under "auto", or where a rung
 *              declines a problem, is another one than was chosen; NULL: all calls, whoever served them
 *              (the CPU BLAS handed on to and calls without any work to do included)
 * @return 0 also for a door or a rung that does not exist
 */
LADDER_API uint64_t ladder_call_count(const char* door, const char* rung);

/** Sets every count to 0. */
LADDER_API void ladder_reset_counters(void);

/** An operand that is kept ready for the tensor cores. */
struct ladder_prepared;

/**
 * Keeps what rungs 11 and 12 make of an operand before they multiply it, so that products do not make it
 * each time: all products on the current GPU, through any function, of which op(A) or op(B) is exactly this
 * operand, at this address. What they compute is the same, bit for bit. Until ladder_release() the matrix must
 * not change. Takes about ten bytes of the GPU's memory for each element, and waits for the stream.
 * @param side      'A' or 'B', as column-major BLAS names it; either serves both
 * @param op        'N', 'T' or 'C'
 * @param rows      of op(A), or columns of op(B)
 * @param k         the other extent of op(A) or op(B)
 * @param matrix    in the GPU's memory; with LADDER_DEVICE=emulate in the host's
 * @param ld        its leading dimension
 * @param stream    the cudaStream_t on which the matrix was written; it must not be under capture
 * @param prepared  for ladder_release(); set on LADDER_OK
 * @return LADDER_OK, LADDER_INVALID_ARGUMENT, LADDER_NO_MEMORY or LADDER_GPU_FAILED
 */
LADDER_API enum ladder_status ladder_prepare(char side, char op, int64_t rows, int64_t k, const float* matrix,
                                             int64_t ld, void* stream, struct ladder_prepared** prepared);

/**
 * Forgets it. No product that reads the operand may be under way, and no graph that has captured one may run
 * afterwards. NULL is allowed.
 */
LADDER_API void ladder_release(struct ladder_prepared* prepared);

/**
 * What went wrong last on the calling thread, one line without a newline; "" if nothing has. Valid
 * until the next call of this library on this thread.
 */
LADDER_API const char* ladder_last_error(void);

#ifdef __cplusplus
}
#endif

#endif

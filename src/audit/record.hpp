// SPDX-License-Identifier: MIT
// The record that LADDER_AUDIT_LOG asks for: which objects the loader brought in, and what each GEMM-like symbol was
// bound to. For `ladder doctor`, and for anyone with grep.
//
// LADDER_AUDIT_LOG=path: lines are appended to that file. The path should be absolute: a program may change its folder.
// %p in it is the process id, so that every process can have its own. A line is one write(2). A line that cannot be
// written is lost, without a word.
//
// A line is `key=value` fields with a tab between them. Values hold no tab and no newline: these, and the backslash,
// are written as \t, \n and \\. Unknown keys are to be skipped. Keys by the event:
//
//   event=start   pid program mode             once, before anything else; mode is `redirect` or `record`
//   event=open    pid object namespace ours    an object was loaded. ours=yes: libladderblas itself, that doors may be
//                                              redirected to; otherwise ours=no
//   event=ready   pid                          everything that is loaded at the start is there; main comes next
//   event=close   pid object                   an object was unloaded, or the process ends
//   event=bind    pid symbol from to via redirected why
//                                              a reference was bound, see below. The same one can come again: each
//                                              dlsym is an event, and so is each object's own reference
//
//   object, program, from, to   paths as the loader knows them; the program's own is that of /proc/self/exe
//   namespace                   0: the program's; others come from dlmopen. The auditors' own are not reported
//   symbol                      every door of src/shim/doors.def; from objects that define no door themselves also
//                               every name with `gemm` or `Gemm` in it, and every name that begins with cublasLt
//   from, to                    the object that has the reference; the object that has the definition that the loader
//                               found (so `to` is the real library also where redirected=yes)
//   via                         `dlsym`, or `plt` for a function called by name
//   redirected                  `yes`: the reference now means libladderblas's function; otherwise `no`
//   why                         redirected=yes: `door`. redirected=no:
//                 ours          the loader had chosen libladderblas by itself: LD_PRELOAD or linking was enough
//                 own_search    libladderblas looks for the real function
//                 not_a_door    a name that libladderblas does not export: another type, or not a product
//                 inside_blas   `from` itself defines doors of this kind (cuBLAS and cuBLASLt, or CPU BLAS): the call
//                               of a library to its own parts, or of a wrapper to what it wraps
//                 not_a_blas    the bare name `sgemm` in an object without `sgemm_`: a function of the program's own
//                 not_loaded    libladderblas was not among what was loaded at the start
//                 namespace     `from` or `to` is in a namespace other than the program's, where libladderblas is not
//                 record_only   LADDER_AUDIT=record: would have been redirected
//
// What the loader binds without telling an auditor, and is therefore not here: references by address (a function's
// address that is stored in a table, code built with -fno-plt); on glibc before 2.35 also those that are bound while
// an object is loaded (LD_BIND_NOW, RTLD_NOW, -z now); calls that were linked inside an object (-Bsymbolic, static).
#pragma once

#include "binding.hpp"
#include "object.hpp"

namespace ladder::audit {

/// False: the functions below do nothing.
bool is_recording();

void record_start();
void record_open(Object object, Lmid_t name_space, bool ours);
void record_ready();
void record_close(Object object);
void record_binding(const Binding& binding, Answer answer);

}  // namespace ladder::audit

/* SPDX-License-Identifier: MIT */
/* Reaches a product in one of the ways that programs have, and prints what came of it:
 *
 *   caller plugin|deepbind|namespace PLUGIN FUNCTION   calls FUNCTION of a plugin opened RTLD_LOCAL, with
 * RTLD_DEEPBIND, or into a namespace of its own caller dlsym LIBRARY                               gets sgemm_ from its
 * own handle of a BLAS caller threads LIBRARY, caller fork LIBRARY        the same from many threads at once, or from a
 * child caller own                                         calls its own, linked statically (built with STATIC_BLAS)
 *
 * "C door=calls ..." on stdout, calls as libladderblas has counted them; the exit code is not 0 where that was
 * impossible. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { thread_count = 8, calls_each = 50, impossible = 2 };

typedef void Sgemm(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
                   const float*, const int*, const float*, float*, const int*, size_t, size_t);

static float product_by(Sgemm* function) {
  const float a = 2, b = 3, one = 1, zero = 0;
  const int side = 1;
  float c = 0;
  if (function == NULL) return -1;
  function("N", "N", &side, &side, &side, &one, &a, &side, &b, &side, &zero, &c, &side, 1, 1);
  return c;
}

#ifdef STATIC_BLAS
Sgemm sgemm_;
static float own_product(void) { return product_by(sgemm_); }
#else
static float own_product(void) { return -1; }
#endif

static float product(void* handle) {
  Sgemm* function;
  *(void**)&function = dlsym(handle, "sgemm_");
  return product_by(function);
}

static float through_plugin(void* plugin, const char* name) {
  float (*function)(void);
  *(void**)&function = dlsym(plugin, name);
  return function ? function() : -1;
}

static const char* plugin_function = NULL; /* for all threads */

static float any_product(void* handle) {
  return plugin_function ? through_plugin(handle, plugin_function) : product(handle);
}

static void* many_products(void* handle) {
  static float wrong = -2;
  const float first = any_product(handle);
  for (int i = 1; i < calls_each; ++i) {
    if (any_product(handle) != first) return &wrong;
  }
  return NULL;
}

static float in_threads(void* handle) {
  pthread_t threads[thread_count];
  void* complaint = NULL;
  for (int i = 0; i < thread_count; ++i) {
    if (pthread_create(&threads[i], NULL, many_products, handle) != 0) return -1;
  }
  for (int i = 0; i < thread_count; ++i) {
    void* mine = NULL;
    pthread_join(threads[i], &mine);
    if (mine != NULL) complaint = mine;
  }
  return complaint ? *(float*)complaint : any_product(handle);
}

static void report(float c) {
  const char* doors[] = {"sgemm_", "cblas_sgemm", "cublasSgemm_v2"};
  uint64_t (*count)(const char*, const char*);
  *(void**)&count = dlsym(RTLD_DEFAULT, "ladder_call_count");
  printf("%g", c);
  for (size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i)
    printf(" %s=%d", doors[i], count ? (int)count(doors[i], NULL) : 0);
  printf("\n");
  fflush(stdout);
}

/* The child alone calls and reports. */
static int in_child(void* handle) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    report(product(handle));
    _exit(0);
  }
  return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? impossible : 0;
}

static int say_where(void* handle, char** names) {
  Dl_info info;
  for (; *names; ++names) {
    void* function = dlsym(handle, *names);
    if (function == NULL || dladdr(function, &info) == 0) return impossible;
    printf("%s=%s\n", *names, info.dli_fname);
  }
  return 0;
}

int main(int count, char** words) {
  void* handle = NULL;
  if (count < 2) return impossible;
  if (count > 2) {
    const int deep = strcmp(words[1], "deepbind") == 0 || (strcmp(words[1], "threads") == 0 && count > 3);
    const int flags = RTLD_LAZY | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0);
    handle = strcmp(words[1], "namespace") == 0 ? dlmopen(LM_ID_NEWLM, words[2], flags) : dlopen(words[2], flags);
    if (handle == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return impossible;
    }
  }
  if (strcmp(words[1], "fork") == 0) return in_child(handle);
  if (strcmp(words[1], "where") == 0) return say_where(handle, words + 3);
  if (strcmp(words[1], "threads") == 0 && count > 3) plugin_function = words[3];
  report(strcmp(words[1], "own") == 0       ? own_product()
         : strcmp(words[1], "threads") == 0 ? in_threads(handle)
         : count > 3                        ? through_plugin(handle, words[3])
                                            : product(handle));
  return 0;
}

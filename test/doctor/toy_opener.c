/* SPDX-License-Identifier: MIT */
/* Opens a library as argv[1] says and calls a function of it: `dlsym` calls its sgemm_, the others its
 * plugin_product(), which calls cblas_sgemm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef void (*Sgemm)(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                      const int*, const float*, const int*, const float*, float*, const int*, size_t, size_t);

static void* opened(const char* how, const char* library) {
  if (strcmp(how, "namespace") == 0) return dlmopen(LM_ID_NEWLM, library, RTLD_LAZY);
  return dlopen(library, RTLD_LAZY | RTLD_LOCAL | (strcmp(how, "deepbind") == 0 ? RTLD_DEEPBIND : 0));
}

int main(int argc, char** argv) {
  const int one = 1;
  const float a = 2, b = 3, alpha = 1, beta = 0;
  float c = 0;
  if (argc != 3) return 2;
  void* library = opened(argv[1], argv[2]);
  const int by_name = strcmp(argv[1], "dlsym") == 0;
  void* found = library == NULL ? NULL : dlsym(library, by_name ? "sgemm_" : "plugin_product");
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  if (by_name) {
    Sgemm sgemm;
    *(void**)&sgemm = found;
    sgemm("N", "N", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one, 1, 1);
  } else {
    float (*product)(void);
    *(void**)&product = found;
    product();
  }
  return 0;
}

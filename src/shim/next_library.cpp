// SPDX-License-Identifier: MIT
#include "next_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "config.hpp"
#include "last_error.hpp"
#include "stderr_line.hpp"

namespace ladder::shim {

namespace {

// -- 1. What there is to look for -----------------------------------------------------------------------

struct Library {
  const char* variable;
  std::string Config::*path;
  std::span<const char* const> sonames;
  std::atomic<void*> chosen{nullptr};  // handle that all its other symbols come from, where that matters
  bool one_for_all;
};

constexpr const char* cublas_sonames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
constexpr const char* cublas_lt_sonames[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
constexpr const char* blas_sonames[] = {"libopenblas.so.0", "libblas.so.3",   "libcblas.so.3",
                                        "libblis.so.4",     "libmkl_rt.so.2", "libflexiblas.so.3"};

// A cuBLAS handle means something to the cuBLAS that made it only: its functions all come from one copy.
Library cublas_library{"LADDER_CUBLAS", &Config::cublas, cublas_sonames, nullptr, true};
// cuBLAS brings its cuBLASLt along, so that the variable for the one is good for the other.
Library cublas_lt_library{"LADDER_CUBLAS", &Config::cublas, cublas_lt_sonames, nullptr, true};
Library blas_library{"LADDER_BLAS", &Config::blas, blas_sonames, nullptr, false};

struct Entry {
  const char* name;
  Library& library;
  std::atomic<void*> address{nullptr};
  std::atomic<unsigned long long> missed_at{0};  // loads_so_far() of the last vain search
};

Entry entries[] = {
#define NEXT_CUBLAS(name) {#name, cublas_library},
#define NEXT_CUBLAS_LT(name) {#name, cublas_lt_library},
#include "next_symbols.def"
#undef NEXT_CUBLAS
#undef NEXT_CUBLAS_LT
#define DEVICE_DOOR(name)
#define HOST_DOOR(name, form) {#name, blas_library},
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

// -- 2. Never ourselves ----------------------------------------------------------------------------------

const void* base_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

const void* own_base() {
  static const void* const base = base_of(entries);
  return base;
}

/// The function, unless it is ours or belongs to another copy of this library.
void* foreign_symbol(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  if (found == nullptr || base_of(found) == own_base()) return nullptr;
  const void* mark = dlsym(handle, "ladder_version");
  const bool other_copy = mark != nullptr && base_of(mark) == base_of(found);
  return other_copy ? nullptr : found;
}

// -- 3. The places ---------------------------------------------------------------------------------------

/// A handle is kept (and so its library loaded) once a function of it is in use.
void* from_file(const char* file, int flags, const char* name) {
  void* handle = dlopen(file, flags);
  if (handle == nullptr) return nullptr;
  void* found = foreign_symbol(handle, name);
  if (found == nullptr) dlclose(handle);
  return found;
}

void* open_named_library(const Library& library) {
  const std::string& path = config().*library.path;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    stderr_line(fmt::format("ladderblas: {}={} cannot be opened ({}); the loader's own order is used", library.variable,
                            path, reason ? reason : "unknown reason"));
    return nullptr;
  }
  if (dlsym(handle, "ladder_version") != nullptr) {
    stderr_line(fmt::format("ladderblas: {}={} is this library itself; the loader's own order is used",
                            library.variable, path));
    dlclose(handle);
    return nullptr;
  }
  return handle;
}

/// Handle of the file that the environment names, or null.
void* named_library(const Library& library) {
  static void* const cublas = config().cublas.empty() ? nullptr : open_named_library(cublas_library);
  static void* const blas = config().blas.empty() ? nullptr : open_named_library(blas_library);
  return &library == &blas_library ? blas : cublas;
}

void* from_callers_object(const void* caller, const char* name) {
  Dl_info info{};
  if (caller == nullptr || dladdr(caller, &info) == 0 || info.dli_fbase == own_base()) return nullptr;
  return from_file(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD, name);
}

void* from_loaded_objects(const char* name) {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* list) {
        if (object->dlpi_name != nullptr && object->dlpi_name[0] != '\0')
          static_cast<std::vector<std::string>*>(list)->push_back(object->dlpi_name);
        return 0;
      },
      &files);
  for (const std::string& file : files) {
    if (void* found = from_file(file.c_str(), RTLD_LAZY | RTLD_NOLOAD, name)) return found;
  }
  return nullptr;
}

void* from_usual_names(const Library& library, const char* name) {
  for (const char* soname : library.sonames) {
    if (void* found = from_file(soname, RTLD_NOW | RTLD_LOCAL, name)) return found;
  }
  return nullptr;
}

// -- 4. The search ---------------------------------------------------------------------------------------

void* search(const Entry& entry, const void* caller) {
  if (void* handle = named_library(entry.library)) {
    void* found = foreign_symbol(handle, entry.name);
    if (found != nullptr || &entry.library != &cublas_lt_library) return found;
  }
  if (void* handle = entry.library.chosen.load(std::memory_order_acquire)) {
    if (void* found = foreign_symbol(handle, entry.name)) return found;
  }
  if (void* found = foreign_symbol(RTLD_NEXT, entry.name)) return found;
  if (void* found = from_callers_object(caller, entry.name)) return found;
  if (void* found = from_loaded_objects(entry.name)) return found;
  if (void* found = foreign_symbol(RTLD_DEFAULT, entry.name)) return found;  // of the program itself
  return from_usual_names(entry.library, entry.name);
}

void remember_library(Library& library, void* found) {
  Dl_info info{};
  if (!library.one_for_all || library.chosen.load() != nullptr || dladdr(found, &info) == 0) return;
  void* expected = nullptr;
  library.chosen.compare_exchange_strong(expected, dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD));
}

/// Number of objects that this process has ever loaded, plus one.
unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = object->dlpi_adds + 1;
        return 1;
      },
      &loads);
  return loads;
}

thread_local int depth_inside_next = 0;

}  // namespace

void* next_symbol(NextSymbol symbol, const void* caller) {
  Entry& entry = entries[static_cast<int>(symbol)];
  if (void* known = entry.address.load(std::memory_order_acquire)) return known;
  if (entry.missed_at.load(std::memory_order_relaxed) == loads_so_far()) return nullptr;
  try {
    if (void* found = search(entry, caller)) {
      remember_library(entry.library, found);
      entry.address.store(found, std::memory_order_release);
      return found;
    }
  } catch (const std::exception&) {
    set_last_error("no memory to look for the next library");
    return nullptr;
  }
  entry.missed_at.store(loads_so_far(), std::memory_order_relaxed);
  return nullptr;
}

InsideNextLibrary::InsideNextLibrary() { ++depth_inside_next; }
InsideNextLibrary::~InsideNextLibrary() { --depth_inside_next; }

bool inside_next_library() { return depth_inside_next > 0; }

}  // namespace ladder::shim

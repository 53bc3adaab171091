// SPDX-License-Identifier: MIT
// libladderblas-audit.so: what the loader calls when LD_AUDIT names it (rtld-audit(7)).
//
// Where a preloaded libladderblas is passed by, because a program asks its own handle of cuBLAS for a function or
// opens a library with RTLD_DEEPBIND, the loader still asks an auditor before it binds. This one answers with
// libladderblas's function. It calls nothing but the kernel, keeps nothing that is locked or allocated, and without
// libladderblas in the program it changes nothing.
#include <link.h>

#include "binding.hpp"
#include "object.hpp"
#include "record.hpp"
#include "settings.hpp"

using namespace ladder::audit;

namespace {

Ladderblas ladderblas;
bool program_runs = false;  // set, like all of ladderblas, before the program can have a second thread

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

/// Version 2 of the interface, with which the loader came to tell an auditor of everything that is bound at once, is
/// that of glibc 2.35. Under an older one we do what its version 1 lets us.
unsigned la_version(unsigned offered) {
  if (settings().secure) return 0;  // the loader then goes on without us
  record_start();
  return offered < LAV_CURRENT ? offered : LAV_CURRENT;
}

unsigned la_objopen(link_map* map, Lmid_t name_space, std::uintptr_t* cookie) {
  const Object object(*map, name_space);
  *cookie = object.word();
  // libladderblas counts where it is there from the start: nobody can unload it then, and its functions stay.
  const bool ours = !program_runs && ladderblas.recognise(object);
  record_open(object, name_space, ours);
  if (is_recording()) return LA_FLG_BINDTO | LA_FLG_BINDFROM;
  if (object.is_elsewhere()) return 0;
  const bool has_doors = object.defines(Kind::device) || object.defines(Kind::host);
  return has_doors ? LA_FLG_BINDTO | LA_FLG_BINDFROM : LA_FLG_BINDFROM;
}

void la_preinit(std::uintptr_t*) {
  program_runs = true;
  record_ready();
}

unsigned la_objclose(std::uintptr_t* cookie) {
  record_close(Object(*cookie));
  return 0;
}

std::uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned, std::uintptr_t* from, std::uintptr_t* to, unsigned* flags,
                            const char* name) {
  const Binding binding{name, Object(*from), Object(*to), (*flags & LA_SYMB_DLSYM) != 0};
  const Answer answer = judge(binding, ladderblas, settings().record_only);
  record_binding(binding, answer);
  return answer == Answer::door ? ladderblas.function(door_index(name)) : symbol->st_value;
}

#pragma GCC visibility pop
}

// SPDX-License-Identifier: MIT
// For threads of ours in a program that does not know of them.
#pragma once

#include <pthread.h>

#include <csignal>

namespace ladder::shim {

/// While it lives, threads that start get none of the program's signals: its handlers run on its own threads. But where
/// a copy itself faults, on memory that such a handler brings in, the handler is asked.
class SignalsOfTheProgramBlocked {
 public:
  SignalsOfTheProgramBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&signals, fault);
    worked_ = pthread_sigmask(SIG_BLOCK, &signals, &before_) == 0;
  }
  ~SignalsOfTheProgramBlocked() {
    if (worked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsOfTheProgramBlocked(const SignalsOfTheProgramBlocked&) = delete;
  SignalsOfTheProgramBlocked& operator=(const SignalsOfTheProgramBlocked&) = delete;

 private:
  sigset_t before_;
  bool worked_;
};

}  // namespace ladder::shim

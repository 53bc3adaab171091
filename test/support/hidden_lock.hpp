// SPDX-License-Identifier: MIT
// A lock for the inside of a fake that must not order its callers: ThreadSanitizer is told nothing of it.
#pragma once

#include <mutex>

#if defined(__SANITIZE_THREAD__)
extern "C" {
void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace ladder::test {

/// Holds the mutex. What the thread reads and writes meanwhile is the fake's own affair; atomics order as they say.
class HiddenLock {
 public:
  explicit HiddenLock(std::mutex& mutex) : mutex_(mutex) {
    in_silence([&] { mutex_.lock(); });
#if defined(__SANITIZE_THREAD__)
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
  }
  ~HiddenLock() {
#if defined(__SANITIZE_THREAD__)
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
    in_silence([&] { mutex_.unlock(); });
  }
  HiddenLock(const HiddenLock&) = delete;
  HiddenLock& operator=(const HiddenLock&) = delete;

 private:
  template <class Action>
  static void in_silence(const Action& action) {
#if defined(__SANITIZE_THREAD__)
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    action();
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
#else
    action();
#endif
  }

  std::mutex& mutex_;
};

}  // namespace ladder::test

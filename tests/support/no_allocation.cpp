#include "tests/support/no_allocation.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#define HAPTIC_HAS_FEATURE(x) __has_feature(x)
#else
#define HAPTIC_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                 \
    HAPTIC_HAS_FEATURE(address_sanitizer) || HAPTIC_HAS_FEATURE(thread_sanitizer) || \
    HAPTIC_HAS_FEATURE(memory_sanitizer) || HAPTIC_HAS_FEATURE(realtime_sanitizer)
#define HAPTIC_INTERPOSE 0
#else
#define HAPTIC_INTERPOSE 1
#endif

namespace {

// Plain thread-local data: touching it from inside malloc must not allocate.
thread_local bool armed = false;
thread_local haptic::ForbiddenCalls counted;

}  // namespace

#if HAPTIC_INTERPOSE

namespace {

void count_allocation() {
  if (armed) ++counted.allocations;
}

using MutexLock = int (*)(pthread_mutex_t*);
MutexLock real_mutex_lock = nullptr;

// Before main: dlsym itself may allocate and lock.
[[gnu::constructor]] void find_real_mutex_lock() {
  real_mutex_lock = reinterpret_cast<MutexLock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
}

}  // namespace

extern "C" {

// glibc's own entry points, free of any interposition.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  count_allocation();
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}

void* realloc(void* pointer, std::size_t size) {
  count_allocation();
  return __libc_realloc(pointer, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  count_allocation();
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  *result = __libc_memalign(alignment, size);
  return *result != nullptr ? 0 : ENOMEM;
}

void free(void* pointer) {
  if (armed && pointer != nullptr) ++counted.frees;
  __libc_free(pointer);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (armed) ++counted.locks;
  if (real_mutex_lock == nullptr) find_real_mutex_lock();
  return real_mutex_lock(mutex);
}

}  // extern "C"

#endif  // HAPTIC_INTERPOSE

namespace haptic {

bool NoAllocation::interposed() {
  return HAPTIC_INTERPOSE != 0;
}

NoAllocation::NoAllocation() : outer_(counted), outer_armed_(armed) {
  counted = {};
  armed = true;
}

NoAllocation::~NoAllocation() {
  armed = false;
  const ForbiddenCalls inside = counted;
  if (inside.total() != 0) {
    ADD_FAILURE() << "inside a NoAllocation scope: " << inside.allocations << " allocations, "
                  << inside.frees << " frees, " << inside.locks << " mutex locks";
  }
  counted = outer_;
  armed = outer_armed_;
}

ForbiddenCalls NoAllocation::calls() const {
  return counted;
}

ForbiddenCalls NoAllocation::take_calls() {
  const ForbiddenCalls inside = counted;
  counted = {};
  return inside;
}

}  // namespace haptic

// malloc and its kin for the whole of hapticd: glibc's own, with a note to LoopWatch where the
// haptic cycle calls them. Not built under sanitizers, which bring their own allocator.
#include <cerrno>
#include <cstddef>

#include "rt/servo/loop_watch.h"

extern "C" {

// glibc's own entry points: reserved names, and the only way past the functions defined below.
// NOLINTBEGIN(bugprone-reserved-identifier)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  haptic::LoopWatch::note_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  haptic::LoopWatch::note_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  haptic::LoopWatch::note_allocation();
  return __libc_realloc(block, size);
}
void free(void* block) {
  if (block != nullptr) haptic::LoopWatch::note_allocation();
  __libc_free(block);
}
void* memalign(std::size_t alignment, std::size_t size) {
  haptic::LoopWatch::note_allocation();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *block = got;
  return 0;
}

}  // extern "C"

namespace {
[[maybe_unused]] const bool announced = (haptic::LoopWatch::set_interposed(), true);
}  // namespace

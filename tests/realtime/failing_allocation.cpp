// A library to be preloaded: once the file named by HAPTIC_FAIL_ALLOCATION is there, the next
// allocation of the process's first thread throws std::bad_alloc. The file is removed, so that this
// happens once.
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  static const char* const file = std::getenv("HAPTIC_FAIL_ALLOCATION");
  if (file != nullptr && gettid() == getpid() && unlink(file) == 0) throw std::bad_alloc();
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

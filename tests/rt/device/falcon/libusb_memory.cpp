#include "tests/rt/device/falcon/libusb_memory.h"

#include <dlfcn.h>
#include <libusb.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

// glibc's allocation functions under the names by which a replacement reaches them.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* memory, std::size_t size);

namespace haptic {
namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
};

// The code of the library that contains libusb_init.
Range code_of_libusb() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&libusb_init), &info);
  struct Search {
    std::uintptr_t base;
    Range found;
  } search{reinterpret_cast<std::uintptr_t>(info.dli_fbase), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& sought = *static_cast<Search*>(data);
        for (int k = 0; k < object->dlpi_phnum; ++k) {
          const ElfW(Phdr)& part = object->dlpi_phdr[k];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          if (object->dlpi_addr == sought.base) {
            const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
            sought.found = {begin, begin + part.p_memsz};
          }
        }
        return 0;
      },
      &search);
  return search.found;
}

thread_local Range code;
thread_local long left = -1;
thread_local bool failed = false;

bool fails(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  if (left < 0 || at < code.begin || at >= code.end) return false;
  if (left-- != 0) return false;
  failed = true;
  return true;
}

}  // namespace

void LibusbMemory::fail(long which) {
  code = code_of_libusb();
  failed = false;
  left = which;
}

bool LibusbMemory::stop() {
  left = -1;
  return failed;
}

}  // namespace haptic

extern "C" void* malloc(std::size_t size) {
  return haptic::fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  return haptic::fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* memory, std::size_t size) {
  return haptic::fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}

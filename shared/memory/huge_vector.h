#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared/memory/huge_pages.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAPTIC_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAPTIC_ADDRESS_SANITIZER 1
#endif
#endif

namespace haptic {

/// Allocator of large arrays that are read at random in the loop: own pages, huge ones (2 MiB)
/// where the system has them to give, so that an access seldom misses the address translation too.
/// Aligned to a cache line at least. Allocates outside the loop only. For arrays whose size is set
/// once.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

#ifdef HAPTIC_ADDRESS_SANITIZER
  // On the heap, whose ends the sanitizer watches; it sees nothing of pages of our own.
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kCacheLine));
  }
  void deallocate(T* values, std::size_t) noexcept {
    ::operator delete(values, kCacheLine);
  }
#else
  T* allocate(std::size_t count) {
    std::byte* const pages = map_private_pages(count * sizeof(T));
    if (!pages) throw std::bad_alloc();
    return reinterpret_cast<T*>(pages);
  }
  void deallocate(T* pages, std::size_t count) noexcept {
    munmap(pages, mapped_length(count * sizeof(T)));
  }

  /// Elements that `resize` adds without a value. Numbers are not written: fresh pages are zero
  /// already. After `clear`, or `resize` to a smaller size, they would have their old values.
  template <class U>
  void construct(U* at) noexcept(noexcept(U())) {
    if constexpr (!std::is_trivially_default_constructible_v<U>) ::new (at) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (at) U(std::forward<Values>(values)...);
  }
#endif

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::align_val_t kCacheLine{64};
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace haptic

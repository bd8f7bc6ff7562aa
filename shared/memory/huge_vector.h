#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

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
  static constexpr std::size_t kPage = std::size_t{2} << 20;

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
    const std::size_t bytes = mapped(count), page = page_of(count);
    // Readable only after the advice: under mlockall a page is there as soon as it may be.
    void* const reserved = mmap(nullptr, bytes + page - kSmallPage, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(reserved);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % page;
    std::byte* const pages = first + before;
    if (before != 0) munmap(first, before);
    if (page - kSmallPage != before) munmap(pages + bytes, page - kSmallPage - before);
    // Advice may be refused: small pages do as well.
    if (page == kPage) madvise(pages, bytes, MADV_HUGEPAGE);
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(pages, bytes);
      throw std::bad_alloc();
    }
    madvise(pages, bytes, MADV_POPULATE_WRITE);
    // What is not huge now stays small: the kernel's collector of huge pages would unmap the small
    // ones under a running loop, and the next access would fault. Huge pages are kept.
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    return reinterpret_cast<T*>(pages);
  }
  void deallocate(T* pages, std::size_t count) noexcept {
    munmap(pages, mapped(count));
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
  static constexpr std::size_t kSmallPage = 4096;
  static constexpr std::align_val_t kCacheLine{64};

  /// Huge pages for what fills one.
  static std::size_t page_of(std::size_t count) {
    return count * sizeof(T) >= kPage ? kPage : kSmallPage;
  }
  static std::size_t mapped(std::size_t count) {
    const std::size_t page = page_of(count);
    return (count * sizeof(T) + page - 1) / page * page;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace haptic

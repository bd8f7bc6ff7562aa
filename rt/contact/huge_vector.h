#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace haptic {

/// Allocator of large arrays that are read at random in the loop: own pages, huge ones (2 MiB)
/// where the system has them to give, so that an access seldom misses the address translation too.
/// Aligned to a cache line at least. Allocates outside the loop only.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    // Readable only after the advice: under mlockall a page is there as soon as it may be.
    void* const pages =
        mmap(nullptr, mapped(count), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    madvise(pages, mapped(count), MADV_HUGEPAGE);  // refused: small pages do as well
    if (mprotect(pages, mapped(count), PROT_READ | PROT_WRITE) != 0) {
      munmap(pages, mapped(count));
      throw std::bad_alloc();
    }
    return static_cast<T*>(pages);
  }
  void deallocate(T* pages, std::size_t count) noexcept { munmap(pages, mapped(count)); }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const noexcept {
    return true;
  }

 private:
  /// Whole huge pages for what fills one, so that the kernel aligns the mapping to them.
  static std::size_t mapped(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::size_t page = bytes >= kPage ? kPage : 4096;
    return (bytes + page - 1) / page * page;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace haptic

#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace haptic {

constexpr std::size_t kSmallPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Size of the pages that `bytes` are mapped in: huge pages if they fill at least one.
constexpr std::size_t page_for(std::size_t bytes) {
  return bytes >= kHugePage ? kHugePage : kSmallPage;
}
constexpr std::size_t mapped_length(std::size_t bytes) {
  const std::size_t page = page_for(bytes);
  return (bytes + page - 1) / page * page;
}

/// Maps fresh private pages for `bytes` (> 0), readable and writable, zero and all present: huge
/// pages (2 MiB) for what fills one, where the system has them
/// (/sys/kernel/mm/transparent_hugepage/enabled at `madvise` or `always`), else small ones. They
/// keep their size. To be freed by munmap of mapped_length(bytes).
/// @returns a multiple of page_for(bytes), or nullptr with errno set
inline std::byte* map_private_pages(std::size_t bytes) noexcept {
  const std::size_t length = mapped_length(bytes), page = page_for(bytes);
  // Accessible only after the advice: under mlockall a page is present as soon as it may be.
  void* const reserved = mmap(nullptr, length + page - kSmallPage, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(reserved);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % page;
  std::byte* const pages = first + before;
  if (before != 0) munmap(first, before);
  if (page - kSmallPage != before) munmap(pages + length, page - kSmallPage - before);
  // Advice may be refused: small pages do as well. Given before the pages are accessible, it lets
  // the kernel join small mappings to their neighbours; a process may have only 65,530 areas.
  madvise(pages, length, page == kHugePage ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (mprotect(pages, length, PROT_READ | PROT_WRITE) != 0) {
    munmap(pages, length);
    return nullptr;
  }
  madvise(pages, length, MADV_POPULATE_WRITE);
  // Parts that are not huge now stay small: the kernel's khugepaged would unmap the small pages
  // under a running loop, and the next access would fault. Huge pages are kept.
  if (page == kHugePage) madvise(pages, length, MADV_NOHUGEPAGE);
  return pages;
}

}  // namespace haptic

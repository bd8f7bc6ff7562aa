#include "shared/memory/sealed_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "shared/error.h"
#include "shared/memory/file_descriptor.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U  // Linux 6.3
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // Linux 6.1
#endif

namespace haptic {
namespace {

constexpr std::size_t kSmallPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw OperationError(
      fmt::format("{}: the copy in memory {} ({})", path.string(), what, std::strerror(errno)));
}

/// Whether huge pages are enabled for shared memory. The administrator decides: on a virtual
/// machine the slowest cycles of one scene took two to three times as long with them.
bool huge_pages_wanted() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  for (std::string word; file >> word;) {
    if (word.starts_with('[')) return word != "[never]" && word != "[deny]";
  }
  return false;
}

std::size_t page_of(std::size_t length) {
  return length >= kHugePage && huge_pages_wanted() ? kHugePage : kSmallPage;
}

/// Maps the memory file read-only with all pages present, at a multiple of `page`, as huge pages
/// require. @returns nullptr, with errno set, on failure
std::byte* mapped(int file, std::size_t bytes, std::size_t page) {
  void* const reserved = mmap(nullptr, bytes + page - kSmallPage, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(reserved);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % page;
  std::byte* const pages = first + before;
  if (before != 0) munmap(first, before);
  if (page - kSmallPage != before) munmap(pages + bytes, page - kSmallPage - before);
  bool present = mmap(pages, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  // write() fills small pages; this merges them. If the kernel refuses, the small pages stay.
  if (present && page == kHugePage) madvise(pages, bytes, MADV_COLLAPSE);
  present = present && madvise(pages, bytes, MADV_POPULATE_READ) == 0;
  if (!present) {
    const int error = errno;
    munmap(pages, bytes);
    errno = error;
    return nullptr;
  }
  // As HugePageAllocator: the kernel's collector of huge pages shall not unmap small ones under a
  // running loop.
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  return pages;
}

/// Bytes that can be had without taking them from others; unlimited where the kernel does not say.
std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    std::size_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::size_t>::max();
}

/// A file may be any length without a byte on the disk; its copy would end in the kernel's search
/// for a process to kill.
void require_memory(std::size_t length, const std::filesystem::path& path) {
  const std::size_t most = available_memory() / 2;
  if (length <= most) return;
  throw OperationError(
      fmt::format("{}: found {} bytes, expected at most {}, half of the memory "
                  "that is available",
                  path.string(), length, most));
}

/// Not executable for good, where the kernel knows that (a system may demand it).
int create_memory_file(const std::filesystem::path& path) {
  const std::string name = "model " + path.filename().string().substr(0, 100);
  const int file = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (file >= 0 || errno != EINVAL) return file;
  return memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/// Copies within the kernel, from its cache of the file. This takes a quarter of the time of
/// reading into a writable mapping, whose pages the kernel must clear and map first.
void copy(int from, int to, std::size_t length, const std::filesystem::path& path) {
  for (std::size_t at = 0; at < length;) {
    auto place = static_cast<off_t>(at);
    const ssize_t count = sendfile(to, from, &place, length - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw OperationError(fmt::format("{}: cannot be copied into memory ({})", path.string(),
                                       std::strerror(errno)));
    }
    if (count == 0) {
      throw InputError(path.string(), "",
                       fmt::format("found the end after {} bytes while it was read", at),
                       fmt::format("{} bytes (another process truncated the file)", length));
    }
    at += static_cast<std::size_t>(count);
  }
}

}  // namespace

SealedMemory::SealedMemory(int descriptor, std::size_t length, const std::filesystem::path& path)
    : length_(length) {
  require_memory(length, path);
  const std::size_t page = page_of(length);
  mapped_ = (length + page - 1) / page * page;
  FileDescriptor file(create_memory_file(path));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(mapped_)) != 0) {
    fail(path, "cannot be made");
  }
  copy(descriptor, file.get(), length, path);
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
      0) {
    fail(path, "cannot be sealed");
  }
  // Opened again for reading: before Linux 6.7 a writable descriptor's shared view counts as
  // writable, whatever it may do, and a sealed file has none of those.
  const FileDescriptor readable(
      open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (readable.get() < 0) fail(path, "cannot be opened for reading");
  data_ = mapped(readable.get(), mapped_, page);
  if (!data_) fail(path, "cannot be mapped");
  descriptor_ = file.release();
}

SealedMemory::SealedMemory(SealedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      length_(std::exchange(other.length_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

SealedMemory& SealedMemory::operator=(SealedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(length_, other.length_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

SealedMemory::~SealedMemory() {
  if (data_) munmap(const_cast<std::byte*>(data_), mapped_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace haptic

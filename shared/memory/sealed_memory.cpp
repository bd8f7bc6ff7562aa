#include "shared/memory/sealed_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "shared/error.h"
#include "shared/memory/file_descriptor.h"
#include "shared/memory/huge_pages.h"
#include "shared/memory/memory_reason.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U  // Linux 6.3
#endif

namespace haptic {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw OperationError(
      fmt::format("{}: the copy in memory {} ({})", path.string(), what, memory_reason(errno)));
}

/// Whether the system provides huge pages on request (madvise).
bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;) {
    if (word.starts_with('[')) return word != "[never]";
  }
  return false;
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

/// A sparse file may have any length without using disk space; a copy of it would make the kernel
/// kill a process for lack of memory.
void require_memory(std::size_t length, const std::filesystem::path& path) {
  const std::size_t most = available_memory() / 2;
  if (length <= most) return;
  throw OperationError(
      fmt::format("{}: found {} bytes, expected at most {}, half of the memory "
                  "that is available",
                  path.string(), length, most));
}

/// Never executable, if the kernel supports the flag (a system may require it).
int create_memory_file(const std::filesystem::path& path) {
  const std::string name = "model " + path.filename().string().substr(0, 100);
  const int file = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (file >= 0 || errno != EINVAL) return file;
  return memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/// Calls `copy_some(at)` (bytes copied there, 0 at the file's end, -1 with errno set) up to
/// `length`.
template <typename CopySome>
void copy_all(std::size_t length, const std::filesystem::path& path, CopySome copy_some) {
  for (std::size_t at = 0; at < length;) {
    const ssize_t count = copy_some(at);
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

SealedMemory::SealedMemory(int descriptor, std::size_t length, const std::filesystem::path& path) {
  require_memory(length, path);
  if (length >= kHugePage && has_huge_pages()) {
    copy_to_private_pages(descriptor, length, path);
  } else {
    copy_to_memory_file(descriptor, length, path);
  }
}

void SealedMemory::copy_to_private_pages(int from, std::size_t length,
                                         const std::filesystem::path& path) {
  std::byte* const pages = map_private_pages(length);
  if (!pages) fail(path, "cannot be made");
  SealedMemory made;  // unmaps the pages if the copy fails
  made.data_ = pages;
  made.length_ = length;
  made.mapped_ = mapped_length(length);
  copy_all(length, path, [&](std::size_t at) {
    return pread(from, pages + at, length - at, static_cast<off_t>(at));
  });
  if (mprotect(pages, made.mapped_, PROT_READ) != 0) fail(path, "cannot be made read-only");
  *this = std::move(made);
}

void SealedMemory::copy_to_memory_file(int from, std::size_t length,
                                       const std::filesystem::path& path) {
  SealedMemory made;
  made.length_ = length;
  made.mapped_ = (length + kSmallPage - 1) / kSmallPage * kSmallPage;
  made.descriptor_ = create_memory_file(path);
  const int file = made.descriptor_;
  if (file < 0 || ftruncate(file, static_cast<off_t>(made.mapped_)) != 0) {
    fail(path, "cannot be made");
  }
  // Within the kernel, from its cache of the file. This takes a quarter of the time of reading into
  // writable small pages, which the kernel must clear and map first.
  copy_all(length, path, [&](std::size_t at) {
    auto place = static_cast<off_t>(at);
    return sendfile(file, from, &place, length - at);
  });
  if (fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    fail(path, "cannot be sealed");
  }
  // Opened again for reading: before Linux 6.7 a writable descriptor's shared view counts as
  // writable, whatever it may do, and a sealed file has none of those.
  const FileDescriptor readable(
      open(fmt::format("/proc/self/fd/{}", file).c_str(), O_RDONLY | O_CLOEXEC));
  if (readable.get() < 0) fail(path, "cannot be opened for reading");
  void* const pages = mmap(nullptr, made.mapped_, PROT_READ, MAP_SHARED, readable.get(), 0);
  if (pages == MAP_FAILED) fail(path, "cannot be mapped");
  made.data_ = static_cast<const std::byte*>(pages);
  if (madvise(pages, made.mapped_, MADV_POPULATE_READ) != 0) fail(path, "cannot be mapped");
  madvise(pages, made.mapped_, MADV_NOHUGEPAGE);  // as map_private_pages: they keep their size
  *this = std::move(made);
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

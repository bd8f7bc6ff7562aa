#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace haptic {

/// The bytes of a file in memory that no later change of the file reaches, mapped read-only. Made
/// and destroyed outside the loop. All pages are present from the start, so no access faults while
/// the memory is locked.
///
/// A file of at least one huge page (2 MiB), where the system has those, is copied into private
/// pages, which no other process can open or map: an access in the loop seldom misses the address
/// translation, and the copy takes less time than mapping the file does. Any other file is copied
/// into a memory file (memfd) sealed against writing, shrinking and growing (F_SEAL_WRITE,
/// F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL), in small pages.
class SealedMemory {
 public:
  /// Copies the first `length` bytes (> 0) of the open file `descriptor`.
  /// @param path of the file, for messages
  /// @throws InputError if the file ends before, OperationError if it cannot be read or the memory
  ///         cannot be had or sealed
  SealedMemory(int descriptor, std::size_t length, const std::filesystem::path& path);
  SealedMemory(SealedMemory&& other) noexcept;
  SealedMemory& operator=(SealedMemory&& other) noexcept;
  ~SealedMemory();

  /// At an address that is a multiple of 4096.
  std::span<const std::byte> bytes() const { return {data_, length_}; }
  /// The sealed memory file, as /proc/PID/fd shows it; -1 for private pages.
  int descriptor() const { return descriptor_; }

 private:
  SealedMemory() = default;
  void copy_to_private_pages(int from, std::size_t length, const std::filesystem::path& path);
  void copy_to_memory_file(int from, std::size_t length, const std::filesystem::path& path);

  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t length_ = 0, mapped_ = 0;
};

}  // namespace haptic

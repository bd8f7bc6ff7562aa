#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace haptic {

/// The bytes of a file in memory that nothing can change any more: neither who writes into the
/// file, nor who truncates it, nor this process. A memory file (memfd) sealed against writing,
/// shrinking and growing (F_SEAL_WRITE, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL), mapped read-only.
///
/// In huge pages (2 MiB) where it fills one and the system has them for shared memory
/// (/sys/kernel/mm/transparent_hugepage/shmem_enabled), so that an access in the loop seldom misses
/// the address translation. All pages are there from the start, so no access faults while the
/// memory is locked. Made and destroyed outside the loop.
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
  /// The sealed memory file, as /proc/PID/fd shows it; nobody can write to it.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t length_ = 0, mapped_ = 0;
};

}  // namespace haptic

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "shared/memory/mapping_guard.h"

namespace haptic {

/// A file in memory, read-only and shared: who writes into the file writes here. Where another
/// process makes it shorter, the first access to what it lost ends this process with one line and
/// exit code 2.
class MappedFile {
 public:
  /// @param file  open for reading; may be closed afterwards
  /// @param size  > 0
  /// @throws OperationError if it cannot be mapped
  MappedFile(int file, std::size_t size, const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  std::string line_;
  MappingGuard guard_;
};

}  // namespace haptic

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "shared/memory/mapping_guard.h"

namespace haptic {

/// A read-only shared mapping of a file: later changes of the file are visible in it. If another
/// process truncates the file, the first access beyond its new end prints one error line and exits
/// with code 2.
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

#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "host/files/temporary_file.h"

namespace haptic {

/// A file that is written from its beginning to its end and gets its final name when it is
/// complete; an old file of that name stays until then.
class OutputStream {
 public:
  /// @throws OperationError naming the file if it cannot be created
  explicit OutputStream(const std::filesystem::path& target);
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;
  ~OutputStream();

  /// @throws OperationError naming the file and the system's reason, such as a full disk
  void write(std::string_view bytes);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// @throws OperationError as write
  void commit();

 private:
  [[noreturn]] void fail() const;

  TemporaryFile temporary_;
  std::FILE* file_;
  std::uint64_t size_ = 0;
};

}  // namespace haptic

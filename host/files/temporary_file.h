#pragma once

#include <filesystem>

namespace haptic {

/// A file that stands beside its target, as `<target>.tmp<pid>`, until it is whole.
///
/// It is removed unless it is committed: by the destructor, and when the process ends by SIGINT,
/// SIGTERM, SIGHUP or SIGPIPE, where the program leaves these at their default. What nothing can
/// remove (SIGKILL, a power cut) the next one for the same target does.
class TemporaryFile {
 public:
  /// Makes no file yet.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return path_; }

  /// Syncs the file, which nobody has open for writing any more, and gives it its final name.
  /// @throws OperationError naming the file and the system's reason
  void commit();

 private:
  std::filesystem::path target_, path_;
  int slot_;  // of the names that a signal removes
  bool committed_ = false;
};

}  // namespace haptic

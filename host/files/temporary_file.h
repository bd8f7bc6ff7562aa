#pragma once

#include <filesystem>

namespace haptic {

/// Waits until a file or folder is on the disk.
/// @throws OperationError naming it and the system's reason
void sync_to_disk(const std::filesystem::path& path);

/// A file with the name `<target>.tmp<pid>` until it is complete.
///
/// It is removed unless it is committed: by the destructor, and when the process ends by SIGINT,
/// SIGTERM, SIGHUP or SIGPIPE, where the program leaves these at their default. A file left by
/// SIGKILL or a power cut is removed by the next TemporaryFile for the same target.
class TemporaryFile {
 public:
  /// Does not create the file yet.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return path_; }

  /// Syncs the file, which must no longer be open for writing, and gives it its final name.
  /// @throws OperationError naming the file and the system's reason
  void commit();
  /// Gives a file that is still being written its final name, without waiting for the disk: a
  /// recorder that waits loses cycles. @throws as commit()
  void publish();

 private:
  std::filesystem::path target_, path_;
  int slot_;  // of the names that a signal removes
  bool committed_ = false;
};

}  // namespace haptic

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "shared/memory/file_descriptor.h"

namespace haptic {

/// Waits until a file or folder is on the disk.
/// @throws OperationError naming it and the system's reason
void sync_to_disk(const std::filesystem::path& path);

/// ".tmp" and 16 random hexadecimal digits: the ending of a name that nobody can guess or has.
std::string temporary_ending();

/// `name` without such an ending; empty if it has none.
std::string_view without_temporary_ending(std::string_view name);

/// Whether a living process writes this file by TemporaryFile, be it under its final name.
bool is_being_written(const std::filesystem::path& path);

/// A file beside its target that gets the target's name when it is complete.
///
/// It is created under a random name that did not exist, so that nobody can have put a link or a
/// FIFO there, and is written by its descriptor or by open_name(), so that nobody can put one there
/// later. While it lives it is locked (shared/files/file_lock.h).
///
/// It is removed unless it is committed: by the destructor, and when the process ends by SIGINT,
/// SIGTERM, SIGHUP or SIGPIPE, where the program leaves these at their default. A file left by
/// SIGKILL or a power cut is removed by the next TemporaryFile for the same target: a file of the
/// same user that nobody locks. Without locks on the file system nothing is removed.
class TemporaryFile {
 public:
  /// @throws OperationError naming the target and the system's reason if it cannot be created
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return file_.get(); }  ///< open for reading and writing
  /// A name of the open file for libraries and child processes that open it by name, which stays
  /// right whatever happens in the folder.
  std::string open_name() const;

  /// Syncs the file and gives it its final name.
  /// @throws OperationError naming the file and the system's reason
  void commit();
  /// Gives a file that is still being written its final name, without waiting for the disk: a
  /// recorder that waits loses cycles. @throws as commit()
  void publish();

 private:
  std::filesystem::path target_, path_;
  FileDescriptor file_;
  int slot_;  // of the names that a signal removes
  bool committed_ = false;
};

}  // namespace haptic

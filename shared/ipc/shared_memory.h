#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "shared/error.h"
#include "shared/memory/mapping_guard.h"

namespace haptic {

/// There is nothing under the name: perhaps it has not been created yet.
class NoSuchSegment : public OperationError {
 public:
  using OperationError::OperationError;
};

/// A mapped file of the run folder (shared/ipc/run_folder.h), which lies in memory (tmpfs). Where
/// another process makes it shorter it reads as zeros (MappingGuard).
class SharedSegment {
 public:
  enum class Access { kRead, kReadWrite };

  /// New object of `size` zero bytes that replaces any old one of the name; its owner may write it,
  /// `group` (when it exists) may read it, others neither. Pages are touched. An exclusive
  /// open-file lock is held on it until destruction or death.
  /// @throws OperationError naming the system's reason
  static SharedSegment create(const std::filesystem::path& path, std::size_t size,
                              const char* group);
  /// Maps an existing object whole.
  /// @throws NoSuchSegment if there is none; OperationError if it may not be opened, or is not to
  /// be
  ///         trusted: not a file of the run folder's owner, or others may write it
  static SharedSegment open(const std::filesystem::path& path, Access access = Access::kRead);

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept;
  ~SharedSegment();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  /// Whether the process that created it still runs and so has the lock.
  bool creator_lives() const;
  /// Whether the name still refers to this object.
  bool is_current() const;
  /// Whether the object has the size with which it was mapped.
  bool is_whole() const;
  /// Whether open() would open this object now, for this user: its name, size, mode and folder.
  bool can_be_opened() const;
  /// Takes the name `path`, replacing any other object of that name atomically.
  /// @throws OperationError naming the system's reason
  void rename(const std::filesystem::path& path);
  /// Removes the name where it still leads to this object; mappings stay.
  void unlink();

 private:
  SharedSegment(std::filesystem::path path, int descriptor, std::byte* data, std::size_t size)
      : path_(std::move(path)), descriptor_(descriptor), data_(data), size_(size) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  MappingGuard guard_;
};

/// Whether there is a trusted segment at `path` whose creator still runs.
bool has_live_creator(const std::filesystem::path& path);

/// An exclusive lock on a name that ends with its process: one daemon per name, one per device.
class InstanceLock {
 public:
  /// @throws InputError "<what>: in use by process <pid> ..." if another process holds it
  InstanceLock(const std::filesystem::path& path, const std::string& what);
  InstanceLock(const InstanceLock&) = delete;
  InstanceLock& operator=(const InstanceLock&) = delete;
  ~InstanceLock();

  /// Whether a process holds the lock at `path`.
  static bool is_held(const std::filesystem::path& path);
  /// Takes the lock again if its file was removed or replaced. @throws as the constructor
  void keep();

 private:
  std::filesystem::path path_;
  std::string what_;
  int descriptor_ = -1;
};

}  // namespace haptic

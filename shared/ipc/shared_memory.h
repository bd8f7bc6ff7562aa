#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace haptic {

/// Checks `--name`: 1 to 48 of [A-Za-z0-9_-]. @throws InputError
void check_daemon_name(const std::string& daemon_name);

/// POSIX shared-memory name of one segment of one daemon: "/hapticd.<daemon_name>.<segment>".
std::string segment_name(const std::string& daemon_name, std::string_view segment);

/// A mapped POSIX shared-memory object.
class SharedSegment {
 public:
  enum class Access { kRead, kReadWrite };

  /// New object of `size` zero bytes that replaces any old one of the name; owner read-write,
  /// `group` (when it exists) read or read-write by `group_access`. Pages are touched.
  /// An exclusive open-file lock is held on it until destruction or death.
  /// @throws OperationError naming the system's reason
  static SharedSegment create(const std::string& name, std::size_t size, const char* group,
                              Access group_access);
  /// Maps an existing object whole. @throws OperationError if there is none or it may not be opened
  static SharedSegment open(const std::string& name, Access access);

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept;
  ~SharedSegment();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  /// Whether some living process holds the creator's lock.
  bool creator_lives() const;
  /// Whether the name still leads to this object.
  bool is_current() const;
  /// Goes by `name` from here on, in place of what had it: in one step, nobody finds none.
  /// @throws OperationError naming the system's reason
  void rename(const std::string& name);
  /// Removes the name where it still leads to this object; mappings stay.
  void unlink();

 private:
  SharedSegment(std::string name, int descriptor, std::byte* data, std::size_t size)
      : name_(std::move(name)), descriptor_(descriptor), data_(data), size_(size) {}

  std::string name_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Whether a living process holds the InstanceLock of that name; false also where it may not be
/// asked. A few system calls.
bool instance_lives(const std::string& lock_name);

/// An exclusive claim on a name that dies with its holder: one daemon per name, one per device.
class InstanceLock {
 public:
  /// @throws InputError "<what>: in use by process <pid> ..." if another process holds it
  InstanceLock(const std::string& lock_name, const std::string& what);
  InstanceLock(const InstanceLock&) = delete;
  InstanceLock& operator=(const InstanceLock&) = delete;
  ~InstanceLock();

 private:
  int descriptor_ = -1;
};

}  // namespace haptic

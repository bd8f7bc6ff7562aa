#include "shared/ipc/shared_memory.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "shared/files/file_lock.h"
#include "shared/ipc/run_folder.h"
#include "shared/memory/memory_reason.h"

namespace haptic {
namespace {

std::string system_reason() {
  return std::strerror(errno);
}

/// Whether `path` refers to the open file.
bool has_name(int descriptor, const std::filesystem::path& path) {
  struct stat mine {};
  struct stat theirs {};
  return fstat(descriptor, &mine) == 0 && lstat(path.c_str(), &theirs) == 0 &&
         mine.st_ino == theirs.st_ino && mine.st_dev == theirs.st_dev;
}

// Group and mode of a fresh object; a machine without the group keeps it with its owner.
void grant_reading(int descriptor, const char* group) {
  const struct group* entry = getgrnam(group);
  mode_t mode = 0600;
  if (entry != nullptr && fchown(descriptor, static_cast<uid_t>(-1), entry->gr_gid) == 0) {
    mode |= S_IRGRP;
  }
  fchmod(descriptor, mode);
}

/// For messages.
std::string title(const std::filesystem::path& path) {
  return "shared memory " + path.string();
}

}  // namespace

SharedSegment SharedSegment::create(const std::filesystem::path& path, std::size_t size,
                                    const char* group) {
  ::unlink(path.c_str());
  const int descriptor =
      ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) {
    throw OperationError(title(path) + ": cannot create: " + system_reason());
  }
  SharedSegment segment(path, descriptor, nullptr, size);  // closes the descriptor on a throw
  if (lock_file(descriptor) != FileLock::kTaken) {
    throw OperationError(title(path) + ": cannot lock: " + system_reason());
  }
  // Reserves the pages now: a full file system is an error here and not a SIGBUS in the loop.
  const int reserved = posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  if (reserved != 0) {
    segment.unlink();
    throw OperationError(title(path) + ": no room for " + std::to_string(size) +
                         " bytes: " + std::strerror(reserved));
  }
  void* data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (data == MAP_FAILED) {
    const std::string why = memory_reason(errno);
    segment.unlink();
    throw OperationError(title(path) + ": cannot map: " + why);
  }
  segment.data_ = static_cast<std::byte*>(data);
  segment.guard_ = MappingGuard(data, size);
  std::memset(data, 0, size);
  grant_reading(descriptor, group);
  return segment;
}

SharedSegment SharedSegment::open(const std::filesystem::path& path, Access access) {
  const bool write = access == Access::kReadWrite;
  // O_NONBLOCK: a FIFO under the name must not hang the opener.
  const int descriptor =
      ::open(path.c_str(), (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT) throw NoSuchSegment(title(path) + ": does not exist");
    throw OperationError(title(path) + ": cannot open: " + system_reason());
  }
  SharedSegment segment(path, descriptor, nullptr, 0);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !is_trusted(status, S_IFREG, path.parent_path())) {
    throw OperationError(title(path) +
                         ": not trusted: it or its folder may be written by another user");
  }
  if (status.st_size <= 0) throw OperationError(title(path) + ": is empty");
  segment.size_ = static_cast<std::size_t>(status.st_size);
  void* data = mmap(nullptr, segment.size_, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                    descriptor, 0);
  if (data == MAP_FAILED) {
    throw OperationError(title(path) + ": cannot map: " + memory_reason(errno));
  }
  segment.data_ = static_cast<std::byte*>(data);
  segment.guard_ = MappingGuard(data, segment.size_);
  return segment;
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept {
  *this = std::move(other);
}

SharedSegment& SharedSegment::operator=(SharedSegment&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(guard_, other.guard_);
  return *this;
}

SharedSegment::~SharedSegment() {
  guard_ = MappingGuard();
  if (data_ != nullptr) munmap(data_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

// The creator holds a write lock. A reader can take a read lock after the creator has ended.
bool SharedSegment::creator_lives() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

bool SharedSegment::is_current() const {
  return has_name(descriptor_, path_);
}

bool SharedSegment::is_whole() const {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) >= size_;
}

bool SharedSegment::can_be_opened() const {
  struct stat status {};
  return is_current() && is_whole() && fstat(descriptor_, &status) == 0 &&
         (status.st_mode & S_IRUSR) != 0 && is_trusted(status, S_IFREG, path_.parent_path());
}

void SharedSegment::rename(const std::filesystem::path& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) {
    throw OperationError(title(path_) + ": cannot be renamed to " + path.string() + ": " +
                         system_reason());
  }
  path_ = path;
}

void SharedSegment::unlink() {
  if (is_current()) ::unlink(path_.c_str());
}

bool has_live_creator(const std::filesystem::path& path) {
  // A daemon without a guard asks 50 times a second: do not try to open a file that is not there.
  if (access(path.c_str(), F_OK) != 0) return false;
  try {
    return SharedSegment::open(path).creator_lives();
  } catch (const OperationError&) {
    return false;
  }
}

InstanceLock::InstanceLock(const std::filesystem::path& path, const std::string& what)
    : path_(path), what_(what) {
  descriptor_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor_ < 0) {
    throw InputError(what, "", "the lock " + path.string() + " cannot be taken: " + system_reason(),
                     "a run folder of this user's own");
  }
  const FileLock lock = lock_file(descriptor_);
  if (lock == FileLock::kUnavailable) {
    const std::string reason = system_reason();
    close(descriptor_);
    descriptor_ = -1;
    throw InputError(what, "", "the lock " + path.string() + " cannot be taken: " + reason,
                     "a run folder with file locks");
  }
  if (lock == FileLock::kHeld) {
    char holder[24] = {};
    const ssize_t length = pread(descriptor_, holder, sizeof(holder) - 1, 0);
    close(descriptor_);
    descriptor_ = -1;
    throw InputError(what, "",
                     length > 0 ? "in use by hapticd, process " + std::string(holder)
                                : std::string("in use by another hapticd"),
                     "one daemon at a time");
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, pid.data(), pid.size(), 0) < 0) {
    // The lock is valid nevertheless; only the message of a refusal lacks the process number.
  }
}

bool InstanceLock::is_held(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

void InstanceLock::keep() {
  if (has_name(descriptor_, path_)) return;
  InstanceLock again(path_, what_);
  std::swap(descriptor_, again.descriptor_);
}

InstanceLock::~InstanceLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace haptic

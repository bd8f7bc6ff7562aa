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

#include "shared/error.h"

namespace haptic {
namespace {

std::string system_reason() {
  return std::strerror(errno);
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Group and mode of a fresh object; a machine without the group keeps it with its owner.
void grant(int descriptor, const char* group, mode_t group_bits) {
  const struct group* entry = getgrnam(group);
  mode_t mode = 0600;
  if (entry != nullptr && fchown(descriptor, static_cast<uid_t>(-1), entry->gr_gid) == 0) {
    mode |= group_bits;
  }
  fchmod(descriptor, mode);
}

}  // namespace

void check_daemon_name(const std::string& daemon_name) {
  bool good = !daemon_name.empty() && daemon_name.size() <= 48;
  for (const char c : daemon_name) {
    good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '-');
  }
  if (!good) {
    throw InputError("--name", "", "found \"" + daemon_name + "\"", "1 to 48 of [A-Za-z0-9_-]");
  }
}

std::string segment_name(const std::string& daemon_name, std::string_view segment) {
  check_daemon_name(daemon_name);
  return "/hapticd." + daemon_name + "." + std::string(segment);
}

SharedSegment SharedSegment::create(const std::string& name, std::size_t size, const char* group,
                                    Access group_access) {
  shm_unlink(name.c_str());
  const int descriptor = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
  if (descriptor < 0) {
    throw OperationError("shared memory " + name + ": cannot create: " + system_reason());
  }
  SharedSegment segment(name, descriptor, nullptr, size);  // closes the descriptor on a throw
  struct flock lock = whole_file(F_WRLCK);
  if (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
    throw OperationError("shared memory " + name + ": cannot lock: " + system_reason());
  }
  // Reserves the pages now: a full /dev/shm is an error here and not a SIGBUS in the loop.
  const int reserved = posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  if (reserved != 0) {
    segment.unlink();
    throw OperationError("shared memory " + name + ": no room for " + std::to_string(size) +
                         " bytes: " + std::strerror(reserved));
  }
  void* data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (data == MAP_FAILED) {
    const std::string why = system_reason();
    segment.unlink();
    throw OperationError("shared memory " + name + ": cannot map: " + why);
  }
  segment.data_ = static_cast<std::byte*>(data);
  std::memset(data, 0, size);
  grant(descriptor, group, group_access == Access::kRead ? 0040 : 0060);
  return segment;
}

SharedSegment SharedSegment::open(const std::string& name, Access access) {
  const bool write = access == Access::kReadWrite;
  const int descriptor = shm_open(name.c_str(), write ? O_RDWR : O_RDONLY, 0);
  if (descriptor < 0) {
    if (errno == ENOENT) throw OperationError("shared memory " + name + ": there is none");
    throw OperationError("shared memory " + name + ": cannot open: " + system_reason());
  }
  SharedSegment segment(name, descriptor, nullptr, 0);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size <= 0) {
    throw OperationError("shared memory " + name + ": is empty");
  }
  segment.size_ = static_cast<std::size_t>(status.st_size);
  void* data = mmap(nullptr, segment.size_, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                    descriptor, 0);
  if (data == MAP_FAILED) {
    throw OperationError("shared memory " + name + ": cannot map: " + system_reason());
  }
  segment.data_ = static_cast<std::byte*>(data);
  return segment;
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept {
  *this = std::move(other);
}

SharedSegment& SharedSegment::operator=(SharedSegment&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedSegment::~SharedSegment() {
  if (data_ != nullptr) munmap(data_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

bool SharedSegment::creator_lives() const {
  struct flock lock = whole_file(F_WRLCK);
  return fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool SharedSegment::is_current() const {
  const int other = shm_open(name_.c_str(), O_RDONLY, 0);
  if (other < 0) return false;
  struct stat mine {};
  struct stat theirs {};
  const bool same = fstat(descriptor_, &mine) == 0 && fstat(other, &theirs) == 0 &&
                    mine.st_ino == theirs.st_ino && mine.st_dev == theirs.st_dev;
  close(other);
  return same;
}

// POSIX has no call for it; on Linux the objects are the files of /dev/shm.
void SharedSegment::rename(const std::string& name) {
  if (::rename(("/dev/shm" + name_).c_str(), ("/dev/shm" + name).c_str()) != 0) {
    throw OperationError("shared memory " + name_ + ": cannot become " + name + ": " +
                         system_reason());
  }
  name_ = name;
}

void SharedSegment::unlink() {
  if (is_current()) shm_unlink(name_.c_str());
}

InstanceLock::InstanceLock(const std::string& lock_name, const std::string& what) {
  descriptor_ = shm_open(lock_name.c_str(), O_CREAT | O_RDWR, 0600);
  if (descriptor_ < 0) {
    throw InputError(what, "", "the lock " + lock_name + " cannot be taken: " + system_reason(),
                     "no daemon of another user under this name");
  }
  struct flock lock = whole_file(F_WRLCK);
  if (fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) {
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
    // The lock holds all the same; only the refusal's line will lack the process number.
  }
}

bool instance_lives(const std::string& lock_name) {
  const int descriptor = shm_open(lock_name.c_str(), O_RDONLY, 0);
  if (descriptor < 0) return false;
  struct flock lock = whole_file(F_WRLCK);
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

InstanceLock::~InstanceLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace haptic

#pragma once

#include <cstdint>

namespace haptic {

enum class FileLock : std::uint8_t {
  kTaken,
  kHeld,         ///< another open file of this or another process has it
  kUnavailable,  ///< the file system has no locks, or taking it failed; errno says why
};

/// Whether others may hold the same lock.
enum class LockKind : std::uint8_t {
  kExclusive,  ///< needs a file that is open for writing
  kShared,     ///< needs a file that is open for reading
};

/// Takes a lock on a whole file without waiting. It belongs to the open file, ends with its last
/// descriptor, however the process ends, and says nothing about process numbers, which differ
/// between containers. It is independent of flock(), which HDF5 uses, on local file systems.
FileLock lock_file(int descriptor, LockKind kind = LockKind::kExclusive);

}  // namespace haptic

#include "shared/files/file_lock.h"

#include <fcntl.h>

#include <cerrno>

namespace haptic {

FileLock lock_file(int descriptor, LockKind kind) {
  struct flock lock {};
  lock.l_type = kind == LockKind::kExclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  for (;;) {
    if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return FileLock::kTaken;
    if (errno == EAGAIN || errno == EACCES) return FileLock::kHeld;
    if (errno != EINTR) return FileLock::kUnavailable;
  }
}

}  // namespace haptic

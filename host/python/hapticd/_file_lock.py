"""Locks on files that `haptic` and this package write: those of shared/files/file_lock.h."""
from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
from typing import Optional

_FLOCK = "hhqqi0q"  # struct flock


def lock(descriptor: int) -> bool:
    """Takes the lock for writing without waiting; it ends with the open file. @returns False if another has it"""
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN)  # a file system without locks: as the programs do
    return True


def is_being_written(path: str) -> bool:
    """Whether a process has the lock for writing on the file. Takes none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        asked = struct.pack(_FLOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        return bool(struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked))[0] != fcntl.F_UNLCK)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def writer_of(path: str) -> str:
    """The process that has the lock, as far as this user may see it: "process 123 (python3)"."""
    wanted = os.stat(path)
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            for number in os.listdir(f"/proc/{process}/fd"):
                found = _stat(f"/proc/{process}/fd/{number}")
                if found is None or (found.st_dev, found.st_ino) != (wanted.st_dev, wanted.st_ino):
                    continue
                with open(f"/proc/{process}/fdinfo/{number}", encoding="ascii", errors="replace") as info:
                    if not any(line.startswith("lock:") and " WRITE " in line for line in info):
                        continue
                if int(process) == os.getpid():
                    return "another experiment of this process"
                with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as name:
                    return f"process {process} ({name.read().strip()})"
        except OSError:
            continue  # of another user, or it has ended
    return "another process"


def _stat(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except OSError:
        return None

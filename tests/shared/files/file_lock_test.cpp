#include "shared/files/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "shared/memory/file_descriptor.h"

namespace haptic {
namespace {

class FileLockTest : public testing::Test {
 protected:
  FileLockTest() {
    std::string name = testing::TempDir() + "file_lock_XXXXXX";
    close(mkstemp(name.data()));
    path_ = name;
  }
  ~FileLockTest() override { unlink(path_.c_str()); }
  FileDescriptor opened(int flags) const {
    return FileDescriptor(open(path_.c_str(), flags | O_CLOEXEC));
  }

  std::string path_;
};

TEST_F(FileLockTest, an_exclusive_lock_excludes_all_others_until_the_file_is_closed) {
  const FileDescriptor second = opened(O_RDWR), reader = opened(O_RDONLY);
  {
    const FileDescriptor first = opened(O_RDWR);
    EXPECT_EQ(lock_file(first.get()), FileLock::kTaken);
    EXPECT_EQ(lock_file(first.get()), FileLock::kTaken);
    EXPECT_EQ(lock_file(second.get()), FileLock::kHeld);
    EXPECT_EQ(lock_file(reader.get(), LockKind::kShared), FileLock::kHeld);
  }
  EXPECT_EQ(lock_file(reader.get(), LockKind::kShared), FileLock::kTaken);
  EXPECT_EQ(lock_file(second.get(), LockKind::kShared), FileLock::kTaken);
  EXPECT_EQ(lock_file(second.get()), FileLock::kHeld);
}

TEST_F(FileLockTest, what_cannot_be_locked_is_not_taken_for_held) {
  EXPECT_EQ(lock_file(-1), FileLock::kUnavailable);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(lock_file(opened(O_RDONLY).get()), FileLock::kUnavailable);
}

TEST_F(FileLockTest, flock_of_the_same_file_is_another_lock) {
  const FileDescriptor first = opened(O_RDWR), second = opened(O_RDWR);
  ASSERT_EQ(flock(first.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(lock_file(second.get()), FileLock::kTaken);
}

}  // namespace
}  // namespace haptic

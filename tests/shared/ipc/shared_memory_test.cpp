#include "shared/ipc/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TEST(InstanceLock, a_second_holder_is_refused_with_the_first_one_named) {
  const std::filesystem::path lock = own_run_file(test_name("lock"), "lock");
  std::optional<InstanceLock> first(std::in_place, lock, "--name test");
  try {
    const InstanceLock second(lock, "--name test");
    FAIL() << "two holders";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "--name test: in use by hapticd, process " +
                                             std::to_string(getpid()) +
                                             ", expected one daemon at a time");
  }
  first.reset();
  EXPECT_NO_THROW(InstanceLock(lock, "--name test"));
  unlink(lock.c_str());
}

TEST(InstanceLock, is_taken_again_if_its_file_was_removed_unless_another_has_it) {
  const std::filesystem::path lock = own_run_file(test_name("removed"), "lock");
  std::optional<InstanceLock> first(std::in_place, lock, "--name test");
  EXPECT_TRUE(InstanceLock::is_held(lock));
  ASSERT_EQ(unlink(lock.c_str()), 0);
  EXPECT_FALSE(InstanceLock::is_held(lock));
  first->keep();
  EXPECT_TRUE(InstanceLock::is_held(lock));
  EXPECT_THROW(InstanceLock(lock, "--name test"), InputError);

  ASSERT_EQ(unlink(lock.c_str()), 0);
  std::optional<InstanceLock> second(std::in_place, lock, "--name test");
  EXPECT_THROW(first->keep(), InputError);
  first.reset();
  EXPECT_TRUE(InstanceLock::is_held(lock));
  second.reset();
  EXPECT_FALSE(InstanceLock::is_held(lock));
  unlink(lock.c_str());
}

TEST(InstanceLock, dies_with_its_process) {
  const std::filesystem::path lock = own_run_file(test_name("mortal"), "lock");
  const pid_t child = fork();
  if (child == 0) {
    const InstanceLock held(lock, "child");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NO_THROW(InstanceLock(lock, "parent"));
  unlink(lock.c_str());
}

TEST(SharedSegment, can_be_opened_as_long_as_its_readers_can) {
  const std::filesystem::path name = own_run_file(test_name("readable"), "x");
  const SharedSegment writer = SharedSegment::create(name, 2 * 4096, "haptic");
  EXPECT_TRUE(writer.can_be_opened());
  for (const mode_t mode : {0000u, 0200u, 0660u, 0666u}) {
    ASSERT_EQ(chmod(name.c_str(), mode), 0);
    EXPECT_FALSE(writer.can_be_opened()) << mode;
  }
  for (const mode_t mode : {0600u, 0640u, 0644u}) {
    ASSERT_EQ(chmod(name.c_str(), mode), 0);
    EXPECT_TRUE(writer.can_be_opened()) << mode;
  }
  ASSERT_EQ(truncate(name.c_str(), 4096), 0);
  EXPECT_FALSE(writer.is_whole());
  EXPECT_FALSE(writer.can_be_opened());
  ASSERT_EQ(truncate(name.c_str(), 2 * 4096), 0);
  EXPECT_TRUE(writer.can_be_opened());
  ASSERT_EQ(unlink(name.c_str()), 0);
  EXPECT_TRUE(writer.is_whole());
  EXPECT_FALSE(writer.can_be_opened());
}

TEST(SharedSegment, that_is_cut_reads_as_zeros_in_writer_and_reader) {
  const std::filesystem::path name = own_run_file(test_name("cut"), "x");
  SharedSegment writer = SharedSegment::create(name, 2 * 4096, "haptic");
  const SharedSegment reader = SharedSegment::open(name);
  writer.data()[4096] = std::byte{42};
  EXPECT_EQ(reader.data()[4096], std::byte{42});
  ASSERT_EQ(truncate(name.c_str(), 0), 0);
  EXPECT_EQ(reader.data()[4096], std::byte{0});
  EXPECT_EQ(writer.data()[4096], std::byte{0});
  writer.data()[0] = std::byte{1};
  EXPECT_EQ(reader.data()[0], std::byte{0});
  writer.unlink();
}

TEST(SharedSegment, a_new_one_replaces_the_old_and_leaves_its_mappings) {
  const std::filesystem::path name = own_run_file(test_name("replace"), "x");
  SharedSegment first = SharedSegment::create(name, 4096, "haptic");
  const SharedSegment view = SharedSegment::open(name);
  EXPECT_TRUE(view.creator_lives());
  EXPECT_TRUE(view.is_current());
  first.data()[0] = std::byte{42};
  SharedSegment second = SharedSegment::create(name, 8192, "haptic");
  EXPECT_FALSE(view.is_current());
  EXPECT_EQ(view.data()[0], std::byte{42});
  EXPECT_EQ(second.data()[0], std::byte{0});
  second.unlink();
}

// Anyone who can read a segment can take a read lock on it after its creator has ended.
TEST(SharedSegment, the_lock_of_a_reader_is_not_taken_for_the_creators) {
  const std::filesystem::path name = own_run_file(test_name("reader"), "x");
  std::optional<SharedSegment> created = SharedSegment::create(name, 4096, "haptic");
  const SharedSegment view = SharedSegment::open(name);
  const int reader = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct flock lock {};
  lock.l_type = F_RDLCK;
  EXPECT_NE(fcntl(reader, F_OFD_SETLK, &lock), 0);
  EXPECT_TRUE(view.creator_lives());
  created.reset();
  ASSERT_EQ(fcntl(reader, F_OFD_SETLK, &lock), 0);
  EXPECT_FALSE(view.creator_lives());
  close(reader);
  unlink(name.c_str());
}

TEST(SharedSegment, one_that_others_may_write_or_own_is_not_trusted) {
  const std::filesystem::path name = own_run_file(test_name("trust"), "x");
  SharedSegment segment = SharedSegment::create(name, 4096, "haptic");
  EXPECT_NO_THROW(SharedSegment::open(name));
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(chmod(name.c_str(), mode), 0);
    EXPECT_THROW(SharedSegment::open(name), OperationError) << mode;
  }
  ASSERT_EQ(chmod(name.c_str(), 0644), 0);
  EXPECT_NO_THROW(SharedSegment::open(name));
  if (geteuid() == 0) {  // only root may change the owner of a file
    ASSERT_EQ(chown(name.c_str(), 65534, static_cast<gid_t>(-1)), 0);
    EXPECT_THROW(SharedSegment::open(name), OperationError);
  }
  segment.unlink();
}

TEST(SharedSegment, neither_a_link_nor_a_pipe_is_followed_or_waited_for) {
  const std::filesystem::path target = own_run_file(test_name("target"), "x");
  const std::filesystem::path name = own_run_file(test_name("link"), "x");
  SharedSegment segment = SharedSegment::create(target, 4096, "haptic");
  ASSERT_EQ(symlink(target.c_str(), name.c_str()), 0);
  EXPECT_THROW(SharedSegment::open(name), OperationError);
  unlink(name.c_str());
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_THROW(SharedSegment::open(name), OperationError);
  unlink(name.c_str());
  // And a link that is in the way of a new one is replaced, its target untouched.
  ASSERT_EQ(symlink(target.c_str(), name.c_str()), 0);
  segment.data()[0] = std::byte{42};
  SharedSegment fresh = SharedSegment::create(name, 4096, "haptic");
  EXPECT_EQ(segment.data()[0], std::byte{42});
  fresh.unlink();
  segment.unlink();
}

}  // namespace
}  // namespace haptic

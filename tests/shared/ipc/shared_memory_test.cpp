#include "shared/ipc/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "shared/error.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TEST(InstanceLock, a_second_holder_is_refused_with_the_first_one_named) {
  const std::string lock = segment_name(test_name("lock"), "lock");
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
  shm_unlink(lock.c_str());
}

TEST(InstanceLock, dies_with_its_process) {
  const std::string lock = segment_name(test_name("mortal"), "lock");
  const pid_t child = fork();
  if (child == 0) {
    const InstanceLock held(lock, "child");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NO_THROW(InstanceLock(lock, "parent"));
  shm_unlink(lock.c_str());
}

TEST(SharedSegment, a_new_one_replaces_the_old_and_leaves_its_mappings) {
  const std::string name = segment_name(test_name("replace"), "x");
  SharedSegment first = SharedSegment::create(name, 4096, "haptic", SharedSegment::Access::kRead);
  const SharedSegment view = SharedSegment::open(name, SharedSegment::Access::kRead);
  EXPECT_TRUE(view.creator_lives());
  EXPECT_TRUE(view.is_current());
  first.data()[0] = std::byte{42};
  SharedSegment second = SharedSegment::create(name, 8192, "haptic", SharedSegment::Access::kRead);
  EXPECT_FALSE(view.is_current());
  EXPECT_EQ(view.data()[0], std::byte{42});
  EXPECT_EQ(second.data()[0], std::byte{0});
  second.unlink();
}

}  // namespace
}  // namespace haptic

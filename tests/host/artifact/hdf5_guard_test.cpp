#include "host/artifact/hdf5_guard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "shared/error.h"

namespace haptic {
namespace {

const std::string kLine = line_of_damage("log\x1b.h5", "/samples", "a log");

/// A sanitizer gives its own exit code.
bool ends_by_the_fault(int status) {
  return WIFSIGNALED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != kExitBadInput);
}

TEST(Hdf5Guard, a_crash_inside_is_bad_input) {
  for (const int number : {SIGSEGV, SIGFPE, SIGABRT}) {
    EXPECT_EXIT(
        {
          const Hdf5Guard guarded(kLine);
          raise(number);
        },
        testing::ExitedWithCode(kExitBadInput),
        "hdf5_input_test: log\\\\x1b.h5: /samples: damaged: HDF5 crashed on what the file "
        "describes, "
        "expected a "
        "log\n$");
  }
}

TEST(Hdf5Guard, an_access_past_the_end_of_memory_is_one) {
  EXPECT_EXIT(
      {
        const Hdf5Guard guarded(kLine);
        *reinterpret_cast<volatile int*>(8) = 1;
      },
      testing::ExitedWithCode(kExitBadInput), "damaged: HDF5 crashed");
}

TEST(Hdf5Guard, a_crash_outside_or_in_another_thread_ends_as_without_it) {
  { const Hdf5Guard guarded(kLine); }
  EXPECT_EXIT(raise(SIGSEGV), ends_by_the_fault, "");
  EXPECT_EXIT(std::abort(), ends_by_the_fault, "");
  const Hdf5Guard guarded(kLine);
  EXPECT_EXIT(std::thread([] { raise(SIGSEGV); }).join(), ends_by_the_fault, "");
}

TEST(Hdf5Guard, an_inner_one_speaks_until_it_ends) {
  const std::string inner = line_of_damage("log.h5", "/timing", "a dataset");
  const Hdf5Guard outer(kLine);
  EXPECT_EXIT(
      {
        const Hdf5Guard guarded(inner);
        raise(SIGFPE);
      },
      testing::ExitedWithCode(kExitBadInput), "/timing");
  { const Hdf5Guard guarded(inner); }
  EXPECT_EXIT(raise(SIGFPE), testing::ExitedWithCode(kExitBadInput), "/samples");
}

TEST(Hdf5Guard, memory_is_bounded_until_the_outer_one_ends) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process where memory cannot be had";
#endif
  const auto can_have = [](std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    std::free(memory);
    return memory != nullptr;
  };
  ASSERT_TRUE(can_have(2 * Hdf5Guard::kMemory));
  {
    const Hdf5Guard outer(kLine);
    { const Hdf5Guard inner(kLine); }
    EXPECT_FALSE(can_have(Hdf5Guard::kMemory + (std::size_t{16} << 20)));
    EXPECT_TRUE(can_have(Hdf5Guard::kMemory / 2));
  }
  EXPECT_TRUE(can_have(2 * Hdf5Guard::kMemory));
}

}  // namespace
}  // namespace haptic

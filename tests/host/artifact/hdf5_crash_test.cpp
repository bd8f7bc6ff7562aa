#include "host/artifact/hdf5_crash.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "shared/error.h"

namespace haptic {
namespace {

const std::string kLine = line_of_crash("log\x1b.h5", "/samples", "a log");

TEST(Hdf5Crash, a_crash_inside_is_bad_input) {
  for (const int number : {SIGSEGV, SIGFPE, SIGABRT}) {
    EXPECT_EXIT(
        {
          const Hdf5Crash guarded(kLine);
          raise(number);
        },
        testing::ExitedWithCode(kExitBadInput),
        "hdf5_input_test: log\\\\x1b.h5: /samples: damaged: HDF5 crashed on what the file "
        "describes, "
        "expected a "
        "log\n$");
  }
}

TEST(Hdf5Crash, an_access_past_the_end_of_memory_is_one) {
  EXPECT_EXIT(
      {
        const Hdf5Crash guarded(kLine);
        *reinterpret_cast<volatile int*>(8) = 1;
      },
      testing::ExitedWithCode(kExitBadInput), "damaged: HDF5 crashed");
}

TEST(Hdf5Crash, a_crash_outside_or_in_another_thread_ends_as_without_it) {
  { const Hdf5Crash guarded(kLine); }
  EXPECT_EXIT(raise(SIGSEGV), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(std::abort(), testing::KilledBySignal(SIGABRT), "");
  const Hdf5Crash guarded(kLine);
  EXPECT_EXIT(std::thread([] { raise(SIGSEGV); }).join(), testing::KilledBySignal(SIGSEGV), "");
}

TEST(Hdf5Crash, an_inner_one_speaks_until_it_ends) {
  const std::string inner = line_of_crash("log.h5", "/timing", "a dataset");
  const Hdf5Crash outer(kLine);
  EXPECT_EXIT(
      {
        const Hdf5Crash guarded(inner);
        raise(SIGFPE);
      },
      testing::ExitedWithCode(kExitBadInput), "/timing");
  { const Hdf5Crash guarded(inner); }
  EXPECT_EXIT(raise(SIGFPE), testing::ExitedWithCode(kExitBadInput), "/samples");
}

}  // namespace
}  // namespace haptic

#include "host/files/output_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "host/files/temporary_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

TEST(OutputPath, a_file_that_is_being_written_is_no_output) {
  const std::filesystem::path target =
      testing::TempDir() + "haptic_output_" + std::to_string(::getpid()) + ".h5";
  {
    TemporaryFile recording(target);
    EXPECT_NO_THROW(check_output(target));
    recording.publish();
    try {
      check_output(target);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), target.string() +
                                  ": found a file that another process is writing, expected "
                                  "another name, or the end of that process");
    }
  }
  EXPECT_NO_THROW(check_output(target));
  std::filesystem::remove(target);
}

}  // namespace
}  // namespace haptic

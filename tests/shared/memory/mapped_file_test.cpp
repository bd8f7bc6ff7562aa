#include "shared/memory/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "shared/error.h"
#include "shared/memory/file_descriptor.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr std::size_t kSize = 20'000;
constexpr const char* kPath = "a\tmodel.h5";

/// A file in memory, all 'x'.
FileDescriptor make_file() {
  FileDescriptor file(memfd_create("mapped_file_test", MFD_CLOEXEC));
  const std::string content(kSize, 'x');
  EXPECT_EQ(write(file.get(), content.data(), kSize), static_cast<ssize_t>(kSize));
  return file;
}

TEST(MappedFile, holds_the_file_after_its_descriptor_was_closed) {
  std::optional<FileDescriptor> file = make_file();
  const MappedFile mapped(file->get(), kSize, kPath);
  file.reset();
  EXPECT_EQ(mapped.bytes().size(), kSize);
  EXPECT_TRUE(std::ranges::all_of(mapped.bytes(), [](std::byte b) { return b == std::byte{'x'}; }));
}

TEST(MappedFile, cannot_map_what_is_no_file) {
  EXPECT_THROW(MappedFile(-1, kSize, kPath), OperationError);
}

TEST(MappedFileDeathTest, a_cut_file_ends_the_process_with_one_printable_line) {
  const FileDescriptor file = make_file();
  const MappedFile mapped(file.get(), kSize, kPath);
  ASSERT_EQ(ftruncate(file.get(), 100), 0);
  EXPECT_EQ(mapped.bytes()[99], std::byte{'x'});
  EXPECT_EXIT(_exit(std::to_integer<int>(mapped.bytes().back())),
              testing::ExitedWithCode(kExitBadInput),
              testing::EndsWith(": " + printable(kPath) +
                                ": found a file that was cut while it was read, expected one that "
                                "is not changed\n"));
}

}  // namespace
}  // namespace haptic

#include "shared/files/regular_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class RegularFileTest : public testing::Test {
 protected:
  RegularFileTest() {
    std::string name = (fs::temp_directory_path() / "regular_file_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RegularFileTest() override { fs::remove_all(folder_); }

  fs::path write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  /// Why a file is refused, without its folder.
  std::string refusal(const fs::path& path, std::uint64_t max_bytes = 100) const {
    try {
      read_regular_file(path, "a text", max_bytes);
    } catch (const InputError& error) {
      const std::string what = error.what();
      const std::string folder = folder_.string() + "/";
      return what.starts_with(folder) ? what.substr(folder.size()) : what;
    }
    return "read";
  }

  fs::path folder_;
};

TEST_F(RegularFileTest, whole_content_is_read_up_to_the_limit) {
  EXPECT_EQ(read_regular_file(write("a", "hello\n"), "a text", 6), "hello\n");
  EXPECT_EQ(read_regular_file(write("empty", ""), "a text", 6), "");
  EXPECT_EQ(refusal(write("a", "hello!\n"), 6),
            "a: found 7 bytes, expected a text of at most 6 bytes");
}

TEST_F(RegularFileTest, links_are_followed) {
  write("a", "hello");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_EQ(read_regular_file(folder_ / "b", "a text", 100), "hello");
}

TEST_F(RegularFileTest, what_is_no_file_is_named) {
  EXPECT_EQ(refusal(folder_ / "none"), "none: no such file, expected a text");
  write("a", "");
  EXPECT_EQ(refusal(folder_ / "a" / "b"), "a/b: no such file, expected a text");
  fs::create_directory(folder_ / "folder");
  EXPECT_EQ(refusal(folder_ / "folder"), "folder: found a folder, expected a text");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: found a device, expected a text");
}

TEST_F(RegularFileTest, a_fifo_without_a_writer_is_refused_at_once) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder_ / "fifo"), "fifo: found a FIFO, expected a text");
  EXPECT_EQ(first_bytes(folder_ / "fifo", 8), "");
}

TEST_F(RegularFileTest, a_socket_is_refused) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder_ / "s").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refusal(folder_ / "s"), "s: found a socket, expected a text");
}

TEST_F(RegularFileTest, a_sparse_file_is_judged_by_its_length) {
  fs::resize_file(write("sparse", "a"), std::uint64_t{40} << 30);
  EXPECT_EQ(refusal(folder_ / "sparse", 16 << 20),
            "sparse: found 40 GiB, expected a text of at most 16 MiB");
}

// A file of /proc states no size and has content, as one that grows after it was opened.
TEST_F(RegularFileTest, a_file_that_has_more_than_its_size_is_read_up_to_the_limit) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(expected.size(), 4u);
  EXPECT_EQ(read_regular_file("/proc/self/cmdline", "a text", 100'000), expected);
  EXPECT_EQ(read_regular_file("/proc/self/cmdline", "a text", expected.size()), expected);
  EXPECT_EQ(refusal("/proc/self/cmdline", 4),
            "/proc/self/cmdline: found more than 4 bytes, expected a text of at most 4 bytes");
}

TEST_F(RegularFileTest, both_ends_of_a_file_are_read_alone) {
  const fs::path path = write("a", "0123456789");
  EXPECT_EQ(first_bytes(path, 3), "012");
  EXPECT_EQ(last_bytes(path, 3), "789");
  EXPECT_EQ(first_bytes(path, 30), "0123456789");
  EXPECT_EQ(last_bytes(path, 30), "0123456789");
  EXPECT_EQ(first_bytes(folder_ / "none", 3), "");
}

TEST(SizeText, sizes_that_are_not_whole_are_told_exactly) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(16 << 20), "16 MiB");
  EXPECT_EQ(size_text((16 << 20) + 1), "16777217 bytes (16.0 MiB)");
  EXPECT_EQ(size_text(std::uint64_t{40} << 30), "40 GiB");
}

}  // namespace
}  // namespace haptic

#include "shared/memory/sealed_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "shared/error.h"
#include "shared/memory/huge_pages.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class SealedMemoryTest : public testing::Test {
 protected:
  SealedMemoryTest() : file_(memfd_create("source", MFD_CLOEXEC)) {}
  ~SealedMemoryTest() override { close(file_); }

  void write(const std::string& bytes) const {
    ASSERT_EQ(ftruncate(file_, 0), 0);
    ASSERT_EQ(pwrite(file_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  static std::string text(const SealedMemory& memory) {
    return {reinterpret_cast<const char*>(memory.bytes().data()), memory.bytes().size()};
  }

  const int file_;
};

/// Bytes that repeat at no page's length.
std::string pattern(std::size_t length) {
  std::string bytes(length, '\0');
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

TEST_F(SealedMemoryTest, keeps_the_bytes_whatever_happens_to_the_file) {
  for (const std::size_t length : {std::size_t{1}, std::size_t{4096}, std::size_t{20'001},
                                   kHugePage - 1, kHugePage, 2 * kHugePage + 12'345}) {
    const std::string bytes = pattern(length);
    write(bytes);
    const SealedMemory memory(file_, length, "a.h5");
    ASSERT_EQ(memory.bytes().size(), length);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 4096, 0u);
    write(std::string(length, 'x'));
    EXPECT_TRUE(text(memory) == bytes) << length;
    ASSERT_EQ(ftruncate(file_, 0), 0);
    EXPECT_TRUE(text(memory) == bytes) << length;
  }
}

TEST_F(SealedMemoryTest, the_copy_of_a_small_file_cannot_be_changed) {
  const std::string bytes = pattern(10'000);
  write(bytes);
  const SealedMemory memory(file_, bytes.size(), "a.h5");
  const int sealed = memory.descriptor();
  EXPECT_EQ(fcntl(sealed, F_GET_SEALS) & (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
            F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  errno = 0;
  EXPECT_EQ(pwrite(sealed, "x", 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(ftruncate(sealed, 0), -1);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(ftruncate(sealed, 1 << 20), -1);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, sealed, 0), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(mprotect(const_cast<std::byte*>(memory.bytes().data()), 4096, PROT_READ | PROT_WRITE),
            -1);
  EXPECT_EQ(errno, EACCES);
  EXPECT_TRUE(text(memory) == bytes);
}

/// The lines of /proc/self/smaps on the mapping that begins at an address.
std::map<std::string, std::string> mapping(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const std::string begin = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(address));
  std::map<std::string, std::string> found;
  for (std::string line; std::getline(maps, line);) {
    const bool is_first = line.find('-') < line.find(' ');
    if (is_first && !found.empty()) break;
    if (is_first && line.starts_with(begin)) {
      std::istringstream words(line);
      words >> found["range"] >> found["access"] >> found["offset"] >> found["device"] >>
          found["inode"];
    } else if (!is_first && !found.empty()) {
      found[line.substr(0, line.find(':'))] = line.substr(line.find(':') + 1);
    }
  }
  return found;
}

bool system_has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string setting;
  return std::getline(file, setting) && setting.find("[never]") == std::string::npos;
}

// Private pages without a file: there is nothing that another process could open.
TEST_F(SealedMemoryTest, the_copy_of_a_large_file_cannot_be_changed) {
  if (!system_has_huge_pages()) GTEST_SKIP() << "the copy is a sealed memory file, as above";
  const std::string bytes = pattern(kHugePage + 10'000);
  write(bytes);
  const SealedMemory memory(file_, bytes.size(), "a.h5");
  EXPECT_EQ(memory.descriptor(), -1);
  auto found = mapping(memory.bytes().data());
  EXPECT_EQ(found["access"], "r--p");
  EXPECT_EQ(found["inode"], "0");
  const auto write_at = [&](std::size_t at) {
    const_cast<volatile std::byte&>(memory.bytes()[at]) = std::byte{1};
  };
  EXPECT_DEATH(write_at(0), "");
  EXPECT_DEATH(write_at(bytes.size() - 1), "");
  EXPECT_TRUE(text(memory) == bytes);
}

TEST_F(SealedMemoryTest, is_present_before_the_first_access) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory faults";
#endif
  const auto faults = [] {
    rusage usage = {};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
  };
  for (const std::size_t length : {kHugePage - 17, 2 * kHugePage + 17}) {
    write(pattern(length));
    const SealedMemory memory(file_, length, "a.h5");
    const long before = faults();
    unsigned sum = 0;
    for (std::size_t at = 0; at < length; at += 4096) {
      sum += static_cast<unsigned>(*static_cast<const volatile std::byte*>(&memory.bytes()[at]));
    }
    EXPECT_EQ(faults(), before) << length << ": " << sum;
  }
}

TEST_F(SealedMemoryTest, is_in_huge_pages_where_the_system_has_them) {
  const auto in_huge_pages = [](const SealedMemory& memory) {
    return 1024 * std::stoul(mapping(memory.bytes().data()).at("AnonHugePages"));
  };
  write(pattern(2 * kHugePage + 12'345));
  const SealedMemory large(file_, 2 * kHugePage + 12'345, "a.h5");
  EXPECT_EQ(in_huge_pages(large), system_has_huge_pages() ? 3 * kHugePage : 0u);
  write(pattern(kHugePage - 1));
  const SealedMemory small(file_, kHugePage - 1, "a.h5");
  EXPECT_EQ(in_huge_pages(small), 0u);
}

TEST_F(SealedMemoryTest, moves_without_its_bytes_moving) {
  write("abc");
  SealedMemory first(file_, 3, "a.h5");
  const std::byte* const at = first.bytes().data();
  SealedMemory second(std::move(first));
  EXPECT_EQ(second.bytes().data(), at);
  write("defg");
  first = SealedMemory(file_, 4, "b.h5");
  std::swap(first, second);
  EXPECT_EQ(text(first), "abc");
  EXPECT_EQ(text(second), "defg");
}

TEST_F(SealedMemoryTest, a_file_that_ends_before_its_length_is_refused) {
  write(pattern(5'000));
  EXPECT_THAT([&] { SealedMemory(file_, 5'001, "a.h5"); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr("a.h5: found the end after 5000 bytes while it was read")));
  EXPECT_THAT([&] { SealedMemory(file_, kHugePage, "a.h5"); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr("a.h5: found the end after 5000 bytes while it was read")));
}

// A hole of a tebibyte costs its maker nothing.
TEST_F(SealedMemoryTest, a_file_larger_than_the_memory_is_refused_before_allocation) {
  ASSERT_EQ(ftruncate(file_, off_t{1} << 50), 0);
  EXPECT_THAT([&] { SealedMemory(file_, std::size_t{1} << 50, "a.h5"); },
              testing::ThrowsMessage<OperationError>(HasSubstr("half of the memory")));
}

}  // namespace
}  // namespace haptic

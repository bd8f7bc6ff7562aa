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
#include <string>
#include <string_view>

#include "shared/error.h"

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

TEST_F(SealedMemoryTest, holds_the_bytes_whatever_becomes_of_the_file) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  for (const std::size_t length : {std::size_t{1}, std::size_t{4096}, std::size_t{20'001},
                                   kHuge - 1, kHuge, 2 * kHuge + 12'345}) {
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

TEST_F(SealedMemoryTest, nobody_can_change_it) {
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

TEST_F(SealedMemoryTest, is_there_before_the_first_access) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory faults";
#endif
  const std::size_t length = (std::size_t{5} << 20) + 17;
  write(pattern(length));
  const SealedMemory memory(file_, length, "a.h5");
  const auto faults = [] {
    rusage usage = {};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
  };
  const long before = faults();
  unsigned sum = 0;
  for (std::size_t at = 0; at < length; at += 4096) {
    sum += static_cast<unsigned>(*static_cast<const volatile std::byte*>(&memory.bytes()[at]));
  }
  EXPECT_EQ(faults(), before) << sum;
}

/// Bytes of the mapping at an address that are in huge pages, as the kernel says.
std::size_t in_huge_pages(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const std::string begin = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(address));
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with(begin)) ours = true;
    constexpr std::string_view kKey = "ShmemPmdMapped:";
    if (ours && line.starts_with(kKey)) return 1024 * std::stoul(line.substr(kKey.size()));
  }
  return 0;
}

TEST_F(SealedMemoryTest, is_in_huge_pages_where_the_system_has_them) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string setting;
  std::getline(file, setting);
  const bool wanted = setting.find('[') != std::string::npos &&
                      setting.find("[never]") == std::string::npos &&
                      setting.find("[deny]") == std::string::npos;

  write(pattern(2 * kHuge + 12'345));
  const SealedMemory large(file_, 2 * kHuge + 12'345, "a.h5");
  EXPECT_EQ(in_huge_pages(large.bytes().data()), wanted ? 3 * kHuge : 0u) << setting;
  write(pattern(kHuge - 1));
  const SealedMemory small(file_, kHuge - 1, "a.h5");
  EXPECT_EQ(in_huge_pages(small.bytes().data()), 0u);
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
}

// A hole of a tebibyte costs its maker nothing.
TEST_F(SealedMemoryTest, more_than_the_memory_is_refused_before_any_of_it_is_had) {
  ASSERT_EQ(ftruncate(file_, off_t{1} << 50), 0);
  EXPECT_THAT([&] { SealedMemory(file_, std::size_t{1} << 50, "a.h5"); },
              testing::ThrowsMessage<OperationError>(HasSubstr("half of the memory")));
}

}  // namespace
}  // namespace haptic

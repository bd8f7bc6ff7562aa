#include "shared/memory/mapping_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

/// A file of some pages in memory, all 7, and its mapping.
class Mapped {
 public:
  static constexpr std::size_t kPages = 4;

  Mapped() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    file_ = memfd_create("mapping_guard_test", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(file_, static_cast<off_t>(size())), 0);
    void* data = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    EXPECT_NE(data, MAP_FAILED);
    data_ = static_cast<volatile char*>(data);
    std::memset(data, 7, size());
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    munmap(data(), size());
    close(file_);
  }

  std::size_t size() const { return kPages * page_; }
  std::size_t page() const { return page_; }
  void* data() const { return const_cast<char*>(data_); }
  volatile char& at(std::size_t index) const { return data_[index]; }
  void cut_to(std::size_t length) const {
    ASSERT_EQ(ftruncate(file_, static_cast<off_t>(length)), 0);
  }

 private:
  std::size_t page_;
  int file_ = -1;
  volatile char* data_ = nullptr;
};

TEST(MappingGuard, what_was_cut_reads_as_zeros_and_the_rest_stays) {
  const Mapped mapped;
  const MappingGuard guard(mapped.data(), mapped.size());
  mapped.cut_to(mapped.page() + 1);
  EXPECT_EQ(mapped.at(0), 7);
  EXPECT_EQ(mapped.at(mapped.page()), 7);
  EXPECT_EQ(mapped.at(mapped.size() - 1), 0);
  EXPECT_EQ(mapped.at(2 * mapped.page()), 0);
  mapped.at(mapped.size() - 1) = 3;
  EXPECT_EQ(mapped.at(mapped.size() - 1), 3);
  mapped.cut_to(0);
  mapped.at(0) = 1;  // a write, too
  EXPECT_EQ(mapped.at(0), 1);
  EXPECT_EQ(mapped.at(1), 0);
  EXPECT_EQ(mapped.at(mapped.size() - 1), 0);  // all that follows is new again
}

TEST(MappingGuard, works_in_every_thread_and_leaves_errno) {
  const Mapped mapped;
  const MappingGuard guard(mapped.data(), mapped.size());
  mapped.cut_to(0);
  std::thread([&] {
    errno = EXDEV;
    EXPECT_EQ(mapped.at(5), 0);
    EXPECT_EQ(errno, EXDEV);
  }).join();
}

TEST(MappingGuard, follows_a_move) {
  const Mapped mapped;
  MappingGuard first(mapped.data(), mapped.size());
  MappingGuard second(std::move(first));
  first = MappingGuard();
  MappingGuard third;
  third = std::move(second);
  mapped.cut_to(0);
  EXPECT_EQ(mapped.at(0), 0);
}

TEST(MappingGuard, more_than_it_has_room_for_are_not_guarded_and_room_is_given_back) {
  const Mapped mapped;
  {
    const Mapped other;
    std::vector<MappingGuard> many;
    for (int i = 0; i < MappingGuard::kMax + 3; ++i) many.emplace_back(other.data(), other.size());
  }
  const MappingGuard guard(mapped.data(), mapped.size());
  mapped.cut_to(0);
  EXPECT_EQ(mapped.at(0), 0);
}

TEST(MappingGuardDeathTest, where_zeros_would_be_wrong_it_says_its_line_and_ends_as_for_bad_input) {
  const std::string line = "spoon.h5: found a file that was cut";
  const Mapped mapped, other;
  const MappingGuard without(other.data(), other.size());
  const MappingGuard guard(mapped.data(), mapped.size(), &line);
  mapped.cut_to(1);
  EXPECT_EQ(mapped.at(0), 7);
  EXPECT_EXIT(_exit(mapped.at(mapped.page())), testing::ExitedWithCode(kExitBadInput),
              "^sealed_memory_test: spoon.h5: found a file that was cut\n$");
  other.cut_to(0);
  EXPECT_EQ(other.at(0), 0);
}

TEST(MappingGuardDeathTest, an_access_elsewhere_ends_the_process) {
  const Mapped mapped, other;
  const MappingGuard guard(other.data(), other.size());
  mapped.cut_to(0);
  EXPECT_DEATH(_exit(mapped.at(0)), "");
  std::optional<MappingGuard> ended(std::in_place, mapped.data(), mapped.size());
  ended.reset();
  EXPECT_DEATH(_exit(mapped.at(0)), "");
}

TEST(MappingGuardDeathTest, a_signal_from_another_process_still_ends_it) {
  const Mapped mapped;
  const MappingGuard guard(mapped.data(), mapped.size());
  EXPECT_DEATH(
      {
        raise(SIGBUS);
        _exit(0);
      },
      "");
}

}  // namespace
}  // namespace haptic

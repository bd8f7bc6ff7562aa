#include "shared/ipc/guard_pulse.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TEST(GuardPulse, publishes_its_device_the_watched_process_and_its_heartbeat) {
  const std::string name = test_name("guard");
  EXPECT_THROW(GuardPulseReader{name}, OperationError);
  std::optional<GuardPulseWriter> writer(std::in_place, name, 77);
  const GuardPulseReader reader(name);
  EXPECT_EQ(reader.guard_pid(), getpid());
  EXPECT_EQ(reader.device(), 77u);
  EXPECT_EQ(reader.watches_pid(), 0);
  writer->watch(1234);
  EXPECT_EQ(reader.watches_pid(), 1234);
  EXPECT_FALSE(reader.reaches());
  EXPECT_EQ(reader.proof(), "");
  writer->reach(true, "the board answers");
  EXPECT_TRUE(reader.reaches());
  EXPECT_EQ(reader.proof(), "the board answers");
  writer->reach(false, "gone\n" + std::string(500, 'x'));
  EXPECT_FALSE(reader.reaches());
  EXPECT_EQ(reader.proof(), "gone\\x0a" + std::string(GuardRecord::kProofLength - 6, 'x'));
  const std::uint64_t before = reader.beats();
  writer->beat();
  EXPECT_EQ(reader.beats(), before + 1);
  EXPECT_TRUE(reader.alive());
  writer.reset();
  EXPECT_FALSE(reader.alive());
  EXPECT_THROW(GuardPulseReader{name}, OperationError);
}

TEST(GuardPulse, is_made_again_if_its_readers_cannot_have_it) {
  const std::string name = test_name("guard-keep");
  const std::filesystem::path path = own_run_file(name, "guard-pulse");
  GuardPulseWriter writer(name, 5);
  EXPECT_FALSE(writer.keep());
  const std::function<int()> harms[] = {
      [&] { return unlink(path.c_str()); }, [&] { return truncate(path.c_str(), 8); },
      [&] { return chmod(path.c_str(), 0); }, [&] { return chmod(path.c_str(), 0666); }};
  for (const auto& harm : harms) {
    writer.watch(getpid());
    ASSERT_EQ(harm(), 0);
    EXPECT_TRUE(writer.keep());
    EXPECT_FALSE(writer.keep());
    const GuardPulseReader reader(name);
    EXPECT_EQ(reader.device(), 5u);
    EXPECT_EQ(reader.watches_pid(), 0);
    EXPECT_TRUE(reader.alive());
    writer.beat();
    EXPECT_EQ(reader.beats(), 1u);
  }
}

TEST(GuardPulse, a_pulse_that_is_cut_beats_no_more_and_ends_nobody) {
  const std::string name = test_name("guard-cut");
  GuardPulseWriter writer(name, 5);
  writer.beat();
  const GuardPulseReader reader(name);
  EXPECT_EQ(reader.beats(), 1u);
  ASSERT_EQ(truncate(own_run_file(name, "guard-pulse").c_str(), 0), 0);
  writer.beat();
  EXPECT_EQ(reader.beats(), 0u);
  EXPECT_FALSE(reader.reaches());
}

TEST(GuardPulse, of_a_guard_that_died_is_not_alive) {
  const std::string name = test_name("guard-dead");
  const pid_t child = fork();
  if (child == 0) {
    GuardPulseWriter doomed(name, 1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(GuardPulseReader(name).alive());
  const GuardPulseWriter next(name, 2);
  EXPECT_TRUE(GuardPulseReader(name).alive());
}

TEST(GuardPulse, foreign_content_is_refused) {
  const std::string name = test_name("guard-foreign");
  SharedSegment segment = SharedSegment::create(own_run_file(name, "guard-pulse"), 8, "haptic");
  EXPECT_THROW(GuardPulseReader{name}, InputError);  // too short
  segment.unlink();
  segment = SharedSegment::create(own_run_file(name, "guard-pulse"), sizeof(GuardRecord), "haptic");
  EXPECT_THROW(GuardPulseReader{name}, OperationError);  // just starting
  auto& record = *reinterpret_cast<GuardRecord*>(segment.data());
  record = {GuardRecord::kMagic, GuardRecord::kVersion + 1, getpid(), 1, 0, 0, 0, 0, {}};
  EXPECT_THROW(GuardPulseReader{name}, InputError);
  record.version = GuardRecord::kVersion;
  EXPECT_NO_THROW(GuardPulseReader{name});
  segment.unlink();
}

}  // namespace
}  // namespace haptic

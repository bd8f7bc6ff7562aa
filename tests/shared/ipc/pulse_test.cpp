#include "shared/ipc/pulse.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TEST(Pulse, beats_until_it_is_released_and_closed) {
  const std::string name = test_name("pulse");
  EXPECT_THROW(PulseReader{name}, OperationError);
  auto writer = std::make_unique<PulseWriter>(name, 77, 500.0);
  const PulseReader reader(name);
  EXPECT_EQ(reader.instance(), 77u);
  EXPECT_EQ(reader.daemon_pid(), getpid());
  EXPECT_EQ(reader.rate_hz(), 500.0);
  EXPECT_EQ(reader.beats(), 0u);
  for (int i = 0; i < 3; ++i) writer->beat(true);
  EXPECT_EQ(reader.beats(), 3u);
  EXPECT_TRUE(reader.drives());
  writer->beat(false);
  EXPECT_FALSE(reader.drives());
  writer->beat(true);
  EXPECT_TRUE(reader.alive());
  EXPECT_FALSE(reader.released());
  writer->release();
  EXPECT_TRUE(reader.released());
  EXPECT_FALSE(reader.drives());
  EXPECT_FALSE(reader.closed());
  writer.reset();
  EXPECT_TRUE(reader.closed());
  EXPECT_FALSE(reader.alive());
  EXPECT_THROW(PulseReader{name}, OperationError);  // the name is gone
}

TEST(Pulse, of_a_daemon_that_died_is_neither_alive_nor_closed) {
  const std::string name = test_name("pulse-dead");
  const pid_t child = fork();
  if (child == 0) {
    PulseWriter doomed(name, 1, 1000.0);
    _exit(0);  // no destructor runs, as after SIGKILL
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const PulseReader reader(name);
  EXPECT_FALSE(reader.alive());
  EXPECT_FALSE(reader.closed());
  EXPECT_EQ(reader.daemon_pid(), child);
  const PulseWriter next(name, 2, 1000.0);
  EXPECT_EQ(PulseReader(name).instance(), 2u);
  EXPECT_EQ(reader.instance(), 1u);
}

TEST(Pulse, foreign_content_is_refused) {
  const std::string name = test_name("pulse-foreign");
  SharedSegment segment = SharedSegment::create(own_run_file(name, "pulse"), 16, "haptic");
  EXPECT_THROW(PulseReader{name}, InputError);  // too short
  segment.unlink();
  segment = SharedSegment::create(own_run_file(name, "pulse"), sizeof(PulseRecord), "haptic");
  EXPECT_THROW(PulseReader{name}, OperationError);  // just starting
  auto& record = *reinterpret_cast<PulseRecord*>(segment.data());
  record = {PulseRecord::kMagic, PulseRecord::kVersion, 1, getpid(), 1000.0, 0, 0, 0, 0};
  EXPECT_NO_THROW(PulseReader{name});
  record.rate_hz = 0.0;
  EXPECT_THROW(PulseReader{name}, InputError);
  record.rate_hz = 1000.0;
  record.version = PulseRecord::kVersion + 1;
  EXPECT_THROW(PulseReader{name}, InputError);
  record.version = PulseRecord::kVersion;
  record.magic += 1;
  EXPECT_THROW(PulseReader{name}, InputError);
  segment.unlink();
}

}  // namespace
}  // namespace haptic

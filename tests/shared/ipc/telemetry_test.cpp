#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

constexpr std::uint32_t kCoordinates = 20;
constexpr std::size_t kBodies = 3;

TelemetryDescription description(double ring_seconds = 0.25) {
  TelemetryDescription d;
  d.rate_hz = 1000.0;
  d.length_scale = 2.5;
  d.device = "simulated";
  d.scene_path = "/scenes/spoon.toml";
  d.coordinate_count = kCoordinates;
  d.ring_seconds = ring_seconds;
  d.bodies = {make_body_record("spoon", "/models/spoon.h5", 0x1234, 0, kCoordinates, false),
              make_body_record("ball", "/models/ball.h5", 0x5678, kCoordinates, 0, true),
              make_body_record("table", "/models/table.h5", 0x9abc, kCoordinates, 0, false)};
  return d;
}

/// Every number of the cycle says which cycle it is of: a mixture shows.
struct MarkedCycle {
  SampleRecord sample{};
  std::array<PoseRecord, kBodies> poses{};
  std::array<double, kCoordinates> coordinates{};

  explicit MarkedCycle(std::uint64_t cycle) {
    const double mark = static_cast<double>(cycle);
    sample.cycle = cycle;
    sample.time_ns = static_cast<std::int64_t>(cycle);
    sample.total_ns = static_cast<std::int64_t>(cycle);
    for (double& x : sample.device_pose.position_m) x = mark;
    for (double& x : sample.device_wrench.force_N) x = mark;
    for (PoseRecord& pose : poses) {
      for (double& x : pose.position_m) x = mark;
      for (double& x : pose.orientation_wxyz) x = mark;
    }
    coordinates.fill(mark);
  }
  void publish(TelemetryWriter& writer) const { writer.publish(sample, poses, coordinates); }
};

void expect_whole(const SampleRecord& record, const std::vector<double>& coordinates) {
  const double mark = static_cast<double>(record.cycle);
  ASSERT_EQ(record.time_ns, static_cast<std::int64_t>(record.cycle));
  ASSERT_EQ(record.total_ns, static_cast<std::int64_t>(record.cycle));
  for (const double x : record.device_pose.position_m) ASSERT_EQ(x, mark);
  for (const double x : record.device_wrench.force_N) ASSERT_EQ(x, mark);
  ASSERT_EQ(coordinates.size(), kCoordinates);
  for (const double x : coordinates) ASSERT_EQ(x, mark);
}

TEST(Telemetry, parameters_arrive_and_follow) {
  const std::string name = test_name("parameters");
  TelemetryDescription d = description();
  d.parameters = {make_parameter_record("limits.force", 0.0, 8.5, 5.0),
                  make_parameter_record("spoon.stiffness", 1e-3, 1e3, 1.0)};
  TelemetryWriter writer(name, d);
  const TelemetryReader reader(name);
  std::vector<ParameterRecord> parameters = reader.parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_STREQ(parameters[1].name, "spoon.stiffness");
  EXPECT_EQ(parameters[1].minimum, 1e-3);
  EXPECT_EQ(parameters[1].maximum, 1e3);
  EXPECT_EQ(parameters[0].value, 5.0);
  writer.publish_parameter(1, 2.5);
  writer.publish_parameter(2, 7.0);  // no such parameter: nothing happens
  parameters = reader.parameters();
  EXPECT_EQ(parameters[0].value, 5.0);
  EXPECT_EQ(parameters[1].value, 2.5);
  const MarkedCycle cycle(3);
  cycle.publish(writer);
  TelemetrySnapshot snapshot;
  ASSERT_TRUE(reader.snapshot(snapshot));
  expect_whole(snapshot.record, snapshot.coordinates);
  EXPECT_THROW(make_parameter_record(std::string(64, 'x'), 0.0, 1.0, 0.5), InputError);
}

TEST(Telemetry, header_and_bodies_arrive) {
  const std::string name = test_name("header");
  TelemetryWriter writer(name, description());
  writer.set_grants(kGrantFifo);
  const TelemetryReader reader(name);
  EXPECT_EQ(reader.header().daemon_pid, getpid());
  EXPECT_EQ(reader.header().rate_hz, 1000.0);
  EXPECT_EQ(reader.header().length_scale, 2.5);
  EXPECT_EQ(reader.header().ring_capacity, 256u);
  EXPECT_EQ(reader.header().grants, kGrantFifo);
  EXPECT_STREQ(reader.header().device, "simulated");
  EXPECT_STREQ(reader.header().scene_path, "/scenes/spoon.toml");
  ASSERT_EQ(reader.bodies().size(), kBodies);
  EXPECT_STREQ(reader.bodies()[1].name, "ball");
  EXPECT_STREQ(reader.bodies()[1].model_path, "/models/ball.h5");
  EXPECT_EQ(reader.bodies()[1].model_hash, 0x5678u);
  EXPECT_EQ(reader.bodies()[1].held, 1u);
  EXPECT_EQ(reader.bodies()[0].coordinate_count, kCoordinates);
  EXPECT_EQ(reader.life(), DaemonLife::kAlive);
}

TEST(Telemetry, snapshot_is_the_newest_cycle) {
  const std::string name = test_name("snapshot");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  TelemetrySnapshot snapshot;
  EXPECT_FALSE(reader.snapshot(snapshot));
  for (std::uint64_t cycle = 0; cycle < 5; ++cycle) MarkedCycle(cycle).publish(writer);
  ASSERT_TRUE(reader.snapshot(snapshot));
  EXPECT_EQ(snapshot.record.cycle, 4u);
  EXPECT_EQ(snapshot.poses[kBodies - 1].position_m[2], 4.0);
  expect_whole(snapshot.record, snapshot.coordinates);
}

TEST(Telemetry, snapshots_are_never_torn) {
  const std::string name = test_name("torn");
  TelemetryWriter writer(name, description());
  std::atomic<bool> stop{false};
  std::thread daemon([&] {
    for (std::uint64_t cycle = 0; !stop; ++cycle) MarkedCycle(cycle).publish(writer);
  });
  const TelemetryReader reader(name);
  TelemetrySnapshot snapshot;
  std::uint64_t newest = 0;
  for (int read = 0; read < 20'000; ++read) {
    if (!reader.snapshot(snapshot)) continue;
    ASSERT_GE(snapshot.record.cycle, newest);
    newest = snapshot.record.cycle;
    expect_whole(snapshot.record, snapshot.coordinates);
    for (const PoseRecord& pose : snapshot.poses) {
      ASSERT_EQ(pose.position_m[0], static_cast<double>(newest));
      ASSERT_EQ(pose.orientation_wxyz[3], static_cast<double>(newest));
    }
    if (HasFatalFailure()) break;
  }
  stop = true;
  daemon.join();
}

TEST(Telemetry, a_slow_reader_learns_exactly_what_it_lost) {
  const std::string name = test_name("loss");
  TelemetryWriter writer(name, description());
  TelemetryReader reader(name);
  const std::uint64_t capacity = reader.header().ring_capacity;
  TelemetrySample sample;
  EXPECT_FALSE(reader.next(sample));
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) MarkedCycle(cycle).publish(writer);
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) {
    ASSERT_TRUE(reader.next(sample));
    EXPECT_EQ(sample.record.cycle, cycle);
  }
  EXPECT_EQ(reader.lost(), 0u);
  for (std::uint64_t cycle = 10; cycle < 10 + capacity + 37; ++cycle) {
    MarkedCycle(cycle).publish(writer);
  }
  ASSERT_TRUE(reader.next(sample));
  EXPECT_EQ(sample.record.cycle, 10u + 37u);
  EXPECT_EQ(reader.lost(), 37u);
  std::uint64_t read = 1;
  while (reader.next(sample)) ++read;
  EXPECT_EQ(read, capacity);
  EXPECT_EQ(reader.lost(), 37u);
  reader.rewind_to_oldest();
  ASSERT_TRUE(reader.next(sample));
  EXPECT_EQ(sample.record.cycle, 47u);
}

TEST(Telemetry, read_and_lost_add_up_against_a_running_writer) {
  const std::string name = test_name("account");
  TelemetryWriter writer(name, description());
  TelemetryReader reader(name);
  constexpr std::uint64_t kCycles = 200'000;
  std::atomic<bool> done{false};
  std::thread daemon([&] {
    for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) MarkedCycle(cycle).publish(writer);
    done = true;
  });
  TelemetrySample sample;
  std::uint64_t read = 0;
  std::uint64_t expected_at_least = 0;
  while (true) {
    const bool last_round = done;
    while (reader.next(sample)) {
      ++read;
      ASSERT_GE(sample.record.cycle, expected_at_least);
      expected_at_least = sample.record.cycle + 1;
      ASSERT_EQ(read + reader.lost(), sample.record.cycle + 1);
      expect_whole(sample.record, sample.coordinates);
    }
    if (last_round || HasFatalFailure()) break;
  }
  daemon.join();
  EXPECT_EQ(read + reader.lost(), kCycles);
}

TEST(Telemetry, statistics_are_live) {
  const std::string name = test_name("statistics");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  writer.statistics().compute.record(50'000);
  add_word(writer.statistics().counters.missed, 3);
  auto statistics = std::make_unique<Statistics>(reader.statistics());
  EXPECT_EQ(statistics->counters.missed, 3u);
  EXPECT_EQ(statistics->compute.count(), 1u);
  EXPECT_EQ(statistics->compute.maximum_ns, 50'000u);
}

TEST(Telemetry, end_restart_and_death_are_told_apart) {
  const std::string name = test_name("life");
  EXPECT_THROW(TelemetryReader{name}, OperationError);
  auto writer = std::make_unique<TelemetryWriter>(name, description());
  const TelemetryReader first(name);
  EXPECT_EQ(first.life(), DaemonLife::kAlive);
  writer.reset();
  EXPECT_EQ(first.life(), DaemonLife::kClosed);
  EXPECT_THROW(TelemetryReader{name}, OperationError);  // the name is gone

  const pid_t child = fork();
  if (child == 0) {
    TelemetryWriter doomed(name, description());
    MarkedCycle(6).publish(doomed);
    _exit(0);  // no destructor runs, as after SIGKILL
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const TelemetryReader second(name);
  EXPECT_EQ(second.life(), DaemonLife::kDead);
  TelemetrySnapshot last;
  ASSERT_TRUE(second.snapshot(last));  // what it did last can still be read
  EXPECT_EQ(last.record.cycle, 6u);

  writer = std::make_unique<TelemetryWriter>(name, description());
  EXPECT_EQ(second.life(), DaemonLife::kRestarted);
  EXPECT_NE(TelemetryReader(name).header().instance, second.header().instance);
}

TEST(Telemetry, another_scene_has_a_segment_of_its_own_and_readers_learn_of_it) {
  const std::string name = test_name("replaced");
  auto first = std::make_unique<TelemetryWriter>(name, description());
  first->set_grants(kGrantFifo | kGrantGuarded);
  MarkedCycle(5).publish(*first);
  const TelemetryReader before(name);

  TelemetryDescription another = description();
  another.bodies.clear();
  another.coordinate_count = 0;
  another.scene_path = "/another.toml";
  auto second = std::make_unique<TelemetryWriter>(name, another, first->session());
  // Not to be seen before it is the one.
  EXPECT_EQ(TelemetryReader(name).header().instance, before.header().instance);
  EXPECT_EQ(before.life(), DaemonLife::kAlive);

  second->take_over(*first);
  EXPECT_EQ(before.life(), DaemonLife::kReplaced);
  TelemetrySnapshot last;
  ASSERT_TRUE(before.snapshot(last));  // what it did last can still be read
  EXPECT_EQ(last.record.cycle, 5u);
  const TelemetryReader after(name);
  EXPECT_NE(after.header().instance, before.header().instance);
  EXPECT_EQ(after.header().start_monotonic_ns, before.header().start_monotonic_ns);
  EXPECT_EQ(after.header().daemon_pid, before.header().daemon_pid);
  EXPECT_EQ(after.header().grants, kGrantFifo | kGrantGuarded);
  EXPECT_STREQ(after.header().scene_path, "/another.toml");
  EXPECT_EQ(after.bodies().size(), 0u);
  EXPECT_EQ(after.published(), 0u);

  first.reset();  // does not take the name along
  EXPECT_EQ(TelemetryReader(name).life(), DaemonLife::kAlive);
  EXPECT_EQ(before.life(), DaemonLife::kReplaced);
  second.reset();
  EXPECT_EQ(after.life(), DaemonLife::kClosed);
  EXPECT_THROW(TelemetryReader{name}, OperationError);
}

EventRecord event(double value) {
  EventRecord record{};
  record.kind = EventKind::kCommand;
  record.command = CommandKind::kSet;
  record.value = value;
  std::memset(record.key, 'k', sizeof record.key);  // not terminated
  return record;
}

TEST(Telemetry, events_are_numbered_kept_and_overwritten_oldest_first) {
  const std::string name = test_name("events");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  EXPECT_TRUE(reader.events().empty());
  for (int i = 0; i < 3; ++i) writer.publish_event(event(i));
  ASSERT_EQ(reader.events().size(), 3u);
  EXPECT_EQ(reader.events()[1].number, 1u);
  EXPECT_EQ(reader.events()[1].value, 1.0);
  EXPECT_EQ(std::strlen(reader.events()[1].key), sizeof(EventRecord::key) - 1);
  EXPECT_EQ(reader.events(2).size(), 1u);
  EXPECT_TRUE(reader.events(3).empty());
  for (std::size_t i = 3; i < kEventCapacity + 5; ++i) {
    writer.publish_event(event(static_cast<double>(i)));
  }
  const std::vector<EventRecord> kept = reader.events();
  ASSERT_EQ(kept.size(), kEventCapacity);
  EXPECT_EQ(kept.front().number, 5u);
  EXPECT_EQ(kept.back().value, static_cast<double>(kEventCapacity + 4));
}

TEST(Telemetry, events_go_on_with_their_numbers_in_another_scene) {
  const std::string name = test_name("events-on");
  TelemetryWriter first(name, description());
  first.publish_event(event(0.0));
  first.publish_event(event(1.0));
  TelemetryWriter second(name, description(), first.session());
  second.continue_events(first);
  second.publish_event(event(2.0));
  second.take_over(first);
  const TelemetryReader reader(name);
  ASSERT_EQ(reader.events().size(), 1u);  // the others are in the segment before
  EXPECT_EQ(reader.events()[0].number, 2u);
  EXPECT_EQ(reader.events()[0].value, 2.0);
}

TEST(Telemetry, who_has_the_device_is_seen) {
  const std::string name = test_name("holder");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  EXPECT_EQ(reader.holder().since_ns, 0);
  OperatorRecord holder{};
  holder.since_ns = 5;
  holder.uid = 1000;
  holder.pid = 77;
  std::memset(holder.client, 'c', sizeof holder.client);
  writer.set_holder(holder);
  EXPECT_EQ(reader.holder().since_ns, 5);
  EXPECT_EQ(reader.holder().uid, 1000u);
  EXPECT_EQ(reader.holder().pid, 77);
  EXPECT_EQ(std::strlen(reader.holder().client), sizeof(OperatorRecord::client) - 1);
  writer.set_holder({});
  EXPECT_EQ(reader.holder().since_ns, 0);
}

TEST(Telemetry, a_scene_that_never_ran_leaves_nothing_behind) {
  const std::string name = test_name("never-ran");
  const std::filesystem::path next = own_run_file(name, "telemetry.next");
  TelemetryWriter first(name, description());
  {
    const TelemetryWriter second(name, description(), first.session());
    EXPECT_NO_THROW(SharedSegment::open(next));
  }
  EXPECT_THROW(SharedSegment::open(next), OperationError);
  EXPECT_EQ(TelemetryReader(name).life(), DaemonLife::kAlive);
}

TEST(Telemetry, a_writer_that_died_amid_a_snapshot_does_not_hang_the_reader) {
  const std::string name = test_name("midway");
  TelemetryWriter writer(name, description());
  MarkedCycle(1).publish(writer);
  const TelemetryReader reader(name);
  const SharedSegment raw =
      SharedSegment::open(own_run_file(name, "telemetry"), SharedSegment::Access::kReadWrite);
  auto& sequence = *reinterpret_cast<std::uint64_t*>(raw.data() + reader.header().snapshot_offset);
  store_word(sequence, sequence + 1);
  TelemetrySnapshot snapshot;
  EXPECT_FALSE(reader.snapshot(snapshot));
}

/// A reader meets a header with one number changed.
template <class Change>
void expect_refused(const char* what, Change change) {
  const std::string name = test_name("damaged");
  const TelemetryWriter writer(name, description());
  const SharedSegment raw =
      SharedSegment::open(own_run_file(name, "telemetry"), SharedSegment::Access::kReadWrite);
  change(*reinterpret_cast<TelemetryHeader*>(raw.data()));
  EXPECT_THROW(TelemetryReader{name}, InputError) << what;
}

TEST(Telemetry, a_damaged_header_is_refused) {
  using H = TelemetryHeader;
  expect_refused("magic", [](H& h) { h.magic ^= 1; });
  expect_refused("version", [](H& h) { h.version += 1; });
  expect_refused("layout", [](H& h) { h.layout_hash ^= 1; });
  expect_refused("header size", [](H& h) { h.header_size += 8; });
  expect_refused("bodies", [](H& h) { h.body_count = 0xffffffff; });
  expect_refused("coordinates", [](H& h) { h.coordinate_count += 1; });
  expect_refused("parameters", [](H& h) { h.parameter_count += 4; });
  expect_refused("capacity", [](H& h) { h.ring_capacity = 0; });
  expect_refused("capacity not a power of two", [](H& h) { h.ring_capacity = 255; });
  expect_refused("ring offset", [](H& h) { h.ring_offset += 1; });
  expect_refused("stride", [](H& h) { h.ring_stride = 0xfffffffffffffff8; });
  expect_refused("total", [](H& h) { h.total_size *= 2; });
  expect_refused("rate", [](H& h) { h.rate_hz = 0.0; });
}

TEST(Telemetry, a_truncated_or_foreign_segment_is_refused) {
  const std::string name = test_name("truncated");
  const std::filesystem::path path = own_run_file(name, "telemetry");
  const int file = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(file, 0);
  EXPECT_THROW(TelemetryReader{name}, OperationError);  // empty
  ASSERT_EQ(ftruncate(file, 64), 0);
  EXPECT_THROW(TelemetryReader{name}, InputError);
  ASSERT_EQ(ftruncate(file, 1 << 16), 0);
  EXPECT_THROW(TelemetryReader{name}, OperationError);  // no magic yet: just starting
  close(file);
  unlink(path.c_str());
}

TEST(Telemetry, names_are_checked_and_long_paths_left_empty) {
  for (const char* bad : {"", "a/b", "x y", "../etc"}) {
    EXPECT_THROW(check_daemon_name(bad), InputError) << bad;
  }
  EXPECT_THROW(check_daemon_name(std::string(49, 'a')), InputError);
  EXPECT_THROW(make_body_record(std::string(64, 'n'), "/m.h5", 0, 0, 0, false), InputError);
  EXPECT_STREQ(make_body_record("n", std::string(500, 'p'), 0, 0, 0, false).model_path, "");
}

}  // namespace
}  // namespace haptic

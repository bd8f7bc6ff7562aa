// Writer and readers of a telemetry segment together.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
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
constexpr std::uint32_t kBodies = 3;
constexpr std::uint32_t kVertices = 5001;  // 15,003 values: two chunks, and an odd number
constexpr std::size_t kState = 7 * kBodies + kCoordinates + 1;

TelemetryDescription description(double ring_seconds = 0.25) {
  TelemetryDescription d;
  d.rate_hz = 1000.0;
  d.length_scale = 2.5;
  d.device = "simulated";
  d.scene_path = "/scenes/spoon.toml";
  d.state = StateLayout(
      {{.name = "bodies/pose", .unit = "m", .shape = {kBodies, 7}, .display = StateDisplay::kPose},
       {.name = "bodies/coordinates",
        .unit = "m kg^1/2",
        .meaning = "reduced coordinates",
        .shape = {kCoordinates},
        .display = StateDisplay::kReducedCoordinates},
       {.name = "cloth/position",
        .unit = "m",
        .shape = {kVertices, 3},
        .display = StateDisplay::kVertices,
        .rate = StateRate::kDisplay},
       {.name = "energy", .unit = "J", .measured = true}});
  d.ring_seconds = ring_seconds;
  d.bodies = {make_body_record("spoon", "/models/spoon.h5", 0x1234, 0, kCoordinates, false),
              make_body_record("ball", "/models/ball.h5", 0x5678, kCoordinates, 0, true),
              make_body_record("table", "/models/table.h5", 0x9abc, kCoordinates, 0, false)};
  return d;
}

/// Every number of the cycle says which cycle it is of: a mixture shows.
struct MarkedCycle {
  SampleRecord sample{};
  std::array<double, kState> state{};

  explicit MarkedCycle(std::uint64_t cycle) {
    const double mark = static_cast<double>(cycle);
    sample.cycle = cycle;
    sample.time_ns = static_cast<std::int64_t>(cycle);
    sample.total_ns = static_cast<std::int64_t>(cycle);
    for (double& x : sample.device_pose.position_m) x = mark;
    for (double& x : sample.device_wrench.force_N) x = mark;
    state.fill(mark);
  }
  void publish(TelemetryWriter& writer) const { writer.publish(sample, state); }
};

void expect_whole(const TelemetrySample& sample) {
  const SampleRecord& record = sample.record;
  const double mark = static_cast<double>(record.cycle);
  ASSERT_EQ(record.time_ns, static_cast<std::int64_t>(record.cycle));
  ASSERT_EQ(record.total_ns, static_cast<std::int64_t>(record.cycle));
  for (const double x : record.device_pose.position_m) ASSERT_EQ(x, mark);
  for (const double x : record.device_wrench.force_N) ASSERT_EQ(x, mark);
  ASSERT_EQ(sample.state.size(), kState);
  for (const double x : sample.state) ASSERT_EQ(x, mark);
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
  TelemetrySample newest;
  ASSERT_TRUE(reader.newest(newest));
  expect_whole(newest);
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

TEST(Telemetry, newest_is_the_newest_cycle) {
  const std::string name = test_name("newest");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  TelemetrySample newest;
  EXPECT_FALSE(reader.newest(newest));
  for (std::uint64_t cycle = 0; cycle < 300; ++cycle) {  // more than the ring
    MarkedCycle(cycle).publish(writer);
    ASSERT_TRUE(reader.newest(newest));
    ASSERT_EQ(newest.record.cycle, cycle);
    expect_whole(newest);
  }
}

TEST(Telemetry, newest_cycles_are_never_torn) {
  const std::string name = test_name("torn");
  TelemetryWriter writer(name, description());
  std::atomic<bool> stop{false};
  std::thread daemon([&] {
    for (std::uint64_t cycle = 0; !stop; ++cycle) MarkedCycle(cycle).publish(writer);
  });
  const TelemetryReader reader(name);
  TelemetrySample newest;
  std::uint64_t last = 0;
  for (int read = 0; read < 20'000; ++read) {
    if (!reader.newest(newest)) continue;
    ASSERT_GE(newest.record.cycle, last);
    last = newest.record.cycle;
    expect_whole(newest);
    if (HasFatalFailure()) break;
  }
  stop = true;
  daemon.join();
}

TEST(Telemetry, blocks_arrive_as_they_were_declared) {
  const std::string name = test_name("blocks");
  const TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  const StateLayout wanted = description().state;
  ASSERT_TRUE(std::ranges::equal(wanted.blocks(), reader.state().blocks()));
  EXPECT_EQ(reader.state().cycle_values(), kState);
  EXPECT_EQ(reader.state().display_values(), 3u * kVertices);
}

/// Every value of a display snapshot is the cycle in which it was copied.
TEST(Telemetry, display_snapshots_are_copied_a_part_a_cycle_and_are_complete) {
  const std::string name = test_name("display");
  TelemetryWriter writer(name, description());
  const TelemetryReader reader(name);
  DisplaySnapshot display;
  EXPECT_FALSE(reader.display(display));
  std::vector<double> positions(3 * kVertices);
  const std::span<const double> blocks[] = {positions};
  const auto publish = [&](std::uint64_t cycle) {
    std::ranges::fill(positions, static_cast<double>(cycle));
    writer.publish_display(cycle, blocks);
  };
  publish(10);
  EXPECT_FALSE(reader.display(display));  // the second part is missing
  publish(11);
  ASSERT_TRUE(reader.display(display));
  EXPECT_EQ(display.first_cycle, 10u);
  EXPECT_EQ(display.last_cycle, 11u);
  ASSERT_EQ(display.state.size(), 3u * kVertices);
  EXPECT_EQ(display.state.front(), 10.0f);
  EXPECT_EQ(display.state[DisplayWriter::kChunk - 1], 10.0f);
  EXPECT_EQ(display.state[DisplayWriter::kChunk], 11.0f);
  EXPECT_EQ(display.state.back(), 11.0f);
  // 60 a second at 1 kHz: the next one begins 17 cycles after this one began, not earlier.
  for (std::uint64_t cycle = 12; cycle < 28; ++cycle) publish(cycle);
  ASSERT_TRUE(reader.display(display));
  EXPECT_EQ(display.first_cycle, 10u);
  publish(28);
  ASSERT_TRUE(reader.display(display));
  EXPECT_EQ(display.first_cycle, 27u);
}

TEST(Telemetry, display_snapshots_are_never_torn) {
  const std::string name = test_name("display-torn");
  TelemetryDescription d = description();
  d.rate_hz = 10.0;  // a new one as soon as one is complete
  TelemetryWriter writer(name, d);
  std::atomic<bool> stop{false};
  std::thread daemon([&] {
    std::vector<double> positions(3 * kVertices);
    const std::span<const double> blocks[] = {positions};
    for (std::uint64_t cycle = 0; !stop; ++cycle) {
      std::ranges::fill(positions, static_cast<double>(cycle % (1 << 20)));
      writer.publish_display(cycle, blocks);
    }
  });
  const TelemetryReader reader(name);
  DisplaySnapshot display;
  int read = 0;
  for (int attempt = 0; attempt < 20'000 && read < 500; ++attempt) {
    if (!reader.display(display)) continue;
    ++read;
    const auto first = static_cast<float>(display.first_cycle % (1 << 20));
    const auto last = static_cast<float>(display.last_cycle % (1 << 20));
    const auto middle = display.state.begin() + DisplayWriter::kChunk;
    ASSERT_EQ(std::count(display.state.begin(), middle, first), DisplayWriter::kChunk);
    ASSERT_EQ(std::count(middle, display.state.end(), last), display.state.end() - middle);
    if (HasFatalFailure()) break;
  }
  stop = true;
  daemon.join();
  EXPECT_GT(read, 0);
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
      expect_whole(sample);
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
  TelemetrySample last;
  ASSERT_TRUE(second.newest(last));  // what it did last can still be read
  EXPECT_EQ(last.record.cycle, 6u);

  writer = std::make_unique<TelemetryWriter>(name, description());
  EXPECT_EQ(second.life(), DaemonLife::kRestarted);
  EXPECT_NE(TelemetryReader(name).header().instance, second.header().instance);
}

TEST(Telemetry, another_scene_gets_a_new_segment_and_readers_are_told) {
  const std::string name = test_name("replaced");
  auto first = std::make_unique<TelemetryWriter>(name, description());
  first->set_grants(kGrantFifo | kGrantGuarded);
  MarkedCycle(5).publish(*first);
  const TelemetryReader before(name);

  TelemetryDescription another = description();
  another.bodies.clear();
  another.state = StateLayout();
  another.scene_path = "/another.toml";
  auto second = std::make_unique<TelemetryWriter>(name, another, first->session());
  // Not to be seen before it is the one.
  EXPECT_EQ(TelemetryReader(name).header().instance, before.header().instance);
  EXPECT_EQ(before.life(), DaemonLife::kAlive);

  second->take_over(*first);
  EXPECT_EQ(before.life(), DaemonLife::kReplaced);
  TelemetrySample last;
  ASSERT_TRUE(before.newest(last));  // what it did last can still be read
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

// A command of a cycle is recorded after it: a recorder waits for that.
TEST(Telemetry, events_are_settled_for_the_samples_read) {
  const std::string name = test_name("settled");
  TelemetryWriter writer(name, TelemetryDescription{});
  TelemetryReader reader(name);
  EXPECT_TRUE(reader.events_settled());  // nothing was read
  for (std::uint64_t cycle = 0; cycle < 3; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    writer.publish(sample, {});
  }
  TelemetrySample sample;
  ASSERT_TRUE(reader.next(sample) && reader.next(sample));
  EXPECT_FALSE(reader.events_settled());
  writer.settle_events(1);
  EXPECT_FALSE(reader.events_settled());
  writer.settle_events(2);
  EXPECT_TRUE(reader.events_settled());
  ASSERT_TRUE(reader.next(sample));
  EXPECT_FALSE(reader.events_settled());
}

TEST(Telemetry, the_owner_of_the_device_is_published) {
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

TEST(Telemetry, a_writer_that_died_amid_a_cycle_does_not_hang_the_reader) {
  const std::string name = test_name("midway");
  TelemetryWriter writer(name, description());
  MarkedCycle(1).publish(writer);
  const TelemetryReader reader(name);
  const SharedSegment raw =
      SharedSegment::open(own_run_file(name, "telemetry"), SharedSegment::Access::kReadWrite);
  auto& sequence = *reinterpret_cast<std::uint64_t*>(raw.data() + reader.header().ring_offset);
  store_word(sequence, sequence + 1);
  TelemetrySample newest;
  EXPECT_FALSE(reader.newest(newest));
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
  expect_refused("blocks", [](H& h) { h.block_count = 0xffffffff; });
  expect_refused("one block less", [](H& h) { h.block_count -= 1; });
  expect_refused("blocks offset", [](H& h) { h.blocks_offset += 64; });
  expect_refused("display offset", [](H& h) { h.display_offset -= 64; });
  expect_refused("display stride", [](H& h) { h.display_stride = 0xfffffffffffffff8; });
  expect_refused("parameters", [](H& h) { h.parameter_count += 4; });
  expect_refused("capacity", [](H& h) { h.ring_capacity = 0; });
  expect_refused("capacity not a power of two", [](H& h) { h.ring_capacity = 255; });
  expect_refused("ring offset", [](H& h) { h.ring_offset += 1; });
  expect_refused("stride", [](H& h) { h.ring_stride = 0xfffffffffffffff8; });
  expect_refused("total", [](H& h) { h.total_size *= 2; });
  expect_refused("rate", [](H& h) { h.rate_hz = 0.0; });
}

TEST(Telemetry, a_damaged_block_is_refused) {
  const auto expect_block_refused = [](const char* what, auto change) {
    expect_refused(what, [&](TelemetryHeader& h) {
      auto* const blocks =
          reinterpret_cast<BlockRecord*>(reinterpret_cast<std::byte*>(&h) + h.blocks_offset);
      change(blocks[2]);  // cloth/position
    });
  };
  expect_block_refused("name", [](BlockRecord& b) { b.name[0] = '/'; });
  expect_block_refused("name without an end", [](BlockRecord& b) {
    std::ranges::fill(b.name, 'x');
    std::ranges::fill(b.unit, '\n');
  });
  expect_block_refused("twice", [](BlockRecord& b) { std::strcpy(b.name, "energy"); });
  expect_block_refused("dimensions", [](BlockRecord& b) { b.dimensions = ~std::uint64_t{0}; });
  expect_block_refused("extent", [](BlockRecord& b) { b.shape[0] = 0xffffffff; });
  expect_block_refused("another extent", [](BlockRecord& b) { b.shape[0] += 100; });
  expect_block_refused("display", [](BlockRecord& b) { b.display = static_cast<StateDisplay>(9); });
  expect_block_refused("rate", [](BlockRecord& b) { b.rate = StateRate::kCycle; });
  expect_block_refused("no rate", [](BlockRecord& b) { b.rate = static_cast<StateRate>(0); });
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

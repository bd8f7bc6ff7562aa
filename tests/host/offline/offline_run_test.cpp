// The daemon's cycle and world offline, twice the same (docs/methods/contact-and-coupling.md, A56).

#include "host/offline/offline_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/replay.h"
#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class OfflineRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = model_folder("offline_run");
    write_ball(folder_ / "ball.h5", 0.02);
    write_sprung_plane(folder_ / "soft.h5", SprungPlane{});
    std::ofstream(folder_ / "hand.csv") << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n"
                                           "0,0,0,0.003,1,0,0,0\n"
                                           "0.2,0.001,0,-0.002,1,0,0,0\n"
                                           "0.4,-0.001,0.001,-0.001,0.9998,0.02,0,0\n"
                                           "0.6,0,0,0.002,1,0,0,0\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path scene(const std::string& rates, const std::string& more = {}) {
    const fs::path path = folder_ / "scene.toml";
    std::ofstream(path) << rates << R"(
[[body]]
name = "ground"
model = "soft.h5"
role = "anchored"
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
position = [0.0, 0.0, 0.02]
[[contact]]
points = "ground"
field = "ball"
stiffness = 200.0
[limits]
ramp_s = 0.02
[device]
script = "hand.csv"
)" << more;
    return path;
  }
  fs::path run(const fs::path& scene_file, const std::string& log) {
    run_offline(load_scene(scene_file), {}, folder_ / log);
    return folder_ / log;
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(OfflineRunTest, two_runs_of_a_trajectory_are_the_same_bytes) {
  const fs::path file = scene("rate_hz = 1000", "[passivity]\nreference = \"stored\"\n");
  const fs::path a = run(file, "a.h5"), b = run(file, "b.h5");
  EXPECT_EQ(bytes_of(a), bytes_of(b));
  EXPECT_EQ(LogReader(a).rows(), 601u);
  const ReplayOutcome replayed = replay_log(LogReader(a));
  EXPECT_EQ(replayed.largest(), 0.0);
  EXPECT_TRUE(replayed.differences.contains("/state/contact/points"));
  EXPECT_FALSE(replayed.differences.contains("/state/contact/node_budget"));  // measured
}

TEST_F(OfflineRunTest, the_outcome_has_the_largest_value_of_every_number_of_the_state) {
  const fs::path path = folder_ / "numbers.h5";
  const OfflineOutcome outcome = run_offline(load_scene(scene("rate_hz = 1000")), {}, path);
  const LogReader log(path);
  std::vector<std::string> names;
  for (const NumberOverRun& number : outcome.numbers) {
    names.push_back(number.block.name);
    const std::vector<double> values = log.column("/state/" + number.block.name);
    EXPECT_EQ(number.largest, std::ranges::max(values)) << number.block.name;
    EXPECT_EQ(number.nonzero_cycles, static_cast<std::uint64_t>(std::ranges::count_if(
                                         values, [](double value) { return value != 0.0; })))
        << number.block.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "contact/points", "contact/visited_nodes", "contact/level",
                       "contact/node_budget", "coupling/saturation", "contact/created_energy",
                       "contact/asleep", "contact/without_row", "contact/work", "coupling/speed",
                       "deformation/compression", "coupling/excess"}));
  EXPECT_GT(outcome.numbers[0].nonzero_cycles, 0u);
  EXPECT_LT(outcome.numbers[0].nonzero_cycles, outcome.cycles);
}

TEST_F(OfflineRunTest, a_fault_of_the_world_names_the_body_that_failed) {
  write_solid_box(folder_ / "cube.h5", Vector3::Constant(0.01), 1000.0);
  // It turns by more than the 1 rad that a body may turn in a step.
  const std::string spinning = R"(
[[body]]
name = "spinning top"
model = "cube.h5"
role = "free"
position = [0.2, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 1500.0]
)";
  for (const std::string rates : {"rate_hz = 1000", "rate_hz = 500\nservo_rate_hz = 4000"}) {
    try {
      run(scene(rates, spinning), "faulty.h5");
      FAIL();
    } catch (const OperationError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("fault world_diverged (body \"spinning top\")"), std::string::npos)
          << message;
    }
  }
}

TEST_F(OfflineRunTest, two_rates_are_the_same_bytes_too) {
  const fs::path file = scene("rate_hz = 500\nservo_rate_hz = 4000");
  const fs::path a = run(file, "a.h5"), b = run(file, "b.h5");
  EXPECT_EQ(bytes_of(a), bytes_of(b));
  const LogReader log(a);
  EXPECT_EQ(log.rows(), 2401u);
  EXPECT_EQ(log.description().rate_hz, 4000.0);
  const std::vector<double> step = log.column("/samples/world_step");
  EXPECT_EQ(step[7], 0.0);  // the first world step takes its period
  EXPECT_EQ(step[8], 1.0);
  EXPECT_EQ(step[2400], 300.0);
  EXPECT_EQ(replay_log(LogReader(a)).largest(), 0.0);
}

// The servo resets the world when the device has found its reference pose.
TEST_F(OfflineRunTest, a_replay_follows_the_end_of_homing) {
  const fs::path log =
      run(scene("rate_hz = 1000", "faults = [{ kind = \"unhomed\", at = 0.0, lasts = 0.2 }]\n"),
          "a.h5");
  const std::vector<double> state = LogReader(log).column("/samples/state");
  EXPECT_EQ(state[100], static_cast<double>(ServoState::kHoming));
  EXPECT_EQ(state[300], static_cast<double>(ServoState::kEngaged));
  EXPECT_EQ(replay_log(LogReader(log)).largest(), 0.0);
}

TEST_F(OfflineRunTest, a_replay_limits_the_coupling_to_the_device_of_the_log) {
  const fs::path file = scene("rate_hz = 1000", "[coupling]\nstiffness = 2000.0\n");
  const fs::path free = run(file, "free.h5");
  scene("rate_hz = 1000", "[coupling]\nstiffness = 2000.0\nlimit_to_device = true\n");
  const fs::path limited = run(file, "limited.h5");
  EXPECT_EQ(*LogReader(limited).description().device_stiffness_N_m, 600.0);
  EXPECT_EQ(replay_log(LogReader(limited)).largest(), 0.0);
  // The limit does something here: of the other log it is the difference.
  const ReplayOutcome other = replay_log(LogReader(free));
  EXPECT_GT(other.largest(), 0.01);
  ASSERT_TRUE(other.first_difference);
  EXPECT_LT(other.first_difference->cycle, 601u);
}

TEST_F(OfflineRunTest, two_rates_give_the_forces_of_one_rate) {
  // Both worlds run at 500 Hz; the servo at 4 kHz sees the hand eight times as often, a world
  // period later at most: forces agree to the distance that the hand moves in 2 ms times the
  // stiffness.
  const LogReader one(run(scene("rate_hz = 500"), "one.h5"));
  const LogReader two(run(scene("rate_hz = 500\nservo_rate_hz = 4000"), "two.h5"));
  const std::vector<double> f1 = one.column("/samples/wanted_force_N"),
                            f2 = two.column("/samples/wanted_force_N");
  double strongest = 0.0, largest = 0.0;
  for (std::uint64_t row = 20; row < one.rows(); ++row) {
    strongest = std::max(strongest, std::abs(f1[3 * row + 2]));
    largest = std::max(largest, std::abs(f1[3 * row + 2] - f2[3 * (8 * row) + 2]));
  }
  EXPECT_GT(strongest, 0.1);
  // 25 mm/s over a world period of 2 ms against the coupling's 400 N/m are 20 mN.
  EXPECT_LE(largest, 0.03);
}

}  // namespace
}  // namespace haptic

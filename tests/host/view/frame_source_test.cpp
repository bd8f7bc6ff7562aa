#include "host/view/frame_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "host/offline/offline_run.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A ball that the hand moves by 0.02 m along x in 0.2 s, at 1 kHz: rows 0 to 200.
class FrameSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-frames-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "hand.csv")
        << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n0.2,0.02,0,0,1,0,0,0\n";
    std::ofstream(scene()) << "rate_hz = 1000\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n"
                              "radius = 0.03\nrole = \"held\"\n[coupling]\nstiffness = 400.0\n"
                              "[device]\nname = \"simulated\"\nscript = \"hand.csv\"\n";
    run_offline(load_scene(scene()), {}, folder_ / "log.h5");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path scene() const { return folder_ / "scene.toml"; }
  LogReader log() const { return LogReader(folder_ / "log.h5"); }

  using Taken = std::vector<std::pair<double, SceneFrame>>;
  static Taken taken(FrameSource&& source, const FrameTimes& times, const Progress& progress = {}) {
    Taken frames;
    source.frames(
        times, [&](double time_s, SceneFrame frame) { frames.emplace_back(time_s, frame); },
        progress);
    return frames;
  }
  static std::vector<double> times_of(const Taken& frames) {
    std::vector<double> times;
    for (const auto& [time_s, frame] : frames) times.push_back(time_s);
    return times;
  }

  fs::path folder_;
};

TEST_F(FrameSourceTest, a_scene_gives_the_frames_of_its_log_bit_for_bit) {
  for (const FrameTimes& times :
       {FrameTimes{0.0, 25.0}, FrameTimes{0.05, 110.0}, FrameTimes{0.1955, 1000.0}}) {
    const Taken from_log = taken(LogFrames(log()), times);
    const Taken from_scene = taken(SceneFrames(load_scene(scene())), times);
    ASSERT_EQ(times_of(from_scene), times_of(from_log));
    for (std::size_t i = 0; i < from_log.size(); ++i) {
      const SceneFrame &a = from_log[i].second, &b = from_scene[i].second;
      ASSERT_EQ(b.bodies.size(), 1u);
      EXPECT_EQ(b.bodies[0].name, "ball");
      EXPECT_EQ(b.bodies[0].pose.position, a.bodies[0].pose.position) << i;
      EXPECT_EQ(b.bodies[0].pose.orientation.coeffs(), a.bodies[0].pose.orientation.coeffs());
      EXPECT_EQ(*b.force, *a.force);
    }
  }
}

TEST_F(FrameSourceTest, each_instant_has_the_row_at_or_after_it) {
  const std::vector<double> every_40_ms = {0.0, 0.04, 0.08, 0.12, 0.16, 0.2};
  EXPECT_EQ(times_of(taken(LogFrames(log()), {0.0, 25.0})), every_40_ms);
  // 1/3 ms apart: the first row once, each later one for the instants after the row before.
  const std::vector<double> thirds = {0.198, 0.199, 0.199, 0.199, 0.2, 0.2, 0.2};
  EXPECT_EQ(times_of(taken(LogFrames(log()), {0.198, 3000.0})), thirds);
  EXPECT_EQ(times_of(taken(SceneFrames(load_scene(scene())), {0.198, 3000.0})), thirds);
  // Between rows.
  const std::vector<double> between = {0.101, 0.151};
  EXPECT_EQ(times_of(taken(SceneFrames(load_scene(scene())), {0.1003, 20.0})), between);
}

TEST_F(FrameSourceTest, a_first_instant_after_the_end_is_refused) {
  EXPECT_EQ(LogFrames(log()).last_s(), 0.2);
  EXPECT_EQ(SceneFrames(load_scene(scene())).last_s(), 0.2);
  EXPECT_EQ(taken(LogFrames(log()), {0.2, 25.0}).size(), 1u);
  EXPECT_THROW(taken(LogFrames(log()), {0.2001, 25.0}), InputError);
  EXPECT_THROW(taken(SceneFrames(load_scene(scene())), {0.2001, 25.0}), InputError);
}

TEST_F(FrameSourceTest, progress_rises_from_0_to_1) {
  for (const bool of_scene : {false, true}) {
    std::vector<double> told;
    const Progress progress = [&](double fraction) { told.push_back(fraction); };
    of_scene ? taken(SceneFrames(load_scene(scene())), {0.0, 25.0}, progress)
             : taken(LogFrames(log()), {0.0, 25.0}, progress);
    ASSERT_GE(told.size(), 6u);
    EXPECT_NEAR(told.front(), 0.0, 1e-7);  // instants are a nanosecond early
    EXPECT_NEAR(told.back(), 1.0, 0.01);   // the last of 201 cycles
    EXPECT_TRUE(std::ranges::is_sorted(told));
  }
}

TEST_F(FrameSourceTest, the_frames_before_a_fault_are_taken) {
  std::ofstream(scene(), std::ios::app)
      << "faults = [{ kind = \"unhomed\", at = 0.1, lasts = 0.2 }]\n";
  std::vector<double> times;
  SceneFrames source(load_scene(scene()));
  EXPECT_THROW(
      source.frames({0.0, 25.0}, [&](double time_s, SceneFrame) { times.push_back(time_s); }, {}),
      OperationError);
  EXPECT_EQ(times, (std::vector<double>{0.0, 0.04, 0.08}));
}

TEST_F(FrameSourceTest, a_scene_without_a_script_is_refused) {
  std::ofstream(scene()) << "rate_hz = 1000\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n"
                            "radius = 0.03\nrole = \"held\"\n[coupling]\nstiffness = 400.0\n"
                            "[device]\nname = \"simulated\"\n";
  EXPECT_THROW(SceneFrames(load_scene(scene())), InputError);
}

}  // namespace
}  // namespace haptic

#include "host/window/scene_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "rt/worlds/scene_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A ball that the hand moves by 0.1 m along x in two seconds.
class SceneRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-run-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "hand.csv")
        << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n2,0.1,0,0,1,0,0,0\n";
    write("script = \"hand.csv\"\n");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& device) const {
    std::ofstream(scene()) << "rate_hz = 1000\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n"
                              "radius = 0.03\nrole = \"held\"\n[coupling]\nstiffness = 400.0\n"
                              "[device]\nname = \"simulated\"\n"
                           << device;
  }
  fs::path scene() const { return folder_ / "scene.toml"; }

  fs::path folder_;
};

TEST_F(SceneRunTest, it_runs_as_far_as_it_is_told_and_computes_what_an_offline_cycle_does) {
  SceneRun run(scene());
  EXPECT_EQ(run.span().last_s, 0.0);  // the first cycle
  run.run_to(0.5);
  run.wait();
  EXPECT_DOUBLE_EQ(run.span().last_s, 0.5);
  EXPECT_FALSE(run.span().ended);
  const Scene read = load_scene(scene());
  const auto device = make_device(simulated_hand(read), 1000.0);
  OfflineCycle cycle(read, *device);
  for (int i = 0; i <= 500; ++i) cycle.run();
  const RunMoment now = run.at(0.5);
  EXPECT_EQ(now.state, std::vector<double>(cycle.state().begin(), cycle.state().end()));
  EXPECT_EQ(now.record.held_pose.position_m[0], cycle.sample().held_pose.position_m[0]);
}

TEST_F(SceneRunTest, a_step_is_one_cycle_and_the_run_ends_with_the_script) {
  SceneRun run(scene());
  run.step();
  EXPECT_DOUBLE_EQ(run.span().last_s, 1e-3);
  run.step();
  EXPECT_DOUBLE_EQ(run.span().last_s, 2e-3);
  EXPECT_DOUBLE_EQ(run.at(2e-3, -1).time_s, 1e-3);
  EXPECT_DOUBLE_EQ(run.at(0.0, -5).time_s, 0.0);
  run.run_to(1e9);
  run.wait();
  EXPECT_DOUBLE_EQ(run.span().last_s, 2.0);
  EXPECT_TRUE(run.span().ended);
  run.step();
  EXPECT_DOUBLE_EQ(run.span().last_s, 2.0);
  EXPECT_EQ(run.message(), "");
}

TEST_F(SceneRunTest, memory_is_bounded_and_the_oldest_moments_go) {
  SceneRun reference(scene());
  const std::size_t one = reference.at(0.0).bytes();
  SceneRun run(scene(), 10 * one);
  run.run_to(1.0);
  run.wait();
  EXPECT_GT(run.span().first_s, 0.0);
  EXPECT_DOUBLE_EQ(run.span().last_s, 1.0);
  int moments = 1;
  for (double t = run.span().first_s; t < run.span().last_s; t = run.at(t, 1).time_s) ++moments;
  EXPECT_LE(moments, 10);
  EXPECT_GE(moments, 9);
}

TEST_F(SceneRunTest, a_scene_without_a_script_has_no_end) {
  write("");
  SceneRun run(scene());
  EXPECT_TRUE(std::isinf(run.end_s()));
  run.run_to(3.0);
  run.wait();
  EXPECT_DOUBLE_EQ(run.span().last_s, 3.0);
  EXPECT_FALSE(run.span().ended);
  run.run_to(std::numeric_limits<double>::infinity());  // ends with the object
}

TEST_F(SceneRunTest, a_scene_that_is_refused_is_told_before_anything_runs) {
  write("script = \"missing.csv\"\n");
  EXPECT_THROW(SceneRun{scene()}, InputError);
}

}  // namespace
}  // namespace haptic

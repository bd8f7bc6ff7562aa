#include "host/window/scene_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class SceneSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-source-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "hand.csv")
        << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0.1,0,0,1,0,0,0\n";
    std::ofstream(scene()) << "rate_hz = 1000\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n"
                              "radius = 0.03\nrole = \"held\"\n[coupling]\nstiffness = 400.0\n"
                              "[device]\nname = \"simulated\"\nscript = \"hand.csv\"\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path scene() const { return folder_ / "scene.toml"; }

  fs::path folder_;
  Moment moment_;
};

TEST_F(SceneSourceTest, paused_it_shows_one_cycle_after_another_and_goes_back) {
  SceneSource source(scene(), {});
  Timeline& time = *source.timeline();
  time.playing = false;
  for (int i = 1; i <= 3; ++i) {
    time.steps = 1;
    ASSERT_TRUE(source.read(moment_, 0.02));
    EXPECT_DOUBLE_EQ(moment_.time_s, 1e-3 * i);
  }
  time.steps = -1;
  ASSERT_TRUE(source.read(moment_, 0.02));
  EXPECT_DOUBLE_EQ(moment_.time_s, 2e-3);
  ASSERT_TRUE(source.read(moment_, 10.0));  // paused: no time passes
  EXPECT_DOUBLE_EQ(moment_.time_s, 2e-3);
  EXPECT_DOUBLE_EQ(time.last_s, 3e-3);
  ASSERT_EQ(moment_.frame.bodies.size(), 1u);
}

TEST_F(SceneSourceTest, it_plays_to_the_end_and_stops_and_play_begins_again) {
  SceneSource source(scene(), 0.5);
  Timeline& time = *source.timeline();
  time.unlimited = true;
  while (time.playing) ASSERT_TRUE(source.read(moment_, 0.02));
  EXPECT_DOUBLE_EQ(moment_.time_s, 1.0);
  time.playing = true;
  ASSERT_TRUE(source.read(moment_, 0.02));
  EXPECT_DOUBLE_EQ(moment_.time_s, 0.0);
}

TEST_F(SceneSourceTest, a_time_after_the_end_is_refused) {
  EXPECT_THROW(SceneSource(scene(), 1.5), InputError);
}

}  // namespace
}  // namespace haptic

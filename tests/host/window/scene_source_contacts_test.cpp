#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/offline/offline_run.h"
#include "host/window/log_source.h"
#include "host/window/scene_source.h"
#include "tests/support/condensed_box.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// At 100 Hz every cycle is kept: the stylus is 4 mm in the cube at 0.2 s.
TEST(SceneSourceContacts, a_run_and_the_replay_of_its_log_tell_the_same_points) {
  const fs::path folder = fs::temp_directory_path() / ("haptic-told-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  bake_condensed_box(folder / "cube.h5", {});
  std::ofstream(folder / "hand.csv") << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n"
                                        "0.2,0,-0.009,0,1,0,0,0\n";
  std::ofstream(folder / "scene.toml")
      << "world = \"condensed\"\nrate_hz = 100.0\n[[body]]\nname = \"cube\"\n"
         "model = \"cube.h5\"\nrole = \"anchored\"\n[[body]]\nname = \"stylus\"\n"
         "shape = \"sphere\"\nradius = 0.003\nrole = \"held\"\nposition = [0.0, 0.055, 0.0]\n"
         "[condensed]\nmodes = 10\n[contact]\npoints = [0.0, 0.0, 0.0]\n"
         "[coupling]\nstiffness = 400.0\n[device]\nname = \"simulated\"\nscript = \"hand.csv\"\n";
  run_offline(load_scene(folder / "scene.toml"), {}, folder / "log.h5");

  SceneSource run(folder / "scene.toml", {});
  LogSource log(folder / "log.h5");
  Moment of_run, of_log;
  run.timeline()->playing = log.timeline()->playing = false;
  std::size_t touching = 0;
  for (int cycle = 1; cycle <= 20; ++cycle) {
    run.timeline()->steps = log.timeline()->steps = 1;
    ASSERT_TRUE(run.read(of_run, 0.0));
    ASSERT_TRUE(log.read(of_log, 0.0));
    ASSERT_DOUBLE_EQ(of_run.time_s, of_log.time_s);
    const auto ran = run.contacts();
    auto replayed = log.contacts();
    ASSERT_TRUE(ran && replayed);
    while (replayed->missing.ends_with("replayed")) replayed = log.contacts();
    ASSERT_EQ(replayed->missing, "");
    EXPECT_EQ(ran->missing, "");
    ASSERT_EQ(ran->points.size(), replayed->points.size());
    for (std::size_t i = 0; i < ran->points.size(); ++i) {
      EXPECT_EQ(ran->points[i].position, replayed->points[i].position);
      EXPECT_EQ(ran->points[i].force, replayed->points[i].force);
    }
    touching += ran->points.size();
  }
  EXPECT_GT(touching, 5u);  // 4 of 9 mm of the way
  fs::remove_all(folder);
}

}  // namespace
}  // namespace haptic

#include "host/view/log_contacts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/offline/offline_run.h"
#include "host/view/log_frame.h"
#include "tests/support/condensed_box.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A stylus of one point presses a condensed cube by 5 mm and is dragged aside.
class LogContactsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("haptic-contacts-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    bake_condensed_box(folder_ / "cube.h5", {});
    std::ofstream(folder_ / "hand.csv") << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n"
                                           "0.1,0,-0.01,0,1,0,0,0\n0.2,0.005,-0.01,0,1,0,0,0\n";
    std::ofstream(folder_ / "scene.toml")
        << "world = \"condensed\"\nrate_hz = 1000.0\n[[body]]\nname = \"cube\"\n"
           "model = \"cube.h5\"\nrole = \"anchored\"\n[[body]]\nname = \"stylus\"\n"
           "shape = \"sphere\"\nradius = 0.003\nrole = \"held\"\nposition = [0.0, 0.055, 0.0]\n"
           "[condensed]\nmodes = 10\n[contact]\npoints = [0.0, 0.0, 0.0]\nfriction = 0.6\n"
           "[coupling]\nstiffness = 400.0\n[device]\nname = \"simulated\"\nscript = \"hand.csv\"\n";
    run_offline(load_scene(folder_ / "scene.toml"), {}, folder_ / "log.h5");
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static inline fs::path folder_;
  LogReader log_{folder_ / "log.h5"};
};

TEST_F(LogContactsTest, a_replayed_contact_carries_the_force_of_the_log_at_its_place) {
  LogContacts contacts(log_);
  for (const std::uint64_t row : {100U, 190U}) {
    const SceneFrame frame = frame_of(log_, row);
    const std::vector<FrameContact> points = contacts.at(frame, row);
    ASSERT_EQ(contacts.missing(), "");
    ASSERT_EQ(points.size(), 1u);
    EXPECT_GT(frame.force->norm(), 0.05);
    // The force of the one point is the sum: rounding of its rotation to the world.
    EXPECT_NEAR((points[0].force - *frame.force).norm(), 0.0, 1e-9);
    // The point of the stylus is the middle of its ball. It is where the surface is, which the
    // step of the contact holds it to within a hundredth of its way.
    EXPECT_NEAR((points[0].position - frame.bodies[1].pose.position).norm(), 0.0, 1e-4);
  }
}

TEST_F(LogContactsTest, going_back_replays_from_the_beginning_with_the_same_numbers) {
  LogContacts in_order(log_), back(log_);
  const SceneFrame early = frame_of(log_, 120), late = frame_of(log_, 180);
  const auto once = in_order.at(early, 120);
  back.at(late, 180);
  const auto again = back.at(early, 120);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].position, once[0].position);
  EXPECT_EQ(again[0].force, once[0].force);
  EXPECT_EQ(back.at(early, 120)[0].force, once[0].force);  // a window that is paused
}

TEST_F(LogContactsTest, a_row_far_ahead_is_approached_in_parts) {
  LogContacts contacts(log_);
  EXPECT_EQ(contacts.approach(150, {}), 151u);
  int parts = 0;
  std::uint64_t left = 151;
  // A microsecond is one step or none.
  for (; left > 0; ++parts) {
    const std::uint64_t now = contacts.approach(150, std::chrono::microseconds(1));
    ASSERT_LE(now, left);
    left = now;
  }
  EXPECT_GT(parts, 1);
  EXPECT_EQ(contacts.at(frame_of(log_, 150), 150).size(), 1u);
  EXPECT_EQ(contacts.approach(150, {}), 0u);
}

TEST_F(LogContactsTest, a_frame_of_another_force_is_not_given_points) {
  LogContacts contacts(log_);
  SceneFrame frame = frame_of(log_, 150);
  *frame.force *= 1.01;
  EXPECT_TRUE(contacts.at(frame, 150).empty());
  EXPECT_EQ(contacts.missing(), "the replay does not agree with the log");
}

TEST_F(LogContactsTest, a_scene_that_is_gone_is_told) {
  const fs::path scene = folder_ / "scene.toml", hidden = folder_ / "hidden.toml";
  fs::rename(scene, hidden);
  LogContacts contacts(log_);
  fs::rename(hidden, scene);
  EXPECT_TRUE(contacts.at(frame_of(log_, 150), 150).empty());
  EXPECT_NE(contacts.missing().find("scene.toml"), std::string::npos);
  EXPECT_EQ(contacts.approach(150, std::chrono::seconds(1)), 0u);
}

}  // namespace
}  // namespace haptic

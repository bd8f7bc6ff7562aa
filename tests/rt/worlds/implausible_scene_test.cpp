#include "rt/worlds/implausible_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haptic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Scene ordinary() {
  Scene scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "cow";
  return scene;
}

TEST(ImplausibleScene, an_ordinary_scene_is_not_mentioned) {
  EXPECT_THAT(implausible_values(ordinary()), IsEmpty());
}

TEST(ImplausibleScene, each_mistaken_unit_is_a_line) {
  Scene scene = ordinary();
  scene.rate_hz = 1.0;
  scene.length_scale = 1e4;
  scene.gravity = {0.0, -9810.0, 0.0};
  scene.coupling.mass = 50.0;
  EXPECT_THAT(implausible_values(scene),
              ElementsAre(HasSubstr("rate_hz: 1 Hz is used, but 100 to 20000 Hz"),
                          HasSubstr("length_scale: 10000"), HasSubstr("gravity: 9810 m/s^2"),
                          HasSubstr("coupling.mass: 50 kg")));
}

TEST(ImplausibleScene, a_world_may_be_slow_where_the_servo_is_not) {
  Scene scene = ordinary();
  scene.rate_hz = 20.0;
  EXPECT_THAT(implausible_values(scene), ElementsAre(HasSubstr("rate_hz: 20 Hz")));
  scene.servo_rate_hz = 1000.0;
  EXPECT_THAT(implausible_values(scene), IsEmpty());
  scene.servo_rate_hz = 50.0;
  EXPECT_THAT(implausible_values(scene), ElementsAre(HasSubstr("servo_rate_hz: 50 Hz")));
}

TEST(ImplausibleScene, a_distance_counts_in_the_hands_metres) {
  Scene scene = ordinary();
  scene.bodies[0].pose.position = {0.0, 300.0, 400.0};
  EXPECT_THAT(implausible_values(scene),
              ElementsAre(HasSubstr("distance of \"cow\" from the origin: 500 m")));
  scene.length_scale = 100.0;
  EXPECT_THAT(implausible_values(scene), IsEmpty());
}

}  // namespace
}  // namespace haptic

#include "host/view/contact_geometry.h"

#include <gtest/gtest.h>

#include "shared/error.h"

namespace haptic {
namespace {

SceneFrame two_shapes() {
  SceneFrame frame;
  frame.bodies.push_back({"ball", AnalyticShape{ShapeKind::kSphere, {0.1}}, Pose{}, {}});
  frame.bodies.push_back({"table", AnalyticShape{ShapeKind::kBox, {1.0, 0.1, 1.0}}, Pose{}, {}});
  return frame;
}

/// What the message of the error says.
std::string message_of(SceneFrame frame, const TreeChoice& choice) {
  try {
    ContactGeometry().add_spheres(frame, choice);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ContactGeometry, level_0_adds_nothing) {
  EXPECT_EQ(message_of(two_shapes(), {}), "");
}

TEST(ContactGeometry, bodies_without_a_tree_are_told) {
  EXPECT_NE(message_of(two_shapes(), {1, {}}).find("no body has a point tree"), std::string::npos);
  EXPECT_NE(message_of(two_shapes(), {1, "ball"}).find("ball has no point tree"),
            std::string::npos);
}

TEST(ContactGeometry, an_unknown_body_is_refused_with_the_names_that_there_are) {
  const std::string message = message_of(two_shapes(), {1, "bell"});
  EXPECT_NE(message.find("--tree-body"), std::string::npos);
  EXPECT_NE(message.find("ball, table"), std::string::npos);
}

}  // namespace
}  // namespace haptic

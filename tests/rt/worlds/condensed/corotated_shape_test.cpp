#include "rt/worlds/condensed/corotated_shape.h"

#include <algorithm>
#include <cmath>

#include "lab/samples/state_value.h"
#include "rt/worlds/condensed/modal_rotations.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

/// A column of 50 x 300 x 50 mm that stands on its fixed lowest layer, E = 1e5 Pa.
class CorotatedColumn : public PressedBlock {
 protected:
  static constexpr double kHeight = 0.3;

  static void SetUpTestSuite() {
    PressedBlock::SetUpTestSuite();
    CondensedBoxSettings column;
    column.size = {0.05, kHeight, 0.05};
    column.resolution = 12;
    column.modes = 12;
    column.youngs_modulus = 1e5;
    column.damping_ratios = {0.3, 0.3};
    bake_condensed_box(folder_ / "column.h5", column);
  }

  /// The tool at the side of the column, 5 mm from it and 30 mm below its top.
  static std::string column_text(const std::string& condensed,
                                 const std::string& contact = "friction = 0.8") {
    return "world = \"condensed\"\nrate_hz = 1000.0\n"
           "[[body]]\nname = \"column\"\nmodel = \"column.h5\"\nrole = \"anchored\"\n"
           "[[body]]\nname = \"tool\"\nshape = \"sphere\"\nradius = 0.004\nrole = \"held\"\n"
           "position = [-0.03, 0.12, 0.001]\n[condensed]\n" +
           condensed + "\n[contact]\npoints = [0.0, 0.0, 0.0]\n" + contact +
           "\n[coupling]\nstiffness = 2000.0\n";
  }
  /// The vertex nearest to a place of the rest surface.
  static std::uint32_t vertex_at(const CondensedSurface& surface, const Vector3& p) {
    std::uint32_t best = 0;
    for (std::uint32_t v = 0; v < surface.vertex_count(); ++v) {
      if ((surface.rest(v) - p).norm() < (surface.rest(best) - p).norm()) best = v;
    }
    return best;
  }
  /// Length of the middle of the column, between two opposite faces, up to the top.
  static double axis_length(const CondensedWorld& world) {
    const CondensedSurface& surface = world.surface();
    double length = 0.0;
    Vector3 last = Vector3::Zero();
    for (int i = 0; i <= 12; ++i) {
      const double y = -0.15 + kHeight * i / 12;
      const Vector3 middle =
          0.5 *
          (surface.position(vertex_at(surface, {0.0, y, 0.025}), world.node_displacements()) +
           surface.position(vertex_at(surface, {0.0, y, -0.025}), world.node_displacements()));
      if (i > 0) length += (middle - last).norm();
      last = middle;
    }
    return length;
  }
  static Vector3 top(const CondensedWorld& world) {
    const CondensedSurface& surface = world.surface();
    return surface.displacement(vertex_at(surface, {0.0, 0.15, 0.0}), world.node_displacements());
  }
};

TEST(MeanRotation, is_the_mean_of_the_rotations) {
  for (const double angle : {1e-9, 5e-5, 2e-4, 0.3, 2.0}) {
    const Vector3 w = angle * Vector3(0.6, -0.64, 0.48);
    Matrix3 mean = Matrix3::Zero();
    constexpr int kParts = 20000;
    for (int i = 0; i < kParts; ++i) {
      mean += rotation_exponential((i + 0.5) / kParts * w).toRotationMatrix() / kParts;
    }
    // The midpoint rule: angle^2 / 24 / kParts^2, and the rounding of the sum.
    EXPECT_LT((mean_rotation(w) - mean).norm(), 1e-9) << angle;
  }
}

// Modes are replaced by a field that turns as a rigid body. Where the elements about a node have no
// fixed corner, which counts as unmoved, its rotation is that of the field.
TEST_F(CorotatedColumn, the_rotation_of_a_rigid_turn_is_the_turn) {
  const ModelFile file(folder_ / "column.h5");
  CondensedModel model = read_condensed_model(file);
  const std::span<const double> vertices = file.doubles("/mesh/vertices");
  const std::span<const std::uint32_t> nodes = file.indices("/condensed/nodes");
  const Vector3 turn(0.3, -0.2, 0.7);
  std::vector<double> modes(model.modes.size(), 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double* const x = &vertices[3 * std::size_t{nodes[i]}];
    const Vector3 u = turn.cross(Vector3(x[0], x[1], x[2]));
    for (std::size_t a = 0; a < 3; ++a) {
      modes[(3 * i + a) * model.mode_count] = u[static_cast<Eigen::Index>(a)];
    }
  }
  model.modes = modes;
  const std::vector<double> rotations = modal_rotations(file, model, 2);
  int compared = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (vertices[3 * std::size_t{nodes[i]} + 1] < -0.09) continue;
    ++compared;
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(rotations[3 * i + a], turn[static_cast<Eigen::Index>(a)], 1e-12);
      EXPECT_EQ(rotations[model.dof() + 3 * i + a], 0.0) << "a mode that does not move";
    }
  }
  EXPECT_GT(compared, 80);
}

// 5 mm at a height of 270 mm: the angle is 0.03. By the tangential force that a drop of 0.05 mm
// makes against friction, the forces differ by a hundredth.
TEST_F(CorotatedColumn, small_turns_are_those_of_the_linear_body) {
  CondensedWorld turned(scene(column_text("corotated = true")), nullptr);
  CondensedWorld linear(scene(column_text("")), nullptr);
  for (CondensedWorld* world : {&turned, &linear}) {
    move(*world, Vector3::Zero(), {0.01, 0.0, 0.0}, 300);
    hold(*world, {0.01, 0.0, 0.0}, 3000);
  }
  EXPECT_GT(top(linear).x(), 0.003);
  EXPECT_NEAR(top(turned).x(), top(linear).x(), 0.01 * top(linear).x());
  EXPECT_NEAR(turned.tool_contact().wrench().force.x(), linear.tool_contact().wrench().force.x(),
              -0.02 * linear.tool_contact().wrench().force.x());
}

// A cantilever pushed aside by 100 mm at 270 mm of its 300. The linear body shears and grows by a
// tenth; the one that turns keeps its length to 2 % and comes down.
TEST_F(CorotatedColumn, a_bent_column_keeps_its_length) {
  double length[2], drop[2];
  int at = 0;
  for (const char* condensed : {"", "corotated = true"}) {
    CondensedWorld world(scene(column_text(condensed)), nullptr);
    const double rest = axis_length(world);
    EXPECT_NEAR(rest, kHeight, 1e-3);
    move(world, Vector3::Zero(), {0.105, 0.0, 0.0}, 1500);
    hold(world, {0.105, 0.0, 0.0}, 6000);
    ASSERT_EQ(world.contacts().size(), 1U) << condensed;
    EXPECT_GT(top(world).x(), 0.08);
    // The tool is on the displayed surface.
    EXPECT_LT(std::abs(world.contacts()[0].gap), 1e-7) << condensed;
    length[at] = axis_length(world) / rest;
    drop[at++] = -top(world).y();
  }
  EXPECT_GT(length[0], 1.05);
  EXPECT_NEAR(length[1], 1.0, 0.02);
  EXPECT_LT(drop[0], 0.005);
  EXPECT_GT(drop[1], 0.015);
}

TEST_F(CorotatedColumn, released_it_swings_and_comes_to_rest) {
  CondensedWorld world(scene(column_text("corotated = true")), nullptr);
  move(world, Vector3::Zero(), {0.105, 0.0, 0.0}, 1500);
  hold(world, {0.105, 0.0, 0.0}, 1000);
  const double pressed = top(world).norm();
  move(world, {0.105, 0.0, 0.0}, {-0.12, 0.0, 0.0}, 600);
  EXPECT_TRUE(world.contacts().empty());
  double last = state_value(world, "condensed/energy");
  for (int i = 0; i < 4000; ++i) {
    hold(world, {-0.12, 0.0, 0.0}, 1);
    const double energy = state_value(world, "condensed/energy");
    ASSERT_LE(energy, last * (1.0 + 1e-12));
    last = energy;
  }
  EXPECT_LT(top(world).norm(), 1e-2 * pressed);
}

// The work of the contact force on the body is what the body stores and damping takes: over a slow
// press, drag and return, the body does not return more than it was given.
TEST_F(CorotatedColumn, turning_creates_no_energy) {
  CondensedWorld world(scene(column_text("corotated = true", "friction = 0.2")), nullptr);
  WorldOutput output;
  double work = 0.0, lowest = 0.0, most = 0.0;
  Vector3 last = Vector3::Zero();
  for (int i = 0; i < 6000; ++i) {
    const double t = 1e-3 * i;
    const Vector3 hand(0.05 * (1.0 - std::cos(2.0 * t)), 0.02 * std::sin(2.0 * t),
                       0.01 * std::sin(3.0 * t));
    ASSERT_EQ(world.step(hand_at(hand.x(), hand.y(), hand.z()), output), WorldStatus::kOk);
    // On the body, over the way of the tool in this step.
    if (i > 0) work -= output.contact_wrench.force.dot(output.held_pose.position - last);
    last = output.held_pose.position;
    const double energy = state_value(world, "condensed/energy");
    lowest = std::min(lowest, work - energy);
    most = std::max(most, energy);
  }
  EXPECT_GT(most, 0.01);
  // First order in the step: half a step's change of force, 1e-3 of the energy here.
  EXPECT_GT(lowest, -2e-3 * most);
}

// While the tool drags and turns the column about, the force is calm, and a still hand feels a
// still force.
TEST_F(CorotatedColumn, contact_is_calm_on_a_body_that_turns) {
  CondensedWorld world(scene(column_text("corotated = true", "friction = 0.5")), nullptr);
  WorldOutput output;
  Vector3 last = Vector3::Zero();
  double change = 0.0, least = 1e9, most = 0.0;
  for (int i = 0; i < 8000; ++i) {
    const double t = std::min(1e-3 * i, 4.0);
    const double x = 0.1 * std::min(1.0, t), z = 0.01 * std::sin(2.0 * t);
    ASSERT_EQ(world.step(hand_at(x, 0.01 * std::sin(3.0 * t), z), output), WorldStatus::kOk);
    change = std::max(change, (output.contact_wrench.force - last).norm());
    last = output.contact_wrench.force;
    if (i < 7000) continue;
    least = std::min(least, last.norm());
    most = std::max(most, last.norm());
  }
  EXPECT_GT(most, 0.5);
  EXPECT_LT(change, 0.5);
  EXPECT_LT(most - least, 1e-3 * most);
}

TEST_F(CorotatedColumn, a_step_never_allocates) {
  CondensedWorld world(scene(column_text("corotated = true")), nullptr);
  WorldOutput output;
  NoAllocation guard;
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(world.step(hand_at(3e-4 * i, 0.0, 0.0), output), WorldStatus::kOk);
  }
  world.reset();
}

}  // namespace
}  // namespace haptic::condensed

// Scales, weights, damping, and both bodies' reduced forces.

#include "rt/contact/contact_law.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <vector>

#include "shared/error.h"
#include "tests/rt/contact/plane_scene.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr HeldSide kEverySide[] = {HeldSide::kField, HeldSide::kShell, HeldSide::kNeither};

/// Points of a line, each `step` above the one before: they enter one at a time.
ShellData staircase(int points, double step) {
  ShellData shell;
  for (int i = 0; i < points; ++i) shell.add({i / 256.0, 0.0, step * i}, Vector3::UnitZ());
  return shell;
}

TEST(ContactLaw, forces_on_two_deforming_bodies_add_up_to_zero) {
  Random random(2);
  ShellData shell = random_beam(random, 1.0, 0.05, 800);
  shell.set_modes(bending_modes());
  const double scale = 1.7;
  PlaneScene scene(shell, nested_tree(shell, {20, 100, 800}), 3, scale);
  std::uniform_real_distribution<double> u(-0.1, 0.1);
  for (const HeldSide held : kEverySide) {
    ContactSettings settings;
    settings.friction = {0.5, 0.4, {}};
    settings.damping = 3.0;
    ContactPair pair = scene.pair(settings, held);
    int touching = 0, rubbing = 0;
    for (int trial = 0; trial < 200; ++trial) {
      // Two instants, so that there is friction at the second.
      Pose a = random_pose(random, 0.2);
      const Pose b = random_pose(random, 0.2);
      std::vector<double> q(shell.r), qdot(shell.r), fq(3), fqdot(3);
      for (auto* values : {&q, &qdot, &fq, &fqdot}) {
        for (double& value : *values) value = u(random);
      }
      for (int instant = 0; instant < 2; ++instant) {
        a.position += random_vector(random, 1e-3);
        scene.field.deform(fq);
        const BodyMotion on = {
            a, {random_vector(random, 0.1), random_vector(random, 0.1)}, q, qdot};
        const BodyMotion in = {
            b, {random_vector(random, 0.1), random_vector(random, 0.1)}, fq, fqdot};
        pair.evaluate(on, in);
      }
      if (pair.contacts().empty()) continue;
      ++touching;
      // Contact::force is on the held body; on the field's where neither is held.
      const double on_shell = held == HeldSide::kShell ? 1.0 : -1.0;
      Vector3 total = Vector3::Zero();
      std::vector<double> expected(shell.r, 0.0);
      double size = 0.0;
      for (const Contact& c : pair.contacts()) {
        total += on_shell * c.force;
        size += c.force.norm();
        add_transpose_product(scene.shell.displacement(c.point),
                              a.orientation.conjugate() * (on_shell * c.force), expected);
        rubbing += c.force.cross(c.normal).norm() > 1e-3 * c.force.norm();
      }
      for (std::uint32_t j = 0; j < shell.r; ++j) {
        ASSERT_NEAR(pair.reduced_force()[j], expected[j], 1e-12 * size);
      }
      // The field moves as a whole: its reduced force is the whole force, turned and scaled.
      const Vector3 on_field = b.orientation.conjugate() * -total * scale;
      for (std::size_t j = 0; j < 3; ++j) {
        ASSERT_NEAR(pair.reduced_force_of_field()[j], on_field[static_cast<int>(j)], 1e-12 * size);
      }
    }
    EXPECT_GT(touching, 50);
    EXPECT_GT(rubbing, 500);
  }
}

TEST(ContactLaw, without_a_held_body_there_is_no_wrench_and_forces_are_the_same) {
  const PlaneScene scene(cube_face(0.1, 6));
  ContactPair neither = scene.pair(ContactSettings(), HeldSide::kNeither);
  ContactPair field = scene.pair(ContactSettings(), HeldSide::kField);
  const BodyMotion body = standing_at({0.0, 0.0, 0.099});
  const ContactResult& result = neither.evaluate(body, BodyMotion());
  field.evaluate(body, BodyMotion());
  EXPECT_EQ(result.contacts, 36u);
  EXPECT_EQ(result.on_held.force, Vector3::Zero());
  EXPECT_EQ(result.gradient, Matrix6::Zero());
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(neither.contacts()[i].force, field.contacts()[i].force);
  }
}

TEST(ContactLaw, the_smooth_scale_does_not_jump_where_a_point_enters) {
  // Exact in float; a flight of l steps is as deep as its first point.
  const double step = 1.0 / 4096.0;
  const int points = 40;
  const PlaneScene scene(staircase(points, step));
  double worst_text = 0.0;
  for (const ContactScaling scaling : {ContactScaling::kPublished, ContactScaling::kSmooth}) {
    ContactSettings settings;
    settings.scaling = scaling;
    ContactPair pair = scene.pair(settings);
    for (int l = 1; l < points; ++l) {
      const auto force_at = [&](double sink) {
        return pair.evaluate(standing_at({0.0, 0.0, -sink}), BodyMotion()).on_held.force.norm();
      };
      const double before = force_at(step * l - 1e-12);
      ASSERT_EQ(pair.contacts().size(), std::size_t(l));
      const double after = force_at(step * l + 1e-12);
      ASSERT_EQ(pair.contacts().size(), std::size_t(l + 1));
      if (scaling == ContactScaling::kPublished) {
        worst_text = std::max(worst_text, std::abs(after - before) / before);
      } else {
        // What two picometres of way make of the force itself, relative to a depth of `step`.
        EXPECT_LE(std::abs(after - before) / before, 1e-7);
      }
    }
  }
  EXPECT_NEAR(worst_text, 1.0 / 11.0, 1e-4);
}

TEST(ContactLaw, smooth_counts_points_by_their_depth) {
  const PlaneScene scene(cube_face(0.1, 10));
  ContactSettings settings;
  settings.scaling = ContactScaling::kSmooth;
  settings.scaling_depth = 1e-3;
  ContactPair pair = scene.pair(settings);
  for (const double t : {0.05, 0.3, 0.5, 0.9, 1.0, 5.0}) {
    const double depth = t * 1e-3, u = std::min(t, 1.0);
    const double count = 100.0 * u * u * (3.0 - 2.0 * u);
    const double expected = 200.0 * 100.0 * depth * 10.0 / std::max(10.0, count);
    const double force =
        pair.evaluate(standing_at({0.0, 0.0, 0.1 - depth}), BodyMotion()).on_held.force.z();
    // The face is at 0.1 in float, 1.5e-9 off.
    EXPECT_NEAR(force, expected, 2e-8 / depth * expected);
  }
}

TEST(ContactLaw, without_scaling_every_point_pushes_in_full) {
  for (const std::uint32_t n : {2u, 7u, 30u}) {
    const PlaneScene scene(cube_face(0.125, n));  // exact in float
    ContactSettings settings;
    settings.scaling = ContactScaling::kNone;
    ContactPair pair = scene.pair(settings);
    const double depth = 1.0 / 1024.0;
    const ContactResult& result =
        pair.evaluate(standing_at({0.0, 0.0, 0.125 - depth}), BodyMotion());
    EXPECT_NEAR(result.on_held.force.z(), 200.0 * n * n * depth, 1e-10);
    EXPECT_NEAR(result.gradient(2, 2), -200.0 * n * n, 1e-9);
  }
}

TEST(ContactLaw, area_weights_keep_a_table_with_uneven_feet_level) {
  // Two feet of one size, one sampled five times as densely: the U of Barbic 2007, Section 3.5.
  ShellData shell;
  std::vector<float> weights;
  const auto foot = [&](double x, int n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        shell.add({x + (i + 0.5) / n * 0.125 - 0.0625, (j + 0.5) / n * 0.125 - 0.0625, 0.0},
                  Vector3::UnitZ());
        weights.push_back(1.0f / static_cast<float>(n * n));
      }
    }
  };
  foot(-1.0, 4);
  foot(1.0, 20);
  const double mean = 2.0 / static_cast<double>(weights.size());
  for (float& w : weights) w = static_cast<float>(w / mean);
  const PlaneScene scene(shell);
  const double depth = 1e-3;
  ContactPair uneven = scene.pair(ContactSettings());
  ContactPair even = scene.pair(ContactSettings(), HeldSide::kShell, weights);
  const BodyMotion body = standing_at({0.0, 0.0, -depth});
  const Wrench tilts = uneven.evaluate(body, BodyMotion()).on_held;
  const Wrench level = even.evaluate(body, BodyMotion()).on_held;
  EXPECT_GT(std::abs(tilts.torque.y()), 0.5 * tilts.force.z());
  // Weights are floats.
  EXPECT_LE(level.torque.norm(), 1e-6 * level.force.z());
  EXPECT_NEAR(level.force.z(), 200.0 * 10.0 * depth, 1e-6 * level.force.z());
}

TEST(ContactLaw, damping_is_continuous_at_first_touch_and_never_attracts) {
  const PlaneScene scene(single_point());
  ContactSettings settings;
  settings.damping = 5.0;
  for (const HeldSide held : {HeldSide::kField, HeldSide::kShell}) {
    ContactPair pair = scene.pair(settings, held);
    for (const double depth : {1e-12, 1e-4, 2e-3}) {
      for (const double speed : {-10.0, -1.0, -0.1, 0.0, 0.05, 0.2, 0.3, 4.0}) {  // upwards
        BodyMotion body = standing_at({0.1, 0.2, -depth}), field;
        // Half of it is the field's.
        body.twist.linear = {3.0, -1.0, 0.5 * speed};
        field.twist.linear = {0.2, 0.5, -0.5 * speed};
        const ContactResult& result = pair.evaluate(body, field);
        const double factor = std::max(0.0, 1.0 - 5.0 * speed);
        const double sign = held == HeldSide::kShell ? 1.0 : -1.0;
        EXPECT_NEAR(result.on_held.force.z(), sign * 200.0 * depth * factor, 1e-13);
        EXPECT_GE(sign * result.on_held.force.z(), 0.0);
        EXPECT_EQ(result.on_held.force.head<2>().norm(), 0.0);
      }
    }
  }
}

/// d(wrench)/d(twist of the held body) by central differences.
Matrix6 velocity_differences(ContactPair& pair, BodyMotion shell, BodyMotion field, HeldSide held) {
  Matrix6 m;
  const double step = 1e-6;
  for (int c = 0; c < 6; ++c) {
    Vector6 difference = Vector6::Zero();
    for (const double sign : {1.0, -1.0}) {
      BodyMotion s = shell, f = field;
      Twist& twist = held == HeldSide::kShell ? s.twist : f.twist;
      (c < 3 ? twist.linear[c] : twist.angular[c - 3]) += sign * step;
      const Wrench w = pair.evaluate(s, f).on_held;
      difference.head<3>() += sign * w.force;
      difference.tail<3>() += sign * w.torque;
    }
    m.col(c) = difference / (2.0 * step);
  }
  return m;
}

TEST(ContactLaw, damping_matches_central_differences_of_the_velocity) {
  Random random(11);
  ShellData shell = random_beam(random, 1.0, 0.05, 400);
  shell.set_modes(bending_modes());
  PlaneScene scene(shell, flat_tree(shell), 3, 0.7);
  ContactSettings settings;
  settings.damping = 1.5;
  std::uniform_real_distribution<double> u(-0.05, 0.05);
  for (const HeldSide held : {HeldSide::kField, HeldSide::kShell}) {
    ContactPair pair = scene.pair(settings, held);
    int touching = 0;
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<double> q(shell.r), qdot(shell.r), fq(3), fqdot(3);
      for (auto* values : {&q, &qdot, &fq, &fqdot}) {
        for (double& value : *values) value = u(random);
      }
      scene.field.deform(fq);
      // Slow enough that no point leaves the branch in which it pushes.
      const BodyMotion on = {random_pose(random, 0.3),
                             {random_vector(random, 0.02), random_vector(random, 0.02)},
                             q,
                             qdot};
      const BodyMotion in = {random_pose(random, 0.3),
                             {random_vector(random, 0.02), random_vector(random, 0.02)},
                             fq,
                             fqdot};
      const ContactResult& result = pair.evaluate(on, in);
      if (result.contacts == 0) continue;
      ++touching;
      const Matrix6 damping = result.damping;
      const Matrix6 expected = velocity_differences(pair, on, in, held);
      ASSERT_LE((damping - expected).norm(), 1e-7 * expected.norm());
      // It takes energy: z . D z <= 0.
      EXPECT_LE(Eigen::SelfAdjointEigenSolver<Matrix6>(damping).eigenvalues().maxCoeff(),
                1e-12 * damping.norm());
    }
    EXPECT_GT(touching, 20);
  }
}

TEST(ContactLaw, deforming_velocities_damp_as_those_of_the_bodies) {
  // Both bodies move by their reduced coordinates as a whole; so the same speed in either form
  // gives the same force.
  ShellData shell = single_point();
  shell.r = 3;
  shell.displacement = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  shell.normal_correction.assign(9, 0.0f);
  PlaneScene scene(shell, flat_tree(shell), 3, 1.0);
  ContactSettings settings;
  settings.damping = 2.0;
  ContactPair pair = scene.pair(settings);
  const std::vector<double> zero(3, 0.0), up = {0.3, -0.2, 0.1}, down = {-0.7, 0.4, -0.15};
  BodyMotion on = standing_at({0.0, 0.0, -1e-3}), in;
  on.q = in.q = on.qdot = in.qdot = zero;
  const double rest = pair.evaluate(on, in).on_held.force.z();
  on.qdot = up;
  EXPECT_NEAR(pair.evaluate(on, in).on_held.force.z(), rest * (1.0 - 2.0 * 0.1), 1e-12);
  in.qdot = down;
  EXPECT_NEAR(pair.evaluate(on, in).on_held.force.z(), rest * (1.0 - 2.0 * 0.25), 1e-12);
  on.qdot = in.qdot = {};
  on.twist.linear = {0.3, -0.2, 0.1};
  in.twist.linear = {-0.7, 0.4, -0.15};
  EXPECT_NEAR(pair.evaluate(on, in).on_held.force.z(), rest * (1.0 - 2.0 * 0.25), 1e-12);
}

TEST(ContactLaw, an_evaluation_with_everything_on_does_not_allocate) {
  Random random(7);
  ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  shell.set_modes(bending_modes());
  PlaneScene scene(shell, nested_tree(shell, {20, 300, 2000}), 3);
  std::vector<float> weights(shell.size(), 1.0f);
  ContactSettings settings;
  settings.scaling = ContactScaling::kPerSite;
  settings.friction = {0.6, 0.4, {}};
  settings.damping = 1.0;
  ContactPair pair = scene.pair(settings, HeldSide::kField, weights);
  const std::vector<double> q(shell.r, 0.01), fq(3, 0.02);
  std::uint32_t most = 0;
  NoAllocation guard;
  for (int i = 0; i < 200; ++i) {
    scene.field.deform(fq);
    const Pose pose = {{0.0, 0.0, 0.05 * std::sin(0.1 * i)}, Quaternion::Identity()};
    const ContactResult& result =
        pair.evaluate({.pose = pose, .q = q, .qdot = q}, {.q = fq, .qdot = fq});
    most = std::max(most, result.contacts);
    if (i == 100) pair.clear_history();
  }
  EXPECT_GT(most, 100u);
}

TEST(ContactLaw, refuses_settings_out_of_range) {
  const PlaneScene scene(cube_face(0.1, 4));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [&](const auto& change, std::span<const float> weights = {}) {
    ContactSettings settings;
    change(settings);
    try {
      scene.pair(settings, HeldSide::kField, weights);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [&](const std::string& part, const auto& change) {
    EXPECT_NE(refusal(change).find(part), std::string::npos) << refusal(change);
  };
  EXPECT_EQ(refusal([](ContactSettings&) {}), "");
  expect("scaling_depth: found 0", [](ContactSettings& s) { s.scaling_depth = 0.0; });
  expect("damping: found -1", [](ContactSettings& s) { s.damping = -1.0; });
  expect("damping: found nan", [&](ContactSettings& s) { s.damping = nan; });
  expect("friction.static: found -0.1", [](ContactSettings& s) { s.friction = {-0.1, 0.0, {}}; });
  expect("friction.dynamic: found 0.6", [](ContactSettings& s) { s.friction = {0.5, 0.6, {}}; });
  expect("friction.stiffness: found 0", [](ContactSettings& s) { s.friction = {0.5, 0.5, 0.0}; });
  expect("per-site", [](ContactSettings& s) { s.scaling = ContactScaling::kPerSite; });
  const auto as_is = [](ContactSettings&) {};
  std::vector<float> weights(15, 1.0f);
  EXPECT_NE(refusal(as_is, weights).find("/shell/weights: found 15"), std::string::npos);
  weights.assign(16, 1.0f);
  EXPECT_EQ(refusal(as_is, weights), "");
  weights[3] = -1.0f;
  EXPECT_NE(refusal(as_is, weights).find("found -1 at point 3"), std::string::npos);
  weights.assign(16, 0.0f);
  EXPECT_NE(refusal(as_is, weights).find("found only zeros"), std::string::npos);
}

}  // namespace
}  // namespace haptic

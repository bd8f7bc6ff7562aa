#include "rt/contact/motion_odometer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tests/rt/contact/traversal_scene.h"
#include "tests/support/no_allocation.h"

namespace haptic::oracle {
namespace {

/// A ball about its material origin; three reduced coordinates shift it.
class Ball final : public SignedField {
 public:
  Ball(double radius, std::uint32_t dimension) : radius_(radius), dimension_(dimension) {}

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    for (std::uint32_t i = 0; i < count; ++i) {
      const double d = Vector3(points.x[i], points.y[i], points.z[i]).norm() - radius_;
      samples.distance[i] = d;
      samples.free_radius[i] = std::max(0.0, d);
    }
  }
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return {p.norm() - radius_, p.normalized()};
  }
  double edge() const HAPTIC_REALTIME override { return radius_ / 64.0; }
  double reach() const HAPTIC_REALTIME override { return radius_; }
  std::uint32_t dimension() const HAPTIC_REALTIME override { return dimension_; }
  double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME override {
    return Vector3(dq[0], dq[1], dq[2]).norm();
  }

 private:
  double radius_;
  std::uint32_t dimension_;
};

/// State of both bodies, as the traversal hands it to the odometer.
struct State {
  Matrix3 rotation = Matrix3::Identity();  // shell to field
  Vector3 offset = Vector3::Zero();        // m
  std::vector<double> q, field_q;
};

Matrix3 turned(const Vector3& rotation_vector) {
  return rotation_exponential(rotation_vector).toRotationMatrix();
}

/// One point at (4, 0, 0) m whose only mode moves it outward by a quarter of that, in a ball of
/// half a metre: lengths that floats hold exactly.
struct OnePoint {
  static constexpr double kLever = 4.0, kMode = 1.0, kReach = 0.5;

  explicit OnePoint(bool deforms, bool field_deforms = false)
      : field(kReach, field_deforms ? 3 : 0) {
    shell.add({kLever, 0.0, 0.0}, -Vector3::UnitX());
    if (deforms) {
      shell.set_modes(
          {{[](const Vector3& p) -> Vector3 { return (kMode / kLever) * p; },
            [](const Vector3&) -> Matrix3 { return (kMode / kLever) * Matrix3::Identity(); }}});
    }
    tree = flat_tree(shell);
    layout.emplace(shell.view(), tree.view());
    odometer.emplace(*layout, field);
  }
  State at_rest() const {
    State state;
    state.q.assign(shell.r, 0.0);
    state.field_q.assign(field.dimension(), 0.0);
    return state;
  }
  void advance(const State& s) { odometer->advance(s.rotation, s.offset, s.q, s.field_q); }
  /// What the reading grows by from one state to the next [m].
  double step(const State& from, const State& to) {
    advance(from);
    const double before = odometer->reading();
    advance(to);
    return odometer->reading() - before;
  }

  Ball field;
  ShellData shell;
  TreeData tree;
  std::optional<TraversalLayout> layout;
  std::optional<MotionOdometer> odometer;
};

// The worst point moves by `moved`: the reading by no less, and by no more than what the odometer
// adds for rounding, 1e-12 of a turn and 1e-12 of the whole, here of at most ten metres.
void expect_safe_and_tight(double step, double moved) {
  EXPECT_GE(step, moved);
  EXPECT_LE(step, moved + 2e-11);
}

TEST(MotionOdometer, a_translation_counts_its_length) {
  OnePoint scene(false);
  State from = scene.at_rest(), to = from;
  from.offset = {1.0, -2.0, 0.5};
  to.offset = from.offset + Vector3(0.03, 0.04, 0.12);
  expect_safe_and_tight(scene.step(from, to), 0.13);
}

TEST(MotionOdometer, a_turn_about_the_shells_origin_counts_what_its_farthest_point_moves) {
  for (const double angle : {1e-3, 0.1, 1.0, 3.0}) {
    OnePoint scene(false);
    State from = scene.at_rest(), to = from;
    // Far beside the field's origin, which moves by more than the point when seen from the shell.
    from.offset = to.offset = {20.0, 0.0, 0.0};
    from.rotation = turned({0.2, 0.0, 0.0});
    to.rotation = turned({0.0, 0.0, angle}) * from.rotation;
    const Vector3 point = from.rotation * Vector3(OnePoint::kLever, 0.0, 0.0);
    const double moved = (turned({0.0, 0.0, angle}) * point - point).norm();
    EXPECT_NEAR(moved, 2.0 * std::sin(0.5 * angle) * OnePoint::kLever, 1e-12);
    expect_safe_and_tight(scene.step(from, to), moved);
  }
}

TEST(MotionOdometer, a_turn_about_the_fields_origin_counts_what_the_field_reaches) {
  for (const double angle : {1e-3, 0.1, 1.0, 3.0}) {
    OnePoint scene(false);
    // The shell circles the field; seen from the shell the field's origin stays where it is.
    const Vector3 origin(3.0, 1.0, -2.0);
    State from = scene.at_rest(), to = from;
    from.rotation = turned({0.0, 0.7, 0.0});
    to.rotation = turned({0.0, 0.0, angle}) * from.rotation;
    from.offset = -(from.rotation * origin);
    to.offset = -(to.rotation * origin);
    expect_safe_and_tight(scene.step(from, to), 2.0 * std::sin(0.5 * angle) * OnePoint::kReach);
  }
}

TEST(MotionOdometer, a_field_that_moves_and_turns_counts_both) {
  // Seen from the shell the field's origin moves along x and its rim, at one place, the same way.
  OnePoint scene(false);
  const double angle = 1.0, along = 0.25;
  State from = scene.at_rest(), to = from;
  from.offset = {-3.0, 1.0, -2.0};
  to.rotation = turned({0.0, 0.0, angle});
  to.offset = to.rotation * (from.offset - Vector3(along, 0.0, 0.0));
  expect_safe_and_tight(scene.step(from, to),
                        along + 2.0 * std::sin(0.5 * angle) * OnePoint::kReach);
}

TEST(MotionOdometer, a_deformed_shell_turns_with_the_lever_that_it_has) {
  for (const double q : {2.0, -2.0}) {
    OnePoint scene(true);
    State from = scene.at_rest(), to = from;
    from.offset = to.offset = {30.0, 0.0, 0.0};
    from.q = to.q = {q};
    to.rotation = turned({0.0, 0.0, 0.5});
    const double lever = OnePoint::kLever + OnePoint::kMode * 2.0;
    expect_safe_and_tight(scene.step(from, to), 2.0 * std::sin(0.25) * lever);
  }
}

TEST(MotionOdometer, deformations_count_what_the_worst_point_moves) {
  OnePoint scene(true, true);
  State from = scene.at_rest(), to = from;
  from.q = {0.5}, to.q = {-0.25};
  expect_safe_and_tight(scene.step(from, to), 0.75 * OnePoint::kMode);
  from = to;
  from.field_q = {0.1, 0.2, -0.3};
  to.field_q = {0.1 + 0.02, 0.2 + 0.03, -0.3 + 0.06};
  expect_safe_and_tight(scene.step(from, to), 0.07);
  // All at once: the sum, which a point in line with all three moves by.
  from = to;
  to.q[0] += 0.5;
  to.field_q[2] += 0.125;
  to.offset.x() += 0.25;
  expect_safe_and_tight(scene.step(from, to), 0.5 * OnePoint::kMode + 0.125 + 0.25);
}

TEST(MotionOdometer, who_stands_still_uses_up_nothing) {
  OnePoint scene(true, true);
  State state = scene.at_rest();
  state.rotation = turned({0.3, 0.2, 0.1});
  state.offset = {1.0, 2.0, 3.0};
  state.q = {0.1};
  scene.advance(state);
  const double reading = scene.odometer->reading();
  for (int cycle = 0; cycle < 100; ++cycle) scene.advance(state);
  EXPECT_EQ(scene.odometer->reading(), reading);
}

TEST(MotionOdometer, a_slack_is_worth_its_length) {
  OnePoint scene(false);
  State state = scene.at_rest();
  state.offset = {5.0, 0.0, 0.0};
  scene.advance(state);
  state.offset.x() += 0.5;
  scene.advance(state);
  const double reading = scene.odometer->reading();
  for (const double slack : {1e-6, 1e-3, 1.0, 100.0}) {
    const double worth = scene.odometer->free_until(slack) - reading;
    EXPECT_LT(worth, slack);
    // A billionth of it, and 1e-12 of the lengths at hand, are kept back for rounding.
    EXPECT_GT(worth, slack * (1.0 - 1e-8) - 2e-11);
  }
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(scene.odometer->free_until(none), reading);
  }
  // What is infinitely far apart is so for a thousand times the bodies' size, not for ever.
  const double farthest = 1e3 * (OnePoint::kLever + OnePoint::kReach);
  const double worth =
      scene.odometer->free_until(std::numeric_limits<double>::infinity()) - reading;
  EXPECT_NEAR(worth, farthest, 1e-5);
}

TEST(MotionOdometer, what_cannot_be_measured_puts_everything_in_question) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int what = 0; what < 5; ++what) {
    OnePoint scene(true, true);
    State good = scene.at_rest();
    good.offset = {5.0, 0.0, 0.0};
    scene.advance(good);
    const auto noted = [&] {
      const double until = scene.odometer->free_until(2.0);
      scene.odometer->note(until);
      EXPECT_GT(until, scene.odometer->reading());
      return until;
    };
    double until = noted();
    State bad = good;
    if (what == 0) bad.offset.y() = nan;
    if (what == 1) bad.rotation(1, 2) = nan;
    if (what == 2) bad.rotation *= 1.0 + 1e-12;
    if (what == 3) bad.q[0] = std::numeric_limits<double>::infinity();
    if (what == 4) bad.field_q[1] = nan;
    scene.advance(bad);
    EXPECT_GE(scene.odometer->reading(), until) << what;
    until = noted();
    scene.advance(good);
    EXPECT_GE(scene.odometer->reading(), until) << what;
    // And after that it measures again.
    until = noted();
    State moved = good;
    moved.offset.x() += 0.5;
    scene.advance(moved);
    EXPECT_LT(scene.odometer->reading(), until) << what;
  }
}

/// Any motions: no point of the shell and of the field's inside come closer by more than it counts.
void check_any_motion(std::uint32_t seed) {
  Random random(seed);
  using Uniform = std::uniform_real_distribution<double>;
  ShellData shell = random_beam(random, 0.8, 0.1, 30);
  const bool deforms = random() % 2 == 0, field_deforms = random() % 2 == 0;
  if (deforms) shell.set_modes(random() % 2 == 0 ? affine_modes() : bending_modes());
  const TreeData tree = flat_tree(shell);
  const PointShell points = shell.view();
  const TraversalLayout layout(points, tree.view());
  const double reach = 0.5, shift = field_deforms ? 0.1 : 0.0;
  const Ball field(reach, field_deforms ? 3 : 0);
  MotionOdometer odometer(layout, field);
  std::vector<Vector3> inside;
  for (int k = 0; k < 30; ++k) inside.push_back((reach - shift) * random_direction(random));
  State state;
  state.q.assign(shell.r, 0.0);
  state.field_q.assign(field.dimension(), 0.0);
  const auto distances = [&] {
    const ModalCoordinates q(state.q);
    Vector3 moved = Vector3::Zero();
    if (field_deforms) moved = {state.field_q[0], state.field_q[1], state.field_q[2]};
    std::vector<double> all;
    for (std::uint32_t s = 0; s < points.size(); ++s) {
      const Vector3 x = state.rotation * points.position(s, q) + state.offset;
      for (const Vector3& y : inside) all.push_back((x - y - moved).norm());
    }
    return all;
  };
  std::vector<double> before;
  double reading = 0.0, most_of_it = 0.0;
  for (int cycle = 0; cycle < 30; ++cycle) {
    const double size = std::exp2(Uniform(-10.0, 1.0)(random));
    if (random() % 3 != 0) state.offset += random_vector(random, size);
    if (random() % 3 != 0) {
      const Matrix3 turn = turned(random_vector(random, size));
      if (random() % 2 == 0) state.offset = turn * state.offset;  // about the field's origin
      state.rotation = turn * state.rotation;
    }
    // Products of rotations lose the odometer's 1e-13 in the end: back onto the nearest one.
    state.rotation = Quaternion(state.rotation).normalized().toRotationMatrix();
    for (double& q : state.q) q = Uniform(-0.2, 0.2)(random);
    for (double& q : state.field_q) q = Uniform(-1.0, 1.0)(random) * shift / 2.0;
    odometer.advance(state.rotation, state.offset, state.q, state.field_q);
    const std::vector<double> now = distances();
    if (cycle > 0) {
      const double counted = odometer.reading() - reading;
      for (std::size_t i = 0; i < now.size(); ++i) {
        RC_ASSERT(before[i] - now[i] <= counted + 1e-12);  // of distances in double precision
        most_of_it = std::max(most_of_it, (before[i] - now[i]) / counted);
      }
    }
    before = now;
    reading = odometer.reading();
  }
  // Some motion brings some pair of points closer by a good part of what is counted.
  RC_ASSERT(most_of_it > 0.3);
}

RC_GTEST_PROP(MotionOdometer, nothing_comes_closer_by_more_than_it_counts, (std::uint32_t seed)) {
  check_any_motion(seed);
}

TEST(MotionOdometer, does_not_allocate) {
  OnePoint scene(true, true);
  State state = scene.at_rest();
  const NoAllocation guard;
  for (int cycle = 0; cycle < 10; ++cycle) {
    state.offset.x() += 0.01;
    scene.odometer->advance(state.rotation, state.offset, state.q, state.field_q);
    scene.odometer->note(scene.odometer->free_until(0.1));
  }
  scene.odometer->forget();
}

}  // namespace
}  // namespace haptic::oracle

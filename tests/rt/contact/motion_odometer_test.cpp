#include "rt/contact/motion_odometer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tests/rt/contact/ball_field.h"
#include "tests/rt/contact/traversal_scene.h"
#include "tests/support/no_allocation.h"

namespace haptic::oracle {
namespace {

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

  explicit OnePoint(bool deforms, bool field_deforms = false, double reach = kReach)
      : field(reach, field_deforms ? 3 : 0) {
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

  BallField field;
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
    // Far from the field's origin, which in the frame of the shell moves by more than the point.
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

TEST(MotionOdometer, a_body_at_rest_adds_nothing) {
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

TEST(MotionOdometer, a_field_without_end_is_bounded_by_the_shell) {
  OnePoint scene(false, false, std::numeric_limits<double>::infinity());
  State from = scene.at_rest(), to = from;
  to.offset = {0.0, 0.0, 0.25};
  expect_safe_and_tight(scene.step(from, to), 0.25);
  from = to;
  to.rotation = turned({0.0, 0.0, 0.5});
  expect_safe_and_tight(scene.step(from, to), 2.0 * std::sin(0.25) * OnePoint::kLever);
}

/// What is kept back of a slack for rounding [m].
double kept_back(const MotionOdometer& odometer, double slack) {
  return slack - (odometer.free_until(slack) - odometer.reading());
}

TEST(MotionOdometer, a_slack_is_worth_its_length_but_for_rounding) {
  OnePoint scene(false);
  State state = scene.at_rest();
  state.offset = {3.0, 0.0, 0.0};
  scene.advance(state);
  state.offset.x() += 0.5;
  scene.advance(state);
  const MotionOdometer& odometer = *scene.odometer;
  // 1e-12 of the lengths at hand, 4 + 0.5 + 3.5 m, and a billionth of the slack.
  for (const double slack : {1e-6, 1e-3, 1.0, 100.0}) {
    EXPECT_NEAR(kept_back(odometer, slack), 8e-12 + 1e-9 * slack, 1e-15 + 1e-14 * slack);
  }
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(odometer.free_until(none), odometer.reading());
  }
  // What is infinitely far apart is so for a thousand times the bodies' size, not for ever.
  const double farthest = 1e3 * (OnePoint::kLever + OnePoint::kReach);
  const double until = odometer.free_until(std::numeric_limits<double>::infinity());
  EXPECT_NEAR(until - odometer.reading(), farthest, 1e-8 * farthest);
  // Far away a position rounds by no more than it does at that distance.
  state.offset.x() = 1e9;
  scene.advance(state);
  EXPECT_LT(kept_back(odometer, 1e-3), 1e-5);
}

TEST(MotionOdometer, a_reading_of_many_metres_keeps_back_what_it_rounds_by) {
  OnePoint scene(false);
  State state = scene.at_rest();
  scene.advance(state);
  state.offset = {0x1p30, 0.0, 0.0};
  scene.advance(state);
  state.offset = {0.0, 0.0, 0.0};
  scene.advance(state);
  // A reading of 2^31 m is known to 2^-22; two such roundings and no more.
  const double kept = kept_back(*scene.odometer, 1e-3);
  EXPECT_GE(kept, 0x1p-21);
  EXPECT_LE(kept, 0x1p-19);
}

TEST(MotionOdometer, a_motion_that_cannot_be_measured_invalidates_the_list) {
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
  const BallField field(reach, field_deforms ? 3 : 0);
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
  for (int cycle = 0; cycle < 60; ++cycle) {
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
  // Some motion brings some pair of points closer by a good part of what is counted. That none of
  // sixty does is rarer than one seed in 100,000.
  RC_ASSERT(most_of_it > 0.2);
}

RC_GTEST_PROP(MotionOdometer, no_point_comes_closer_by_more_than_it_counts, (std::uint32_t seed)) {
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
  scene.odometer->clear_history();
}

}  // namespace
}  // namespace haptic::oracle

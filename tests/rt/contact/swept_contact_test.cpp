#include "rt/contact/swept_contact.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/rt/contact/contact_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kCycle = 1e-3;     // s
constexpr double kHalfPlate = 0.5;  // of its sides [m]

/// A plate across z, `voxels` thick, its middle `offset` voxels above a layer of samples.
FieldData plate_field(double voxels, double offset, std::uint32_t n = 64) {
  const double h = 1.5 / n;
  return sample_field(
      [=](const Vector3& p) {
        return box_distance(p - Vector3(0.0, 0.0, offset * h),
                            {kHalfPlate, kHalfPlate, 0.5 * voxels * h});
      },
      n, 1.5);
}

/// What dense steps through a motion show of all points, by nothing but the field.
struct Passage {
  std::uint32_t crossings = 0;  // out of the plate on the other side than in, away from its rim
  // Most that a point went below -depth or, until it was outside, below its start [m].
  double deepened = 0.0;
};

/// Shell material frame -> field material frame during a motion.
struct Instant {
  Instant(const PointShell& points, const SweptMotion& m, double t)
      : shell(&points), q(std::vector<double>(points.dimension())) {
    std::vector<double> values(points.dimension());
    for (std::size_t j = 0; j < values.size(); ++j) {
      values[j] = m.q_from[j] + t * (m.q_to[j] - m.q_from[j]);
    }
    q.assign(values);
    const Pose of_field = interpolated(m.field_from, m.field_to, t);
    const Pose of_shell = interpolated(m.shell_from, m.shell_to, t);
    const Matrix3 to_field = of_field.orientation.toRotationMatrix().transpose();
    rotation = to_field * of_shell.orientation.toRotationMatrix();
    offset = to_field * (of_shell.position - of_field.position);
  }
  Vector3 operator()(std::uint32_t s) const { return rotation * shell->position(s, q) + offset; }

  const PointShell* shell;
  ModalCoordinates q;
  Matrix3 rotation;
  Vector3 offset;
};

/// Follows all points through motions one after the other; remembers on which side of the plate
/// each was when it was last outside.
class DenseWatch {
 public:
  /// @param middle  height of the plate's middle [m]; @param spacing  of the steps [voxels]
  DenseWatch(const PointShell& shell, const DistanceField& field, double middle, double spacing)
      : shell_(&shell), field_(&field), middle_(middle), spacing_(spacing), side_(shell.size()) {}

  void place(const SweptMotion& m) {
    const Instant at(*shell_, m, 0.0);
    for (std::uint32_t s = 0; s < side_.size(); ++s) side_[s] = at(s).z() - middle_;
  }

  /// @param travel  bound on what any point moves over the whole motion [m]
  Passage follow(const SweptMotion& m, double fraction, double travel, double depth) {
    Passage passage;
    const Instant first(*shell_, m, 0.0);
    std::vector<double> allowed(side_.size());
    for (std::uint32_t s = 0; s < side_.size(); ++s) {
      allowed[s] = std::min(-depth, field_->distance(first(s)));
    }
    const auto steps =
        static_cast<int>(std::ceil(fraction * travel / (spacing_ * field_->edge()))) + 1;
    const double rim = kHalfPlate - 2.0 * field_->edge();
    for (int k = 1; k <= steps; ++k) {
      const Instant at(*shell_, m, fraction * k / steps);
      for (std::uint32_t s = 0; s < side_.size(); ++s) {
        const Vector3 x = at(s);
        const double d = field_->distance(x);
        passage.deepened = std::max(passage.deepened, allowed[s] - d);
        if (d < 0.0) continue;
        // Further outside than a point can be between two instants without being so at one.
        if (d > 0.5 * std::sqrt(3.0) * SweptContact::kStep * field_->edge()) allowed[s] = -depth;
        const bool over = std::abs(x.x()) < rim && std::abs(x.y()) < rim;
        const bool far = (x.z() - middle_) * side_[s] < 0.0;
        if (over && over_[s] && far) ++passage.crossings;
        over_[s] = over;
        side_[s] = x.z() - middle_;
      }
    }
    return passage;
  }

 private:
  const PointShell* shell_;
  const DistanceField* field_;
  double middle_, spacing_;
  std::vector<double> side_;
  std::vector<bool> over_ = std::vector<bool>(side_.size(), false);
};

/// Depth that may appear between two instants of the detection.
double between_instants(const SignedField& field) {
  return (0.5 * std::sqrt(3.0) * SweptContact::kStep + SweptContact::kSlack) * field.edge();
}

/// A ball in the hand over a plate that is anchored, or the other way round.
struct PlateScene {
  PlateScene(double voxels, double offset, HeldSide held = HeldSide::kShell)
      : ball(spiral_sphere(0.12, 300)),
        fixture(ball, nested_tree(ball, {20, 75, 300}), plate_field(voxels, offset)),
        traversal(fixture.traversal({.near_points = true})),
        swept(fixture.shell, fixture.tree, fixture.field),
        held_side(held),
        middle(offset * fixture.field.edge()) {}

  SweptMotion motion(const Pose& to) const {
    SweptMotion m;
    (held_side == HeldSide::kShell ? m.shell_from : m.field_from) = pose;
    (held_side == HeldSide::kShell ? m.shell_to : m.field_to) = to;
    return m;
  }

  ShellData ball;
  ContactFixture fixture;
  ContactTraversal traversal;
  SweptContact swept;
  HeldSide held_side;
  double middle;
  Pose pose;
};

Pose step_from(const Pose& pose, const Vector3& translation, const Vector3& turn) {
  return {pose.position + translation,
          (rotation_exponential(turn) * pose.orientation).normalized()};
}

/// With no touch before the motion, or one with a list of any margin.
enum class Detection : std::uint8_t { kNone, kAlone, kFromTouch };

/// Random steps at one speed, mostly towards the plate from either side; what comes of them.
Passage wander(PlateScene& scene, Random& random, double speed, int cycles, double depth,
               Detection detection) {
  Passage worst;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  DenseWatch watch(scene.fixture.shell, scene.fixture.field, scene.middle, 0.1);
  const double sign = scene.held_side == HeldSide::kShell ? 1.0 : -1.0;
  scene.pose = {sign * Vector3(0.0, 0.0, 0.16), Quaternion::Identity()};
  watch.place(scene.motion(scene.pose));
  for (int cycle = 0; cycle < cycles; ++cycle) {
    Vector3 direction = random_direction(random);
    if (unit(random) < 0.7) {
      // Through the plate, from wherever the body is.
      const Vector3 there(0.5 * unit(random) - 0.25, 0.5 * unit(random) - 0.25,
                          scene.pose.position.z() > 0.0 ? -0.3 : 0.3);
      direction = (there - scene.pose.position).normalized();
    }
    const Vector3 turn = unit(random) < 0.5 ? Vector3(2.0 * unit(random) * random_direction(random))
                                            : Vector3::Zero();
    const SweptMotion m = scene.motion(step_from(scene.pose, speed * kCycle * direction, turn));
    if (detection == Detection::kFromTouch) {
      const double margin = 4.0 * unit(random) * scene.fixture.field.edge();
      scene.traversal.run(m.shell_from, m.field_from, ModalCoordinates(0), {}, margin);
      scene.swept.begin({.near = scene.traversal.near(), .margin = margin});
    }
    const double fraction =
        detection == Detection::kNone ? 1.0 : scene.swept.run(m, depth).fraction;
    const Passage passage = watch.follow(m, fraction, speed * kCycle + 0.5 * turn.norm(), depth);
    worst.crossings += passage.crossings;
    worst.deepened = std::max(worst.deepened, passage.deepened);
    const Pose& from = scene.held_side == HeldSide::kShell ? m.shell_from : m.field_from;
    const Pose& to = scene.held_side == HeldSide::kShell ? m.shell_to : m.field_to;
    scene.pose = interpolated(from, to, fraction);
    if (scene.pose.position.head<2>().norm() > 0.3 || std::abs(scene.pose.position.z()) > 0.4) {
      scene.pose = {{0.0, 0.0, scene.pose.position.z() > 0.0 ? 0.16 : -0.16},
                    Quaternion::Identity()};
      watch.place(scene.motion(scene.pose));
    }
  }
  return worst;
}

void check_plates(Detection detection) {
  Random random(1);
  for (const HeldSide held : {HeldSide::kShell, HeldSide::kField}) {
    for (const auto& [voxels, offset] : {std::pair{2.0, 0.0}, {2.0, 0.5}, {2.5, 0.3}, {3.0, 0.5}}) {
      PlateScene scene(voxels, offset, held);
      const double h = scene.fixture.field.edge();
      for (const double speed : {0.01, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0}) {
        // Permitted are half a voxel, and one: more than the deepest a point can be in some plates.
        const double depth = (speed > 5.0 ? 0.5 : 1.0) * h;
        const Passage p = wander(scene, random, speed, 60, depth, detection);
        EXPECT_EQ(p.crossings, 0u) << voxels << " voxels at " << speed << " m/s";
        EXPECT_LE(p.deepened, between_instants(scene.fixture.field)) << voxels << " at " << speed;
      }
    }
  }
}

TEST(SweptContact, a_thin_plate_is_never_crossed_at_any_speed) {
  check_plates(Detection::kAlone);
}

TEST(SweptContact, a_thin_plate_is_never_crossed_with_listed_points_either) {
  check_plates(Detection::kFromTouch);
}

TEST(SweptContact, without_swept_contact_the_plate_is_crossed) {
  Random random(1);
  PlateScene scene(2.0, 0.5);
  std::uint32_t crossings = 0;
  for (const double speed : {10.0, 100.0}) {
    crossings +=
        wander(scene, random, speed, 40, 0.5 * scene.fixture.field.edge(), Detection::kNone)
            .crossings;
  }
  EXPECT_GT(crossings, 1000u);
}

TEST(SweptContact, a_plate_is_not_crossed_by_pushing_for_a_thousand_cycles) {
  // Small steps that rest on the fold of the distance, with a permitted depth below the plate.
  for (const double offset : {0.0, 0.25, 0.5}) {
    PlateScene scene(2.0, offset);
    scene.pose = {{0.0, 0.0, 0.16}, Quaternion::Identity()};
    const double h = scene.fixture.field.edge();
    for (int cycle = 0; cycle < 1000; ++cycle) {
      const Vector3 aside(1e-3 * h * std::cos(cycle), 1e-3 * h * std::sin(cycle), 0.0);
      const SweptMotion m = scene.motion(
          step_from(scene.pose, aside - Vector3(0.0, 0.0, 0.03 * h), {0.0, 0.0, 0.01}));
      scene.pose = interpolated(m.shell_from, m.shell_to, scene.swept.run(m, 3.0 * h).fraction);
    }
    // The lowest point stays above the middle of the plate, where the side changes.
    EXPECT_GT(scene.pose.position.z() - 0.12, scene.middle - 0.6 * h) << offset;
    EXPECT_LT(scene.pose.position.z() - 0.12, scene.middle + 1.0 * h) << offset;
  }
}

TEST(SweptContact, motion_that_leaves_or_slides_is_not_cut) {
  PlateScene scene(6.0, 0.0);
  const double h = scene.fixture.field.edge(), top = 3.0 * h;
  const auto fraction = [&](double depth, const Vector3& translation, const Vector3& turn) {
    scene.pose = {{0.0, 0.0, top + 0.12 - depth}, Quaternion::Identity()};
    return scene.swept.run(scene.motion(step_from(scene.pose, translation, turn)), h).fraction;
  };
  for (int i = 0; i < 16; ++i) {
    const double a = 0.4 * i;
    const Vector3 along(std::cos(a), std::sin(a), 0.0);
    for (const double length : {0.01, 0.3, 2.0, 8.0}) {
      EXPECT_EQ(fraction(0.5 * h, length * h * along, Vector3::Zero()), 1.0);
      EXPECT_EQ(fraction(0.5 * h, length * h * (along + Vector3::UnitZ()), Vector3::Zero()), 1.0);
      EXPECT_EQ(fraction(1.8 * h, length * h * (along + Vector3::UnitZ()), Vector3::Zero()), 1.0);
    }
    // A ball that turns about its middle stays as deep as it is, up to its points' spacing.
    EXPECT_EQ(fraction(0.5 * h, Vector3::Zero(), 0.5 * along), 1.0);
  }
  // Deeper than permitted: out, along, but not further in.
  EXPECT_EQ(fraction(1.8 * h, {0.0, 0.0, 0.5 * h}, Vector3::Zero()), 1.0);
  EXPECT_EQ(fraction(1.8 * h, {0.5 * h, 0.0, 0.0}, Vector3::Zero()), 1.0);
  EXPECT_LT(fraction(1.8 * h, {0.0, 0.0, -0.5 * h}, Vector3::Zero()), 0.3);
  // From free space to the permitted depth, to within a step.
  const double in = fraction(-h, {0.0, 0.0, -4.0 * h}, Vector3::Zero());
  EXPECT_NEAR(in * 4.0 * h, 2.0 * h, 1.5 * SweptContact::kStep * h);
}

TEST(SweptContact, the_way_through_the_intervals_is_remembered) {
  // Below the top of a thick plate, deeper than permitted; the motion takes many intervals.
  PlateScene scene(12.0, 0.0);
  const double h = scene.fixture.field.edge(), top = 6.0 * h, depth = 0.5 * h;
  // It sinks by less than the slack in each of them, by ten times that in all.
  scene.pose = {{-10.0 * h, 0.0, top + 0.12 - 1.8 * h}, Quaternion::Identity()};
  const Vector3 along(20.0 * h, 0.0, -10.0 * SweptContact::kSlack * h);
  const double sunk =
      scene.swept.run(scene.motion(step_from(scene.pose, along, Vector3::Zero())), depth).fraction;
  EXPECT_LE(sunk, 0.1);

  // Points on an arm rise by a third of their lever, still too deep, and sink to where they began.
  ShellData arm;
  const double lever = 6.0 * h, angle = std::acos(2.0 / 3.0);
  for (const double y : {-h, h}) arm.add({0.0, y, lever}, Vector3::UnitZ());
  const ContactFixture fixture(arm, nested_tree(arm, {2}), plate_field(12.0, 0.0));
  DistanceField field = fixture.field;
  SweptContact swept(fixture.shell, fixture.tree, field);
  const double middle = top - 3.0 * h - lever * std::cos(angle);
  const auto fraction = [&](double further) {
    SweptMotion m;
    m.shell_from = {{0.0, 0.0, middle}, rotation_exponential({0.0, -angle, 0.0})};
    m.shell_to = {{0.0, 0.0, middle}, rotation_exponential({0.0, angle + further, 0.0})};
    return swept.run(m, depth).fraction;
  };
  EXPECT_EQ(fraction(0.0), 1.0);
  // Further than that is cut, to within a step.
  EXPECT_NEAR(fraction(0.4), 2.0 * angle / (2.0 * angle + 0.4), 0.02);
}

TEST(SweptContact, a_side_turns_by_no_more_in_many_intervals_than_in_one) {
  // Through a ball, off its centre, any depth permitted: the side turns by 141 degrees, but by
  // less than 107 in each interval of two voxels, and there is no fold.
  const std::uint32_t n = 64;
  const double h = 1.5 / n;
  ShellData points;
  for (const double y : {-0.1 * h, 0.1 * h}) points.add({0.0, y, 2.0 * h}, Vector3::UnitZ());
  const ContactFixture fixture(
      points, nested_tree(points, {2}),
      sample_field([=](const Vector3& p) { return sphere_distance(p, 6.0 * h); }, n, 1.5));
  DistanceField field = fixture.field;
  SweptContact swept(fixture.shell, fixture.tree, field);
  SweptMotion m;
  m.shell_from.position.x() = -10.0 * h;
  m.shell_to.position.x() = 10.0 * h;
  // In at x = -sqrt(6^2 - 2^2) voxels; at 1.5 behind the middle the cosine of the turn is -0.3.
  EXPECT_NEAR(swept.run(m, 10.0 * h).fraction, 11.5 / 20.0, 0.02);
}

TEST(SweptContact, points_that_begin_on_a_fold_may_leave_along_their_normals_only) {
  // In the middle of a plate two voxels thick the gradient is zero: no side by the field.
  ShellData points;
  for (const double y : {-0.1, 0.1}) points.add({0.0, y, 0.0}, Vector3::UnitZ());
  const ContactFixture fixture(points, nested_tree(points, {2}), plate_field(2.0, 0.5));
  DistanceField field = fixture.field;
  SweptContact swept(fixture.shell, fixture.tree, field);
  const double h = field.edge();
  ASSERT_LT(field.distance_and_gradient({0.0, 0.1, 0.5 * h}).gradient.norm(), 1e-9);
  const auto way = [&](double z) {
    SweptMotion m;
    m.shell_from.position.z() = 0.5 * h;
    m.shell_to.position.z() = 0.5 * h + z * h;
    return swept.run(m, 3.0 * h).fraction * std::abs(z);  // any depth is permitted
  };
  EXPECT_EQ(way(4.0), 4.0);
  // Half a voxel down the gradient points down: refused there, to within a step and where the
  // gradient has length 0.3 (interpolated from 0 at the middle to 1 half a voxel on).
  EXPECT_GT(way(-4.0), 0.1);
  EXPECT_LT(way(-4.0), 0.65);
}

TEST(SweptContact, grazing_an_edge_of_the_plate_is_allowed) {
  // Along the rim, half a voxel of a corner in the way: shallower than permitted, never cut.
  PlateScene scene(8.0, 0.0);
  const double h = scene.fixture.field.edge(), top = 4.0 * h;
  for (int i = 0; i < 20; ++i) {
    const Vector3 from(kHalfPlate + 0.12 - 0.3 * h, 0.01 * i, top + (1.0 + 0.1 * i) * h);
    scene.pose = {from, Quaternion::Identity()};
    const SweptMotion m =
        scene.motion(step_from(scene.pose, {0.0, 0.0, -5.0 * h}, Vector3::Zero()));
    EXPECT_EQ(scene.swept.run(m, 0.5 * h).fraction, 1.0);
  }
}

TEST(SweptContact, far_away_only_the_first_level_is_visited) {
  PlateScene scene(2.0, 0.5);
  scene.pose = {{0.0, 0.0, 3.0}, Quaternion::Identity()};
  const SweptMotion m = scene.motion(step_from(scene.pose, {0.3, 0.2, -1.0}, {0.5, 0.2, 0.1}));
  EXPECT_EQ(scene.swept.run(m, 0.0).fraction, 1.0);
  EXPECT_EQ(scene.swept.visited_nodes(), scene.fixture.tree.level_begin(1));
  EXPECT_EQ(scene.swept.followed_points(), 0u);
}

TEST(SweptContact, work_is_bounded_for_any_motion) {
  PlateScene scene(2.0, 0.5);
  scene.pose = {{0.0, 0.0, 0.3}, Quaternion::Identity()};
  for (const double length : {1.0, 1e3, 1e6, 1e12}) {
    const SweptMotion m = scene.motion(step_from(scene.pose, {0.0, 0.0, -length}, {3.0, 0.0, 0.0}));
    const double fraction = scene.swept.run(m, 0.01).fraction;
    EXPECT_LT(fraction * length, 0.3);
    EXPECT_LE(scene.swept.visited_nodes(), 256u * scene.fixture.tree.node_count());
  }
}

TEST(SweptContact, a_motion_that_is_not_finite_is_not_made) {
  PlateScene scene(2.0, 0.5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  SweptMotion m = scene.motion(Pose{});
  m.shell_to.position.x() = nan;
  EXPECT_EQ(scene.swept.run(m, 0.01).fraction, 0.0);
  m.shell_to.position.x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(scene.swept.run(m, 0.01).fraction, 0.0);
}

/// A square membrane of points that bulges along z, over the plate.
ShellData membrane(std::uint32_t n) {
  ShellData shell;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      shell.add({0.3 * i / (n - 1) - 0.15, 0.3 * j / (n - 1) - 0.15, 0.0}, Vector3::UnitZ());
    }
  }
  const double k = M_PI / 0.3;
  shell.set_modes({{[=](const Vector3& p) -> Vector3 {
                      return {0.0, 0.0, std::cos(k * p.x()) * std::cos(k * p.y())};
                    },
                    [=](const Vector3& p) -> Matrix3 {
                      Matrix3 g = Matrix3::Zero();
                      g(2, 0) = -k * std::sin(k * p.x()) * std::cos(k * p.y());
                      g(2, 1) = -k * std::cos(k * p.x()) * std::sin(k * p.y());
                      return g;
                    }}});
  return shell;
}

TEST(SweptContact, a_membrane_does_not_bulge_through_the_plate) {
  const ShellData shell = membrane(30);
  const ContactFixture scene(shell, nested_tree(shell, {30, 150, 900}), plate_field(2.0, 0.5));
  DistanceField field = scene.field;
  SweptContact swept(scene.shell, scene.tree, field);
  const double h = field.edge(), depth = 0.3 * h;
  const Pose above{{0.0, 0.0, 0.1}, Quaternion::Identity()};
  std::uint32_t unseen = 0;
  DenseWatch watch(scene.shell, field, 0.5 * h, 0.05);
  for (const double bulge : {-0.12, -0.2, -1.0, -20.0}) {
    const std::vector<double> from = {0.0}, to = {bulge};
    const SweptMotion m{above, above, Pose{}, Pose{}, from, to};
    const SweptResult result = swept.run(m, depth);
    watch.place(m);
    const Passage cut = watch.follow(m, result.fraction, std::abs(bulge), depth);
    EXPECT_EQ(cut.crossings, 0u);
    EXPECT_LE(cut.deepened, between_instants(field));
    EXPECT_TRUE(result.stopped);
    EXPECT_NEAR(result.fraction * -bulge, 0.1 - 1.5 * h + depth, 0.3 * h);
    watch.place(m);
    unseen += watch.follow(m, 1.0, std::abs(bulge), depth).crossings;
  }
  EXPECT_GT(unseen, 100u);
  // It swings back out of contact freely.
  const std::vector<double> from = {-0.1 + 1.5 * h - 0.2 * h}, to = {0.05};
  EXPECT_EQ(swept.run({above, above, Pose{}, Pose{}, from, to}, depth).fraction, 1.0);
}

/// A wavy body with thin and thick parts.
FieldData bumpy_field(std::uint32_t n) {
  return sample_field(
      [](const Vector3& p) {
        const double ball = sphere_distance(p, 0.32);
        const double box = box_distance(p - Vector3(0.15, 0.1, 0.3), {0.4, 0.06, 0.25});
        return std::min(ball, box);
      },
      n, 1.6);
}

/// Whether what stopped a motion is there: the point inside a step later, too deep or on another
/// side. @param travel  bound on what any point moves over the whole motion [m]
bool is_refused(const PointShell& shell, const DistanceField& field, const SweptMotion& m,
                const SweptResult& result, double depth, double travel) {
  const auto sample = [&](double t) {
    return field.distance_and_gradient(Instant(shell, m, t)(result.point));
  };
  // As deep as it began it may be until it is outside. The dense steps are 0.01 voxel apart, and
  // may miss by sqrt(3) of half of that an instant at which it is.
  const double spacing = 0.01 * field.edge() / travel;
  double allowed = std::min(-depth, sample(0.0).distance);
  for (double t = 0.0; t <= result.fraction; t += spacing) {
    if (sample(t).distance > -0.009 * field.edge()) allowed = -depth;
  }
  const Vector3 side =
      interpolated(m.field_from, m.field_to, result.fraction).orientation.conjugate() *
      result.outward;
  // The next instant is a step of motion later at the most, in time more the slower the motion. It
  // is not known to the bit: 1/1000 of a step away depth and gradient are the same but for
  // what the detection's slack and 0.01 of the thresholds 0.3 leave.
  const double step = std::min(1.0 - result.fraction, SweptContact::kStep * field.edge() / travel);
  for (int k = 0; k <= 1000; ++k) {
    const SignedField::Sample s = sample(result.fraction + step * k / 1000);
    if (!(s.distance < 0.0)) continue;
    if (s.distance < allowed || s.gradient.norm() < 0.31 ||
        s.gradient.dot(side) < -0.29 * s.gradient.norm()) {
      return true;
    }
  }
  return false;
}

RC_GTEST_PROP(SweptContact, agrees_with_dense_steps, (std::uint32_t seed)) {
  Random random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ShellData shell = random_beam(random, 0.3 + 0.4 * unit(random), 0.05, 300);
  const bool deforms = unit(random) < 0.5;
  if (deforms) shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {10, 60, 300}), bumpy_field(32));
  DistanceField field = scene.field;
  SweptContact swept(scene.shell, scene.tree, field);
  const double h = field.edge(), depth = (0.2 + unit(random)) * h;
  std::normal_distribution<double> normal(0.0, 0.03);
  std::vector<double> from(shell.r), to(shell.r);
  for (int trial = 0; trial < 6; ++trial) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      from[j] = normal(random);
      to[j] = from[j] + normal(random);
    }
    SweptMotion m;
    m.shell_from = random_pose(random, 0.6), m.field_from = random_pose(random, 0.2);
    m.shell_to = step_from(m.shell_from, unit(random) * random_vector(random, 0.3),
                           unit(random) * random_direction(random));
    m.field_to = step_from(m.field_from, unit(random) * random_vector(random, 0.3),
                           unit(random) * random_direction(random));
    m.q_from = from, m.q_to = to;
    const SweptResult result = swept.run(m, depth);
    RC_ASSERT(result.fraction >= 0.0 && result.fraction <= 1.0);
    DenseWatch watch(scene.shell, field, 0.0, 0.05);
    SweptPath path(scene.shell, field);
    RC_ASSERT(path.set(m));
    const Passage cut = watch.follow(m, result.fraction, path.travel(), depth);
    RC_ASSERT(cut.deepened <= between_instants(field));
    if (!result.stopped) continue;
    RC_ASSERT(result.fraction < 1.0);
    RC_ASSERT(is_refused(scene.shell, field, m, result, depth, path.travel()));
    RC_ASSERT(std::abs(result.outward.norm() - 1.0) < 1e-9);
  }
}

TEST(SweptContact, either_side_may_move) {
  // The same relative motion: of the shell, or of the field backwards.
  Random random(5);
  const ShellData shell = random_beam(random, 0.5, 0.05, 400);
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 400}), bumpy_field(32));
  DistanceField field = scene.field;
  SweptContact swept(scene.shell, scene.tree, field);
  int stopped = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Pose at = random_pose(random, 0.7);
    const Vector3 translation = random_vector(random, 0.4);
    SweptMotion of_shell, of_field;
    of_shell.shell_from = of_field.shell_from = of_field.shell_to = at;
    of_shell.shell_to = step_from(at, translation, Vector3::Zero());
    of_field.field_to = step_from(Pose{}, -translation, Vector3::Zero());
    const SweptResult a = swept.run(of_shell, 0.01), b = swept.run(of_field, 0.01);
    EXPECT_EQ(a.fraction, b.fraction);
    EXPECT_EQ(a.stopped, b.stopped);
    stopped += a.stopped ? 1 : 0;
  }
  EXPECT_GT(stopped, 20);
}

TEST(SweptContact, runs_are_independent_and_do_not_allocate) {
  Random random(6);
  ShellData shell = random_beam(random, 0.5, 0.05, 400);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 400}), bumpy_field(32));
  DistanceField field = scene.field;
  SweptContact used(scene.shell, scene.tree, field);
  const std::vector<double> q(shell.r, 0.01), q2(shell.r, -0.02);
  for (int trial = 0; trial < 50; ++trial) {
    SweptMotion m;
    m.shell_from = random_pose(random, 0.6);
    m.shell_to = step_from(m.shell_from, random_vector(random, 0.3), random_direction(random));
    m.q_from = q, m.q_to = q2;
    SweptContact fresh(scene.shell, scene.tree, field);
    const SweptResult a = fresh.run(m, 0.01);
    NoAllocation guard;
    const SweptResult b = used.run(m, 0.01);
    EXPECT_EQ(a.fraction, b.fraction);
    EXPECT_EQ(a.point, b.point);
    EXPECT_EQ(a.outward, b.outward);
  }
}

}  // namespace
}  // namespace haptic

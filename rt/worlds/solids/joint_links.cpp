// The links of the joints in the system of a step.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rt/worlds/solids/joint_servo.h"
#include "rt/worlds/solids/joint_set.h"

namespace haptic::solids {
namespace {

/// Stiffness of a link over the effective mass of its row per step squared. The larger, the fewer
/// solutions close a joint. The solver refines its solutions (ContactSolver), so that the other
/// motions keep their accuracy.
constexpr double kStiffness = 1e8;
/// Of a row, over the largest of the joint: in the published form of a prismatic joint, the row of
/// two columns along a world axis is zero.
constexpr double kMinCompliance = 1e-4;
/// A joint is closed when its errors are below this: of lengths as a multiple of the size of the
/// smaller body, of angles in rad.
constexpr double kClosed = 1e-9;
/// The turn of a body from the centre of its stiffening is small when it is below this [rad]: what
/// is left of the force of the stiffening.
constexpr double kCentred = 1e-6;
/// A joint that is open at the start of a step, as after the hand has been placed, closes at this
/// speed at most.
constexpr double kClosingSpeed = 0.5, kClosingTurn = 5.0;  // m/s, rad/s

/// Added to the diagonal of a joint's compliance, relative.
constexpr double kRedundant = 1e-12;

/// Further turn of a body over the change of its rotation vector t (left Jacobian of the
/// rotations).
Matrix3 rotation_jacobian(const Vector3& t) HAPTIC_REALTIME {
  const double square = t.squaredNorm(), angle = std::sqrt(square);
  const bool small = angle < 1e-3;
  const double a = small ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
  const double b =
      small ? 1.0 / 6.0 - square / 120.0 : (angle - std::sin(angle)) / (square * angle);
  const Matrix3 cross = skew(t);
  return Matrix3::Identity() + a * cross + b * cross * cross;
}

}  // namespace

void JointSet::add_to(ContactSolver& solver) HAPTIC_REALTIME {
  add_tension(solver);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].stiffened = false;
    if (is_awake_[i] != 0) bodies_[i].begin(solver);
  }
  std::array<JointRow, Joint::kMaxRows> rows;
  std::array<double, Joint::kMaxRows> expected, compliances;
  const Matrix3 no_turns[2] = {Matrix3::Identity(), Matrix3::Identity()};
  for (const std::uint32_t j : awake()) {
    State& joint = joints_[j];
    const Vector6 &motion_a = body(joint, 0).placement.expected,
                  &motion_b = body(joint, 1).placement.expected;
    const JointSide &first = joint.ends[0].start(), &second = joint.ends[1].start();
    use_blocks_of(joint, solver);
    const double target = joint.target.value();
    const std::uint32_t size = joint.joint.size();
    joint.joint.rows(first, second, target, rows);
    joint.joint.errors(first.moved(motion_a), second.moved(motion_b), target, expected);
    double largest[2] = {0.0, 0.0};  // compliance, of lengths and of angles
    for (std::uint32_t i = 0; i < size; ++i) {
      compliances[i] = compliance(joint, rows[i]);
      double& of = largest[joint.joint.is_angle(i) ? 1 : 0];
      of = std::max(of, compliances[i]);
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      const JointRow& row = rows[i];
      const double least = kMinCompliance * largest[joint.joint.is_angle(i) ? 1 : 0];
      const double closing = dt_ * (joint.joint.is_angle(i) ? kClosingTurn : kClosingSpeed);
      joint.left[i] = row.error - std::clamp(row.error, -closing, closing);
      const double linear = row.first.dot(motion_a) + row.second.dot(motion_b);
      write(joint, row, no_turns,
            solver.add_link({expected[i] - linear - joint.left[i],
                             kStiffness / std::max(compliances[i], least),
                             std::numeric_limits<double>::infinity()}));
    }
    if (joint.servo) add_servo(joint, std::span(rows).first(size), solver);
  }
}

/// The rows added from here on are those of a joint.
void JointSet::use_blocks_of(State& joint, ContactSolver& solver) HAPTIC_REALTIME {
  std::array<std::uint32_t, RowSupport::kMaxBlocks> blocks{};
  std::size_t count = 0;
  for (const std::size_t k : {0, 1}) count = body(joint, k).add_blocks(blocks, count);
  std::ranges::sort(std::span(blocks).first(count));
  joint.support = &solver.use_blocks(std::span(blocks).first(count));
  joint.first_link = solver.links();
}

/// @param rows  of the joint itself
void JointSet::add_servo(const State& joint, std::span<const JointRow> rows,
                         ContactSolver& solver) HAPTIC_REALTIME {
  const JointRow row = joint.joint.coordinate(joint.ends[0].start(), joint.ends[1].start());
  const ServoSpring spring = servo_spring(*joint.servo, inertia(joint, rows, row), dt_,
                                          joint.coordinate - joint.target.value());
  write(joint, row, {Matrix3::Identity(), Matrix3::Identity()},
        solver.add_link({spring.stretch, spring.stiffness, joint.servo->force_limit}));
}

/// Of both bodies against a servo, while the joint keeps its other coordinates; never more than
/// with all that they are connected to. 0 where a body has another resistance than its mass.
/// @param rows  of the joint itself  @param row  of the servo
double JointSet::inertia(const State& joint, std::span<const JointRow> rows,
                         const JointRow& row) const HAPTIC_REALTIME {
  for (const std::size_t k : {0, 1}) {
    const JointedBody::Placement& place = body(joint, k).placement;
    if (place.first_unknown >= 0 && !place.free) return 0.0;
  }
  const auto compliance = [&](const JointRow& a, const JointRow& b) HAPTIC_REALTIME {
    return body(joint, 0).compliance(a.first, b.first) +
           body(joint, 1).compliance(a.second, b.second);
  };
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Joint::kMaxRows, Joint::kMaxRows> closed(
      size, size);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Joint::kMaxRows, 1> across(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const JointRow& of = rows[static_cast<std::size_t>(i)];
    across[i] = compliance(of, row);
    for (Eigen::Index j = 0; j <= i; ++j) {
      closed(i, j) = closed(j, i) = compliance(of, rows[static_cast<std::size_t>(j)]);
    }
  }
  // The published form of a prismatic joint has rows that depend on the others.
  closed.diagonal() *= 1.0 + kRedundant;
  const double left = compliance(row, row) - across.dot(closed.ldlt().solve(across));
  return left > 0.0 ? dt_ * dt_ / left : 0.0;
}

/// Writes the elements of a row of the solver. @param turns  of both bodies since the start
void JointSet::write(const State& joint, const JointRow& row, const Matrix3 (&turns)[2],
                     std::span<double> to) const HAPTIC_REALTIME {
  for (std::size_t k = 0; k < 2; ++k) {
    const JointedBody::Placement& place = body(joint, k).placement;
    const Vector6& of = k == 0 ? row.first : row.second;
    if (place.first_unknown >= 0) {
      std::copy_n(of.data(), 6, to.begin() + joint.support->offset(place.block));
    }
    if (place.first_change >= 0) {
      joint.ends[k].write_change(
          of, turns[k],
          to.subspan(joint.support->offset(place.change_block) + place.change_before));
    }
  }
}

/// J A^-1 J^T of the bodies' own blocks.
double JointSet::compliance(const State& joint, const JointRow& row) HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    const Vector6& of = k == 0 ? row.first : row.second;
    const JointEnd& end = joint.ends[k];
    end.write_change(of, Matrix3::Identity(), change_);
    sum += bodies_[end.body()].compliance(of, std::span(change_).first(end.dimension()));
  }
  return sum;
}

JointSide JointSet::moved(const State& joint, std::size_t end,
                          const ContactSolver& solver) const HAPTIC_REALTIME {
  return joint.ends[end].moved(body(joint, end).placement, solver.step());
}

void JointSet::find_errors(const ContactSolver& solver) HAPTIC_REALTIME {
  for (const std::uint32_t j : awake()) {
    State& joint = joints_[j];
    const std::span<double> errors = std::span(errors_).subspan(Joint::kMaxRows * j);
    joint.joint.errors(moved(joint, 0, solver), moved(joint, 1, solver), joint.target.value(),
                       errors);
    joint.error = 0.0;
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      errors[i] -= joint.left[i];
      const double length = joint.joint.is_angle(i) ? 1.0 : joint.length;
      joint.error = std::max(joint.error, std::abs(errors[i]) / (kClosed * length));
    }
    for (const std::size_t k : {0, 1}) {
      const JointedBody& of = body(joint, k);
      if (!of.stiffened) continue;
      const Vector3 turn = solver.step().segment<3>(of.placement.first_unknown + 3);
      joint.error = std::max(joint.error, (turn - of.centre).norm() / kCentred);
    }
  }
}

void JointSet::shift(std::uint32_t j, ContactSolver& solver) HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < joints_[j].joint.size(); ++i) {
    solver.shift_link(joints_[j].first_link + i, errors_[Joint::kMaxRows * j + i]);
  }
}

void JointSet::relinearise(std::uint32_t j, ContactSolver& solver) HAPTIC_REALTIME {
  std::array<JointRow, Joint::kMaxRows> rows;
  const State& joint = joints_[j];
  joint.joint.rows(moved(joint, 0, solver), moved(joint, 1, solver), joint.target.value(), rows);
  Vector3 force = Vector3::Zero();
  for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
    force += solver.link_force(joint.first_link + i) * rows[i].second.head<3>();
  }
  Matrix3 turns[2], further[2];
  for (std::size_t k = 0; k < 2; ++k) {
    JointedBody& of = bodies_[joint.ends[k].body()];
    if (!of.relinearised) of.tension.setZero();
    of.relinearised = true;
    add_pull(joint, k, moved(joint, k, solver), force);
    const std::ptrdiff_t first = body(joint, k).placement.first_unknown;
    const Vector3 turn =
        first < 0 ? Vector3(Vector3::Zero()) : Vector3(solver.step().segment<3>(first + 3));
    turns[k] = rotation_exponential(turn).toRotationMatrix();
    further[k] = rotation_jacobian(turn);
  }
  for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
    JointRow& row = rows[i];
    row.first.tail<3>() = further[0].transpose() * row.first.tail<3>();
    row.second.tail<3>() = further[1].transpose() * row.second.tail<3>();
    const std::uint32_t link = joint.first_link + i;
    // The stretch of the solution, with the joint's error, at the same motion.
    const double stretch = solver.link_stretch(link) + errors_[Joint::kMaxRows * j + i];
    write(joint, row, turns, solver.replace_link(link));
    solver.set_link_stretch(link, stretch);
  }
}

/// Linearised about a solution, the joints' forces keep its directions, and the solutions do not
/// converge where the pull is stiffer than the inertia over dt^2. With its stiffness in the matrix,
/// centred about each solution, they do, and the stiffness has no force where they end.
void JointSet::end_relinearising(bool stiffens, ContactSolver& solver) HAPTIC_REALTIME {
  for (JointedBody& body : bodies_) {
    if (!body.relinearised) continue;
    body.relinearised = false;
    if (!body.placement.free || !(stiffens || body.stiffened)) continue;
    const auto first = static_cast<std::uint32_t>(body.placement.first_unknown + 3);
    const Vector3 turn = solver.step().segment<3>(first);
    if (!body.stiffened) {
      Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
      eigen.computeDirect(body.tension);
      body.stiffening = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                        eigen.eigenvectors().transpose();
      solver.add_matrix(first, 1.0, body.stiffening);
      body.centre.setZero();
      body.stiffened = true;
    }
    const Vector3 load = body.stiffening * (turn - body.centre);
    solver.add_load(first, 1.0, {load.data(), 3});
    body.centre = turn;
  }
}

}  // namespace haptic::solids

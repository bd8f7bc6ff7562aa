#include "rt/worlds/solids/joint_set.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/worlds/solids/solids_settings.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Stiffness of a link over the effective mass of its row per step squared. The larger, the fewer
/// solutions close a joint. The solver refines its solutions (ContactSolver), so that the other
/// motions keep their accuracy.
constexpr double kStiffness = 1e8;
/// Of a row, over the largest of the joint: in the published form of a prismatic joint, the row of
/// two columns along a world axis is zero.
constexpr double kLeastCompliance = 1e-4;
/// A joint is closed when its errors are below this: of lengths as a multiple of the size of the
/// smaller body, of angles in rad.
constexpr double kClosed = 1e-9;
/// A joint that is open at the start of a step, as after the hand has been placed, closes at this
/// speed at most.
constexpr double kClosingSpeed = 0.5, kClosingTurn = 5.0;  // m/s, rad/s
/// Stiffness against turns by the pull of the joints, over the inertia per step squared. The steps
/// of a single link are stable up to 4.
constexpr double kLargestTension = 0.25;
constexpr double kTurn = 6.283185307179586;

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

JointSet::JointSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                   double dt)
    : dt_(dt), bodies_(models.size() + 1) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    bodies_[i].placement.pose = scene.bodies[i].pose;
  }
  for (const SceneJoint& scene_joint : solids_settings(scene).joints) {
    const JointSettings& settings = scene_joint.settings;
    const auto refuse = [&](const std::string& found, const char* expected) {
      throw InputError(scene.file.string(), scene_joint.name, found, expected);
    };
    std::size_t of[2];
    double length = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t body = k == 0 ? scene_joint.first : scene_joint.second;
      of[k] = std::min(body, models.size());
      if (of[k] == models.size()) continue;
      if (models[body]->dimension() > 0) {
        refuse(fmt::format("found the body \"{}\", which deforms", scene.bodies[body].name),
               "rigid bodies in a joint");
      }
      if (scene.bodies[body].role == BodyRole::kAnchored) continue;
      length = std::min(length, models[body]->bounding_radius);
    }
    HAPTIC_DEMAND(std::isfinite(length));  // one of them moves
    const Joint joint(settings, bodies_[of[0]].placement.pose, bodies_[of[1]].placement.pose);
    links_ += joint.size() + (settings.servo ? 1 : 0);
    if (settings.has_target()) {
      targets_.push_back(
          {scene_joint.name + ".target", settings.minimum, settings.maximum, joints_.size()});
    }
    joints_.push_back({joint, {of[0], of[1]}, settings.servo, length, ValueRamp(settings.target)});
  }
  errors_.resize(Joint::kMostRows * joints_.size());
}

void JointSet::reset() HAPTIC_REALTIME {
  for (State& joint : joints_) {
    joint.target.finish();
    joint.coordinate = 0.0;
    joint.force.setZero();
  }
}

bool JointSet::set_target(std::size_t i, double value, double over_s) HAPTIC_REALTIME {
  const Target& target = targets_[i];
  if (!(value >= target.minimum && value <= target.maximum)) return false;
  joints_[target.joint].target.set(value, over_s);
  return true;
}

void JointSet::begin() HAPTIC_REALTIME {
  for (State& joint : joints_) {
    joint.target.advance(dt_);
    const Placement& a = bodies_[joint.bodies[0]].placement;
    const Placement& b = bodies_[joint.bodies[1]].placement;
    joint.first = joint.joint.first(a.pose, a.origin);
    joint.second = joint.joint.second(b.pose, b.origin);
    if (!joint.servo) continue;
    const double now = joint.joint.coordinate(joint.first, joint.second).error;
    const double turns =
        joint.joint.is_turning() ? std::round((joint.coordinate - now) / kTurn) : 0.0;
    joint.coordinate = now + turns * kTurn;
  }
}

void JointSet::settle(const ContactSolver& solver) HAPTIC_REALTIME {
  std::array<JointRow, Joint::kMostRows> rows;
  for (State& joint : joints_) {
    joint.joint.rows(joint.first, joint.second, joint.target.value(), rows);
    joint.force.setZero();
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      joint.force += solver.link_force(joint.first_link + i) * rows[i].second.head<3>();
    }
  }
}

/// A body that a joint pulls by f at the arm r resists turns with the stiffness (f . r) I less the
/// symmetric part of r f^T. Forces of the start's directions are explicit in it, and unstable where
/// it exceeds the inertia over dt^2 some times: a light link that carries a heavy load. What is
/// beyond kLargestTension of the inertia is added to it, against changes of the rotation.
void JointSet::add_tension(ContactSolver& solver) HAPTIC_REALTIME {
  for (Body& body : bodies_) body.tension.setZero();
  for (const State& joint : joints_) {
    for (std::size_t k = 0; k < 2; ++k) {
      const JointSide& side = k == 0 ? joint.first : joint.second;
      const Vector3 f = k == 0 ? Vector3(-joint.force) : joint.force;
      const Vector3 r = side.point - side.origin;
      bodies_[joint.bodies[k]].tension +=
          f.dot(r) * Matrix3::Identity() - 0.5 * (r * f.transpose() + f * r.transpose());
    }
  }
  for (const Body& body : bodies_) {
    if (!body.placement.free) continue;
    const std::ptrdiff_t first = body.placement.first_unknown + 3;
    const Matrix3 inertia = solver.matrix().block<3, 3>(first, first);
    const Matrix3 L = inertia.llt().matrixL();
    const Matrix3 inverse = L.inverse();
    Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
    const Matrix3 relative = inverse * body.tension * inverse.transpose();
    eigen.computeDirect(relative);
    const Vector3 beyond = (eigen.eigenvalues().array() - kLargestTension).cwiseMax(0.0);
    if (beyond.isZero(0.0)) continue;
    const Matrix3 root = L * eigen.eigenvectors();
    const Matrix3 added = root * beyond.asDiagonal() * root.transpose();
    solver.matrix().block<3, 3>(first, first) += added;
    solver.load().segment<3>(first) += added * body.placement.expected.tail<3>();
  }
}

void JointSet::add_to(ContactSolver& solver) HAPTIC_REALTIME {
  add_tension(solver);
  for (Body& body : bodies_) {
    if (body.placement.first_unknown < 0) continue;
    // The motions of the origin and about it are not coupled.
    const std::ptrdiff_t first = body.placement.first_unknown;
    const Matrix3 move = solver.matrix().block<3, 3>(first, first);
    const Matrix3 turn = solver.matrix().block<3, 3>(first + 3, first + 3);
    body.compliance.setZero();
    body.compliance.topLeftCorner<3, 3>() = move.inverse();
    body.compliance.bottomRightCorner<3, 3>() = turn.inverse();
  }
  std::array<JointRow, Joint::kMostRows> rows;
  std::array<double, Joint::kMostRows> expected, compliances;
  for (State& joint : joints_) {
    const Body& a = bodies_[joint.bodies[0]];
    const Body& b = bodies_[joint.bodies[1]];
    std::array<std::uint32_t, 2> blocks{};
    std::size_t count = 0;
    for (const Body* body : {&a, &b}) {
      if (body->placement.first_unknown >= 0) blocks[count++] = body->placement.block;
    }
    std::ranges::sort(std::span(blocks).first(count));
    joint.support = &solver.use_blocks(std::span(blocks).first(count));
    joint.first_link = solver.links();
    const double target = joint.target.value();
    const std::uint32_t size = joint.joint.size();
    joint.joint.rows(joint.first, joint.second, target, rows);
    joint.joint.errors(joint.first.moved(a.placement.expected),
                       joint.second.moved(b.placement.expected), target, expected);
    double largest[2] = {0.0, 0.0};  // compliance, of lengths and of angles
    for (std::uint32_t i = 0; i < size; ++i) {
      compliances[i] = compliance(joint, rows[i]);
      double& of = largest[joint.joint.is_angle(i) ? 1 : 0];
      of = std::max(of, compliances[i]);
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      const JointRow& row = rows[i];
      const double least = kLeastCompliance * largest[joint.joint.is_angle(i) ? 1 : 0];
      const double closing = dt_ * (joint.joint.is_angle(i) ? kClosingTurn : kClosingSpeed);
      joint.left[i] = row.error - std::clamp(row.error, -closing, closing);
      const double linear =
          row.first.dot(a.placement.expected) + row.second.dot(b.placement.expected);
      write(joint, row,
            solver.add_link({expected[i] - linear - joint.left[i],
                             kStiffness / std::max(compliances[i], least),
                             std::numeric_limits<double>::infinity()}));
    }
    if (joint.servo) add_servo(joint, solver);
  }
}

/// With the coordinate e + J x at the step's end, -k (e + J x - target) - c J x / dt is the force
/// of one spring.
void JointSet::add_servo(const State& joint, ContactSolver& solver) HAPTIC_REALTIME {
  const ServoSettings& servo = *joint.servo;
  const JointRow row = joint.joint.coordinate(joint.first, joint.second);
  const double stiffness = servo.stiffness + servo.damping / dt_;
  const double stretch = servo.stiffness / stiffness * (joint.coordinate - joint.target.value());
  write(joint, row, solver.add_link({stretch, stiffness, servo.force_limit}));
}

/// Writes the elements of a row of the solver.
void JointSet::write(const State& joint, const JointRow& row,
                     std::span<double> to) const HAPTIC_REALTIME {
  for (std::size_t k = 0; k < 2; ++k) {
    const Placement& body = bodies_[joint.bodies[k]].placement;
    if (body.first_unknown < 0) continue;
    const Vector6& of = k == 0 ? row.first : row.second;
    std::copy_n(of.data(), 6, to.begin() + joint.support->offset(body.block));
  }
}

/// J A^-1 J^T of the bodies' own blocks.
double JointSet::compliance(const State& joint, const JointRow& row) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    const Body& body = bodies_[joint.bodies[k]];
    const Vector6& of = k == 0 ? row.first : row.second;
    if (body.placement.first_unknown >= 0) sum += of.dot(body.compliance * of);
  }
  return sum;
}

JointSide JointSet::moved(const JointSide& side, std::size_t body,
                          const ContactSolver& solver) const HAPTIC_REALTIME {
  const std::ptrdiff_t first = bodies_[body].placement.first_unknown;
  return first < 0 ? side : side.moved(solver.step().segment<6>(first));
}

double JointSet::error(const ContactSolver& solver) HAPTIC_REALTIME {
  double largest = 0.0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const State& joint = joints_[j];
    const std::span<double> errors = std::span(errors_).subspan(Joint::kMostRows * j);
    joint.joint.errors(moved(joint.first, joint.bodies[0], solver),
                       moved(joint.second, joint.bodies[1], solver), joint.target.value(), errors);
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      errors[i] -= joint.left[i];
      const double length = joint.joint.is_angle(i) ? 1.0 : joint.length;
      largest = std::max(largest, std::abs(errors[i]) / (kClosed * length));
    }
  }
  return largest;
}

void JointSet::shift(ContactSolver& solver) HAPTIC_REALTIME {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    for (std::uint32_t i = 0; i < joints_[j].joint.size(); ++i) {
      solver.shift_link(joints_[j].first_link + i, errors_[Joint::kMostRows * j + i]);
    }
  }
}

void JointSet::relinearise(ContactSolver& solver) HAPTIC_REALTIME {
  std::array<JointRow, Joint::kMostRows> rows;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const State& joint = joints_[j];
    joint.joint.rows(moved(joint.first, joint.bodies[0], solver),
                     moved(joint.second, joint.bodies[1], solver), joint.target.value(), rows);
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      JointRow& row = rows[i];
      double linear = 0.0;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::ptrdiff_t first = bodies_[joint.bodies[k]].placement.first_unknown;
        if (first < 0) continue;
        const Vector6 z = solver.step().segment<6>(first);
        Vector6& of = k == 0 ? row.first : row.second;
        of.tail<3>() = rotation_jacobian(z.tail<3>()).transpose() * of.tail<3>();
        linear += of.dot(z);
      }
      const std::uint32_t link = joint.first_link + i;
      const double stretch = solver.link_stretch(link) + errors_[Joint::kMostRows * j + i] - linear;
      write(joint, row, solver.replace_link(link, stretch));
    }
  }
}

}  // namespace haptic

#include "rt/worlds/solids/joint_set.h"

#include <fmt/format.h>

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
constexpr double kTurn = 6.283185307179586;

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

void JointSet::add_to(ContactSolver& solver) HAPTIC_REALTIME {
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
      add_link(joint, row,
               {expected[i] - linear - joint.left[i], kStiffness / std::max(compliances[i], least),
                std::numeric_limits<double>::infinity()},
               solver);
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
  add_link(joint, row, {stretch, stiffness, servo.force_limit}, solver);
}

void JointSet::add_link(const State& joint, const JointRow& row, const ContactSolver::Link& link,
                        ContactSolver& solver) HAPTIC_REALTIME {
  const std::span<double> to = solver.add_link(link);
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

bool JointSet::close(ContactSolver& solver) HAPTIC_REALTIME {
  bool open = false;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const State& joint = joints_[j];
    const std::span<double> errors = std::span(errors_).subspan(Joint::kMostRows * j);
    joint.joint.errors(moved(joint.first, joint.bodies[0], solver),
                       moved(joint.second, joint.bodies[1], solver), joint.target.value(), errors);
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      errors[i] -= joint.left[i];
      const double length = joint.joint.is_angle(i) ? 1.0 : joint.length;
      open = open || std::abs(errors[i]) > kClosed * length;
    }
  }
  if (!open) return false;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    for (std::uint32_t i = 0; i < joints_[j].joint.size(); ++i) {
      solver.shift_link(joints_[j].first_link + i, errors_[Joint::kMostRows * j + i]);
    }
  }
  return true;
}

}  // namespace haptic

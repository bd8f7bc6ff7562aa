#include "rt/worlds/solids/joint_set.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rt/bodies/surface_point.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic::solids {
namespace {

/// Stiffness against turns by the pull of the joints, over the inertia per step squared. The steps
/// of a single link are stable up to 4.
constexpr double kMaxTension = 0.25;
constexpr double kTurn = 6.283185307179586;
/// Largest distance of a joint from the surface of a body that deforms, over the radius of that
/// surface.
constexpr double kMaxGap = 0.02;

/// The point of a joint on a body that deforms.
SurfacePoint point_on(const Scene& scene, std::size_t body, const BodyModel& model,
                      const SceneJoint& joint) {
  const std::string& name = scene.bodies[body].name;
  const Pose& pose = scene.bodies[body].pose;
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(scene.file.string(), joint.name, found, expected);
  };
  if (joint.settings.type != JointType::kBall) {
    refuse(fmt::format("found the body \"{}\", which deforms", name),
           "there type = \"ball\": two such joints make a hinge, three a rigid connection");
  }
  SurfacePoint point =
      nearest_surface_point(*model.file, model.dimension(), pose.to_material(joint.settings.point));
  if (!(point.distance <= kMaxGap * point.radius)) {
    const Vector3 nearest = pose.to_world(point.nearest);
    refuse(fmt::format("found its point {:.3g} m from the surface of \"{}\", which deforms",
                       point.distance, name),
           fmt::format("a point on it, such as [{:.6g}, {:.6g}, {:.6g}]", nearest.x(), nearest.y(),
                       nearest.z()));
  }
  return point;
}

/// The operator would move the target and enable the device at once.
void check_button(const Scene& scene, const SceneJoint& joint) {
  const auto& button = joint.settings.button;
  if (!button || (scene.limits.enable_buttons >> button->button & 1u) == 0) return;
  throw InputError(
      scene.file.string(), joint.name,
      fmt::format("found button {}, which must be held to run the device", button->button),
      "another button");
}

}  // namespace

JointSet::JointSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                   double dt)
    : dt_(dt) {
  const std::vector<SceneJoint>& scene_joints = solids_settings(scene).joints;
  std::uint32_t widest = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const bool is_jointed = std::ranges::any_of(scene_joints, [&](const SceneJoint& joint) {
      return joint.first == i || joint.second == i;
    });
    const std::uint32_t r = is_jointed ? models[i]->dimension() : 0;
    widest = std::max(widest, r);
    bodies_.emplace_back(r);
    bodies_.back().placement.pose = scene.bodies[i].pose;
  }
  bodies_.emplace_back();
  for (const SceneJoint& scene_joint : scene_joints) {
    const JointSettings& settings = scene_joint.settings;
    double length = std::numeric_limits<double>::infinity();
    std::vector<JointEnd> ends;
    for (const std::size_t body : {scene_joint.first, scene_joint.second}) {
      if (body >= models.size()) {
        ends.emplace_back(models.size(), Eigen::Matrix3Xd(3, 0));
        continue;
      }
      const BodyModel& model = *models[body];
      bool moves = scene.bodies[body].role != BodyRole::kAnchored;
      Eigen::Matrix3Xd displacement(3, 0);
      if (model.dimension() > 0) {
        SurfacePoint point = point_on(scene, body, model, scene_joint);
        moves = moves || point.moves();
        displacement = std::move(point.displacement);
      }
      ends.emplace_back(body, std::move(displacement));
      if (moves) length = std::min(length, model.bounding_radius);
    }
    if (!std::isfinite(length)) {
      const auto name = [&](std::size_t body) {
        return body < models.size() ? scene.bodies[body].name : "world";
      };
      throw InputError(scene.file.string(), scene_joint.name,
                       fmt::format("found \"{}\" and \"{}\", which do not move there",
                                   name(scene_joint.first), name(scene_joint.second)),
                       "a free body, the held body, or a point that deforms");
    }
    check_button(scene, scene_joint);
    const Joint joint(settings, bodies_[ends[0].body()].placement.pose,
                      bodies_[ends[1].body()].placement.pose);
    links_ += joint.size() + (settings.servo ? 1 : 0);
    if (settings.has_target()) {
      targets_.push_back(
          {scene_joint.name + ".target", settings.minimum, settings.maximum, joints_.size()});
    }
    joints_.push_back({joint,
                       {ends[0], ends[1]},
                       settings.servo,
                       length,
                       settings.button,
                       ValueRamp(settings.target),
                       settings.target});
  }
  errors_.resize(Joint::kMaxRows * joints_.size());
  change_.resize(widest);
  awake_.resize(joints_.size());
  is_awake_.resize(bodies_.size());
  leave_out(std::vector<char>(models.size(), 0));
}

void JointSet::reset() HAPTIC_REALTIME {
  for (State& joint : joints_) {
    joint.is_pressed = joint.is_driven = false;
    joint.target.set(joint.set_target, 0.0);
    joint.target.finish();
    joint.coordinate = 0.0;
    joint.force.setZero();
  }
}

bool JointSet::set_target(std::size_t i, double value, double over_s) HAPTIC_REALTIME {
  const Target& target = targets_[i];
  if (!(value >= target.minimum && value <= target.maximum)) return false;
  State& joint = joints_[target.joint];
  joint.set_target = value;
  if (!joint.is_pressed) joint.target.set(value, over_s);
  return true;
}

void JointSet::follow_button(State& joint) HAPTIC_REALTIME {
  if (!joint.button) return;
  const TargetButton& button = *joint.button;
  const bool pressed = (buttons_ >> button.button & 1u) != 0;
  if (pressed == joint.is_pressed) return;
  joint.is_pressed = pressed;
  const double target = pressed ? button.target : joint.set_target;
  joint.target.set(target, std::abs(target - joint.target.value()) / button.speed);
}

void JointSet::advance_targets() HAPTIC_REALTIME {
  for (State& joint : joints_) {
    follow_button(joint);
    joint.is_driven = joint.target.advance(dt_);
  }
}

void JointSet::leave_out(std::span<const char> still) HAPTIC_REALTIME {
  std::ranges::fill(is_awake_, 0);
  awake_count_ = 0;
  for (std::uint32_t j = 0; j < joints_.size(); ++j) {
    const auto ends = bodies(j);
    const auto moves = [&](std::size_t body)
                           HAPTIC_REALTIME { return body < still.size() && still[body] == 0; };
    if (!moves(ends[0]) && !moves(ends[1])) continue;
    awake_[awake_count_++] = j;
    for (const std::size_t body : ends) is_awake_[body] = 1;
  }
}

void JointSet::begin() HAPTIC_REALTIME {
  for (const std::uint32_t j : awake()) {
    State& joint = joints_[j];
    const JointedBody::Placement &a = body(joint, 0).placement, &b = body(joint, 1).placement;
    joint.ends[0].begin(joint.joint.first(a.pose, a.origin), a);
    joint.ends[1].begin(joint.joint.second(b.pose, b.origin), b);
    if (!joint.servo) continue;
    const double now = joint.joint.coordinate(joint.ends[0].start(), joint.ends[1].start()).error;
    const double turns =
        joint.joint.is_turning() ? std::round((joint.coordinate - now) / kTurn) : 0.0;
    joint.coordinate = now + turns * kTurn;
  }
}

void JointSet::settle(const ContactSolver& solver) HAPTIC_REALTIME {
  std::array<JointRow, Joint::kMaxRows> rows;
  for (const std::uint32_t j : awake()) {
    State& joint = joints_[j];
    joint.joint.rows(joint.ends[0].start(), joint.ends[1].start(), joint.target.value(), rows);
    joint.force.setZero();
    for (std::uint32_t i = 0; i < joint.joint.size(); ++i) {
      joint.force += solver.link_force(joint.first_link + i) * rows[i].second.head<3>();
    }
  }
}

void JointSet::add_pull(const State& joint, std::size_t end, const JointSide& side,
                        const Vector3& force_on_second) HAPTIC_REALTIME {
  const Vector3 f = end == 0 ? Vector3(-force_on_second) : force_on_second;
  const Vector3 r = side.point - side.origin;
  bodies_[joint.ends[end].body()].tension +=
      f.dot(r) * Matrix3::Identity() - 0.5 * (r * f.transpose() + f * r.transpose());
}

/// A body that a joint pulls by f at the arm r resists turns with the stiffness (f . r) I less the
/// symmetric part of r f^T. Forces of the start's directions are explicit in it, and unstable where
/// it exceeds the inertia over dt^2 some times: a light link that carries a heavy load. What is
/// beyond kMaxTension of the inertia is added to it, against changes of the rotation.
void JointSet::add_tension(ContactSolver& solver) HAPTIC_REALTIME {
  for (JointedBody& body : bodies_) body.tension.setZero();
  for (const std::uint32_t j : awake()) {
    const State& joint = joints_[j];
    for (const std::size_t k : {0, 1}) add_pull(joint, k, joint.ends[k].start(), joint.force);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const JointedBody& body = bodies_[i];
    if (is_awake_[i] == 0 || !body.placement.free) continue;
    const std::ptrdiff_t first = body.placement.first_unknown + 3;
    const Matrix3 inertia = solver.matrix().block<3, 3>(first, first);
    const Matrix3 L = inertia.llt().matrixL();
    const Matrix3 inverse = L.inverse();
    Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
    const Matrix3 relative = inverse * body.tension * inverse.transpose();
    eigen.computeDirect(relative);
    const Vector3 beyond = (eigen.eigenvalues().array() - kMaxTension).cwiseMax(0.0);
    if (beyond.isZero(0.0)) continue;
    const Matrix3 root = L * eigen.eigenvectors();
    const Matrix3 added = root * beyond.asDiagonal() * root.transpose();
    solver.matrix().block<3, 3>(first, first) += added;
    solver.load().segment<3>(first) += added * body.placement.expected.tail<3>();
  }
}

}  // namespace haptic::solids

#include "lab/multibody/linearized_stepper.h"

#include <Eigen/LU>
#include <array>
#include <chrono>

#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The scene with contacts whose search gives the normals of the points, without friction.
Scene with_normals_of_points(Scene scene) {
  for (solids::SceneContact& contact : solids::edit_solids(scene).contacts) {
    contact.normals = ContactNormals::kShell;
    contact.settings.friction = {};
    contact.settings.damping = 0.0;
  }
  return scene;
}

}  // namespace

LinearizedStepper::LinearizedStepper(const Scene& scene, PairGradient gradient, double damping)
    : world_(with_normals_of_points(scene), nullptr),
      gradient_(gradient),
      damping_(damping),
      h_(1.0 / scene.rate_hz),
      gravity_(scene.gravity) {
  for (solids::ContactSet::Pair& pair : world_.contacts().pairs())
    pair.contact.set_end_of_step(false);
  Eigen::Index unknowns = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    poses_.push_back(body.pose);
    motions_.push_back({.pose = body.pose});
    Body& added = bodies_.emplace_back();
    added.state.centre = body.pose.position;
    if (body.role != BodyRole::kFree) continue;
    if (world_.model(i).dimension() > 0) {
      throw InputError(scene.file.string(), body.name, "found a free body that deforms",
                       "rigid free bodies");
    }
    const RigidMass mass = read_rigid_mass(*world_.model(i).file);
    added.properties = {mass.mass, mass.centre, mass.inertia};
    added.state.centre = body.pose.to_world(mass.centre);
    added.state.orientation = body.pose.orientation;
    added.state.momentum = mass.mass * body.velocity.linear;
    const Matrix3 R = body.pose.orientation.toRotationMatrix();
    added.state.angular_momentum = R * mass.inertia * R.transpose() * body.velocity.angular;
    added.first = unknowns;
    unknowns += 6;
  }
  system_.resize(unknowns, unknowns);
  load_.resize(unknowns);
}

void LinearizedStepper::add_pair(const solids::ContactSet::Pair& pair,
                                 const std::vector<PairBody>& bodies,
                                 const std::vector<MomentumKinematics>& at) {
  const std::array<std::size_t, 2> ends = {pair.field, pair.points};
  const SignedField& field = *world_.model(pair.field).field;
  const Pose& of_field = motions_[pair.field].pose;
  PairWrench wrench;
  for (const Contact& contact : pair.contact.contacts()) {
    const Vector3 gradient =
        field.distance_and_gradient(of_field.to_material(contact.position)).gradient;
    wrench.add({.position = contact.position,
                .normal = contact.normal,
                .gradient = of_field.orientation * gradient,
                .distance = -contact.depth,
                .stiffness = contact.stiffness,
                .damping = damping_},
               bodies[pair.field], bodies[pair.points], gradient_);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Body& row = bodies_[ends[i]];
    if (row.first < 0) continue;
    load_.segment<6>(row.first) += h_ * wrench.value[i];
    if (gradient_ == PairGradient::kNone) continue;
    for (std::size_t j = 0; j < 2; ++j) {
      const Body& column = bodies_[ends[j]];
      if (column.first < 0) continue;
      const MomentumKinematics& of = at[ends[j]];
      const Matrix6 &pose = wrench.by_pose[i][j], &velocity = wrench.by_velocity[i][j];
      const Eigen::Matrix<double, 6, 3> by_turn = pose.rightCols<3>() * of.turn();
      load_.segment<6>(row.first) += h_ * h_ * (pose.leftCols<3>() * of.v() + by_turn * of.w());
      auto block = system_.block<6, 6>(row.first, column.first);
      block.leftCols<3>() -=
          (h_ / column.properties.mass) * (velocity.leftCols<3>() + h_ * pose.leftCols<3>());
      block.rightCols<3>() -= h_ * (velocity.rightCols<3>() + h_ * by_turn) * of.inverse_inertia();
    }
  }
}

bool LinearizedStepper::step() {
  auto start = std::chrono::steady_clock::now();
  std::vector<MomentumKinematics> at;
  std::vector<PairBody> bodies;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (body.first < 0) {
      bodies.push_back({.centre = body.state.centre});
      at.emplace_back(RigidProperties{1.0, Vector3::Zero(), Matrix3::Identity()}, body.state, h_);
      continue;
    }
    at.emplace_back(body.properties, body.state, h_);
    bodies.push_back({body.state.centre, at[i].v(), at[i].w(), at[i].w_by_turn()});
    motions_[i].pose = poses_[i];
  }
  world_.contacts().touch(motions_);
  report_ = {seconds_since(start), 0.0, 0};

  start = std::chrono::steady_clock::now();
  system_.setIdentity();
  for (const Body& body : bodies_) {
    if (body.first < 0) continue;
    load_.segment<3>(body.first) = h_ * body.properties.mass * gravity_;
    load_.segment<3>(body.first + 3).setZero();
  }
  for (const solids::ContactSet::Pair& pair : world_.pairs()) {
    if (pair.contact.contacts().empty()) continue;
    report_.contacts += static_cast<std::uint32_t>(pair.contact.contacts().size());
    add_pair(pair, bodies, at);
  }
  if (gradient_ != PairGradient::kNone) load_ = system_.partialPivLu().solve(load_).eval();
  if (!load_.allFinite()) return false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (body.first < 0) continue;
    const Vector3 dP = load_.segment<3>(body.first), dL = load_.segment<3>(body.first + 3);
    if (h_ * (at[i].w() + at[i].inverse_inertia() * dL).norm() > FreeBody::kMaxRotation) {
      return false;
    }
    body.state = at[i].end(dP, dL);
    poses_[i].orientation = body.state.orientation;
    poses_[i].position = body.state.centre - body.state.orientation * body.properties.centre;
  }
  report_.solve_seconds = seconds_since(start);
  return true;
}

double LinearizedStepper::energy() const {
  double sum = 0.0;
  for (const Body& body : bodies_) {
    if (body.first < 0) continue;
    sum += kinetic_energy(body.properties, body.state) -
           body.properties.mass * gravity_.dot(body.state.centre);
  }
  return sum;
}

Vector3 LinearizedStepper::momentum(std::size_t body) const {
  return bodies_[body].state.momentum;
}

}  // namespace haptic

#include "tests/rt/worlds/chain/chain_world.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/body_blocks.h"

namespace haptic {
namespace {

const Vector3 kGravity(0.0, -9.81, 0.0);

StateLayout layout_of(std::size_t bodies, std::uint32_t masses) {
  std::vector<StateBlock> blocks = body_blocks(bodies, 0);
  blocks.push_back({.name = "chain/end",
                    .unit = "m and 1",
                    .meaning = "last mass; x axis along the last spring",
                    .shape = {7},
                    .display = StateDisplay::kPose});
  blocks.push_back(
      {.name = "chain/energy", .unit = "J", .meaning = "kinetic and elastic energy of the chain"});
  blocks.push_back({.name = "chain/position",
                    .unit = "m",
                    .meaning = "masses, world",
                    .shape = {masses, 3},
                    .display = StateDisplay::kVertices,
                    .rate = StateRate::kDisplay});
  return StateLayout(std::move(blocks));
}

}  // namespace

ChainWorld::ChainWorld(const Scene& scene, const ChainSettings& settings)
    : settings_(settings),
      dt_(1.0 / scene.rate_hz),
      held_(scene.held_body()),
      layout_(layout_of(scene.bodies.size(), settings.masses)),
      positions_(settings.masses, Vector3::Zero()),
      velocities_(settings.masses, Vector3::Zero()),
      forces_(settings.masses, Vector3::Zero()),
      body_poses_(7 * scene.bodies.size()),
      position_values_(3 * std::size_t{settings.masses}) {
  coupling_.home = scene.bodies[held_].pose;
  coupling_.length_scale = scene.length_scale;
  coupling_.stiffness = scene.coupling.stiffness;
  coupling_.rotational_stiffness = scene.coupling.rotational_stiffness;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    BodyInfo info;
    info.name = scene.bodies[b].name;
    info.model_path = text_of(scene.bodies[b].model);
    info.held = b == held_;
    bodies_.push_back(info);
    write_pose(scene.bodies[b].pose, std::span(body_poses_).subspan(7 * b).first<7>());
  }
  hang_from(coupling_.home.position);
  publish_state(coupling_.home);
}

Vector3 ChainWorld::position(std::size_t mass) const {
  return positions_[mass];
}

void ChainWorld::hang_from(const Vector3& top) HAPTIC_REALTIME {
  // Each spring carries the masses below it.
  double height = top.y();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double below = static_cast<double>(positions_.size() - i) * settings_.mass;
    height -= settings_.rest_length - below * kGravity.y() / settings_.stiffness;
    positions_[i] = Vector3(top.x(), height, top.z());
    velocities_[i] = Vector3::Zero();
  }
}

Vector3 ChainWorld::spring(std::size_t i, const Vector3& above,
                           const Vector3& above_velocity) const HAPTIC_REALTIME {
  const Vector3 along = positions_[i] - above;
  const double length = along.norm();
  if (length < 1e-9) return Vector3::Zero();
  const Vector3 direction = along / length;
  const double rate = direction.dot(velocities_[i] - above_velocity);
  return -(settings_.stiffness * (length - settings_.rest_length) + settings_.damping * rate) *
         direction;
}

void ChainWorld::advance(const Vector3& top, double dt) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    forces_[i] = settings_.mass * kGravity - settings_.air_drag * velocities_[i];
  }
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Vector3 force =
        i == 0 ? spring(0, top, Vector3::Zero()) : spring(i, positions_[i - 1], velocities_[i - 1]);
    forces_[i] += force;
    if (i > 0) forces_[i - 1] -= force;
  }
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    velocities_[i] += dt / settings_.mass * forces_[i];
    positions_[i] += dt * velocities_[i];
  }
}

WorldStatus ChainWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  output = WorldOutput{};
  output.manipulandum_pose = coupling_.manipulandum(hand.pose);
  const Vector3 wanted = output.manipulandum_pose.position;
  if (!wanted.allFinite()) return WorldStatus::kNotFinite;
  if (!placed_) {
    hang_from(wanted);
    placed_ = true;
  }
  // k_VC (wanted - held) = force that the first spring takes from the held body.
  const Vector3 pull = spring(0, wanted, Vector3::Zero());
  Pose held = output.manipulandum_pose;
  held.position -= pull / (coupling_.stiffness + settings_.stiffness);

  const double stable = 0.1 / (2.0 * std::sqrt(settings_.stiffness / settings_.mass));
  const int substeps = static_cast<int>(std::clamp(std::ceil(dt_ / stable), 1.0, 1000.0));
  for (int i = 0; i < substeps; ++i) advance(held.position, dt_ / substeps);

  output.held_pose = held;
  output.device_wrench = coupling_.wrench(output.manipulandum_pose, {}, held, {});
  output.stored_energy_J = coupling_.stored(output.manipulandum_pose, held);
  output.contact_wrench.force = -spring(0, held.position, Vector3::Zero());
  publish_state(held);
  const bool finite = std::all_of(positions_.begin(), positions_.end(),
                                  [](const Vector3& p) { return p.allFinite(); });
  return finite ? WorldStatus::kOk : WorldStatus::kDiverged;
}

void ChainWorld::publish_state(const Pose& held) HAPTIC_REALTIME {
  write_pose(held, std::span(body_poses_).subspan(7 * held_).first<7>());
  Vector3 above = held.position;
  double energy = 0.0;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      position_values_[3 * i + k] = positions_[i][static_cast<Eigen::Index>(k)];
    }
    const double stretch = (positions_[i] - above).norm() - settings_.rest_length;
    energy += 0.5 * settings_.stiffness * stretch * stretch +
              0.5 * settings_.mass * velocities_[i].squaredNorm();
    if (i + 1 < positions_.size()) above = positions_[i];
  }
  energy_[0] = energy;
  Pose end;
  end.position = positions_.back();
  const Vector3 along = positions_.back() - above;
  if (along.norm() > 1e-9) {
    end.orientation = smallest_rotation(Vector3::UnitX(), along);
  }
  write_pose(end, end_pose_);
}

void ChainWorld::reset() HAPTIC_REALTIME {
  placed_ = false;
}

std::span<const double> ChainWorld::state(std::size_t block) const HAPTIC_REALTIME {
  switch (block) {
    case 0:
      return body_poses_;
    case 2:
      return end_pose_;
    case 3:
      return energy_;
    case 4:
      return position_values_;
    default:  // bodies/coordinates: no body deforms
      return {};
  }
}

bool ChainWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  const Parameter& range = kParameters[0];
  if (index != 0 || !(value >= range.minimum && value <= range.maximum)) return false;
  settings_.stiffness = value;
  return true;
}

}  // namespace haptic

#include "bench/voxmap_pointshell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "rt/geometry/point_shell.h"

namespace haptic {

VoxmapPointshell::VoxmapPointshell(const PointShell& shell, const Voxmap& map,
                                   const VoxmapSettings& settings)
    : shell_(&shell), map_(&map), settings_(settings), q_(shell.dimension()) {
  if (shell.dimension() != 0) settings_.two_levels = settings_.sleep = false;
  order_.resize(shell.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (settings_.two_levels) make_groups();
  point_wake_.assign(shell.size(), 0);
  group_wake_.assign(groups(), 0);
}

/// The coarse shell: points in one cube of a block's size are a group.
void VoxmapPointshell::make_groups() {
  const double side = Voxmap::kBlock * map_->edge();
  std::map<std::array<std::int64_t, 3>, std::vector<std::uint32_t>> cubes;
  for (std::uint32_t s = 0; s < shell_->size(); ++s) {
    const Vector3 at = shell_->rest_position(s) / side;
    cubes[{std::llround(std::floor(at.x())), std::llround(std::floor(at.y())),
           std::llround(std::floor(at.z()))}]
        .push_back(s);
  }
  order_.clear();
  group_begin_ = {0};
  for (const auto& [cube, members] : cubes) {
    Vector3 centre = Vector3::Zero();
    for (std::uint32_t s : members) centre += shell_->rest_position(s);
    centre /= static_cast<double>(members.size());
    double radius = 0.0;
    for (std::uint32_t s : members) {
      radius = std::max(radius, (shell_->rest_position(s) - centre).norm());
    }
    order_.insert(order_.end(), members.begin(), members.end());
    group_begin_.push_back(static_cast<std::uint32_t>(order_.size()));
    group_centre_.push_back(centre);
    group_radius_.push_back(radius);
  }
}

void VoxmapPointshell::clear_history() {
  std::fill(point_wake_.begin(), point_wake_.end(), 0);
  std::fill(group_wake_.begin(), group_wake_.end(), 0);
  moved_ = false;
}

std::uint32_t VoxmapPointshell::wake(double clearance) const {
  if (!settings_.sleep || settings_.travel <= 0.0) return cycle_;
  const double cycles = std::clamp(clearance / settings_.travel, 0.0, 1e6);
  return cycle_ + std::max(1u, static_cast<std::uint32_t>(cycles));
}

const VoxmapContact& VoxmapPointshell::evaluate(const Pose& shell_pose, const Pose& field_pose,
                                                std::span<const double> q) {
  ++cycle_;
  result_ = {};
  force_ = torque_ = pulse_ = Vector3::Zero();
  pulse_power_ = 0.0;
  q_.assign(q);
  const Matrix3 to_field = field_pose.orientation.toRotationMatrix().transpose();
  to_field_ = {to_field * shell_pose.orientation.toRotationMatrix(),
               to_field * (shell_pose.position - field_pose.position)};
  if (!settings_.two_levels) {
    for (std::uint32_t at = 0; at < order_.size(); ++at) look_at(at);
  }
  for (std::uint32_t g = 0; g < groups(); ++g) {
    if (group_wake_[g] > cycle_) continue;
    ++result_.looked_up;
    const Voxmap::Cell cell = map_->locate(to_field_(group_centre_[g]));
    const double clearance = std::max(cell.outside, map_->block_clearance(cell)) - group_radius_[g];
    group_wake_[g] = wake(clearance);
    if (clearance > 0.0) continue;
    for (std::uint32_t at = group_begin_[g]; at < group_begin_[g + 1]; ++at) look_at(at);
  }
  before_ = to_field_;
  moved_ = true;

  const std::uint32_t l = result_.contacts, L = settings_.scaling_count;
  const double scale = l > L ? static_cast<double>(L) / l : 1.0;
  const Matrix3 to_world = to_field.transpose();
  result_.on_field.force = to_world * (-scale * force_);
  result_.on_field.torque = to_world * (-scale * torque_);
  if (pulse_power_ > 0.0) {
    const double speed = pulse_.norm() > 0.0 ? pulse_power_ / pulse_.norm() : 0.0;
    const double b = 0.5 * settings_.mass * speed * speed / (settings_.dt * pulse_power_);
    result_.braking = to_world * (-b * pulse_);
  }
  return result_;
}

void VoxmapPointshell::look_at(std::uint32_t at) {
  if (point_wake_[at] > cycle_) return;
  ++result_.looked_up;
  const std::uint32_t point = order_[at];
  const Vector3 p = to_field_(shell_->position(point, q_));
  const Voxmap::Cell cell = map_->locate(p);
  const std::uint8_t code = cell.outside > 0.0 ? std::uint8_t{Voxmap::kFree} : map_->code(cell);
  point_wake_[at] = wake(std::max(cell.outside, map_->clearance(map_->code(cell))));
  if (code == Voxmap::kSurface) press(point, p, cell);
  if (code == Voxmap::kInterior) ++result_.interior;
  if (code == Voxmap::kProximity && settings_.mass > 0.0 && moved_) brake(point, p);
}

void VoxmapPointshell::press(std::uint32_t point, const Vector3& p, const Voxmap::Cell& cell) {
  const Vector3 n = to_field_.rotation * shell_->normal(point, q_);
  const double depth = (map_->centre(cell) - p).dot(n);
  if (!(depth > 0.0)) return;
  const Vector3 force = settings_.stiffness * depth * n;
  force_ += force;
  torque_ += p.cross(force);
  ++result_.contacts;
}

void VoxmapPointshell::brake(std::uint32_t point, const Vector3& p) {
  const Vector3 velocity = (p - before_(shell_->position(point, q_))) / settings_.dt;
  const Vector3 n = to_field_.rotation * shell_->normal(point, q_);
  const double approach = -velocity.dot(n);
  if (approach <= settings_.braking_speed) return;
  pulse_ += approach * n;
  pulse_power_ += approach * approach;
}

double VoxmapPointshell::travel_fraction(const Vector3& dx, const Vector3& dw, double reach,
                                         double travel) {
  const double farthest = dx.norm() + dw.norm() * reach;
  return farthest > travel ? travel / farthest : 1.0;
}

}  // namespace haptic

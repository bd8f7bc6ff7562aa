#include "rt/contact/contact_pair.h"

#include <algorithm>

#include "rt/contact/field_normal.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"

namespace haptic {
ContactPair::ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
                         const ContactSettings& settings, HeldSide held,
                         std::span<const float> area_weights)
    : shell_(&shell),
      field_(&field),
      held_(held),
      traversal_(shell, tree, field, settings.traversal),
      law_(shell, tree, field, settings, held, area_weights),
      level_forces_(shell, tree, field, settings, held, area_weights),
      fade_(settings.traversal.degradation.fade_cycles, tree.level_count(), shell.dimension(),
            field.dimension()),
      q_(shell.dimension()),
      shell_force_(shell.dimension()),
      field_force_(field.dimension()) {}

const ContactResult& ContactPair::evaluate(const BodyMotion& shell,
                                           const BodyMotion& field) HAPTIC_REALTIME {
  q_.assign(shell.q);
  const auto touching = traversal_.run(shell.pose, field.pose, q_, field.q, margin_);
  law_.apply(shell, field, q_, touching, traversal_.level());
  take_result();
  if (traversal_.warm_nodes() != 0 || fade_.limited()) {
    fade(shell, field, touching);
  } else {
    fade_.clear_history();
  }
  return result_;
}

std::size_t ContactPair::approaching(const BodyMotion& shell, const BodyMotion& field, double reach,
                                     std::span<ApproachingPoint> points) const HAPTIC_REALTIME {
  reach = std::min(reach, margin_);
  const Matrix3 to_world = shell.pose.orientation.toRotationMatrix();
  const Matrix3 field_to_world = field.pose.orientation.toRotationMatrix();
  const Matrix3 to_field = field_to_world.transpose();
  const double scale = law_.contacts().empty() ? 1.0 : law_.scale().scale(0);
  std::size_t count = 0, batch = 0;
  FieldPoints at;
  FieldSamples samples;
  // The batch is points[count .. count + batch); those beyond the margin are dropped.
  const auto look_up = [&]() HAPTIC_REALTIME {
    field_->evaluate(at, static_cast<std::uint32_t>(batch), Culling::kSafe, samples);
    const std::size_t first = count;
    for (std::size_t i = 0; i < batch; ++i) {
      const double distance = samples.distance[i];
      if (!(distance >= 0.0 && distance <= reach)) continue;
      const Vector3 p(at.x[i], at.y[i], at.z[i]);
      ApproachingPoint& point = points[count++] = points[first + i];
      point.value = distance;
      point.at_unit_slope = point.stiffness;
      if (law_.settings().normals == ContactNormals::kField) {
        const FieldNormal along = field_normal(*field_, p, distance);
        point.distance = along.distance;
        point.stiffness *= along.slope_squared;
        point.normal = point.gradient = field_to_world * along.normal;
      } else {
        point.distance = distance;
        point.normal = to_world * shell_->normal(point.point, q_);
        point.gradient = field_to_world * field_->distance_and_gradient(p).gradient;
      }
    }
    batch = 0;
  };
  for (const NearPoint& near : traversal_.near()) {
    if (near.room < 0.0 || near.room > reach) continue;
    if (count + batch == points.size()) break;
    ApproachingPoint& point = points[count + batch];
    point.point = near.point;
    point.position = to_world * shell_->position(near.point, q_) + shell.pose.position;
    point.stiffness = law_.settings().stiffness * law_.scale().weight(near.point) * scale;
    const Vector3 p = to_field * (point.position - field.pose.position);
    at.x[batch] = p.x(), at.y[batch] = p.y(), at.z[batch] = p.z();
    if (++batch == kFieldBatch) look_up();
  }
  if (batch > 0) look_up();
  return count;
}

void ContactPair::leave() HAPTIC_REALTIME {
  clear_history();
  traversal_.clear();
  law_.clear();
  take_result();
}

void ContactPair::fade(const BodyMotion& shell, const BodyMotion& field,
                       std::span<const TouchingPoint> touching) HAPTIC_REALTIME {
  level_forces_.gather(law_, shell, field, touching, traversal_.level(), fade_.sums());
  const std::uint32_t depth = traversal_.was_cut() ? traversal_.level() : traversal_.levels();
  fade_.apply(depth, result_.contacts);
  result_.carried_change = fade_.change();
  const double remaining = fade_.remaining();
  if (remaining == 0.0) return;
  const ContactForces& carried = fade_.carried();
  for (std::size_t j = 0; j < shell_force_.size(); ++j)
    shell_force_[j] += remaining * carried.shell[j];
  for (std::size_t j = 0; j < field_force_.size(); ++j)
    field_force_[j] += remaining * carried.field[j];
  if (held_ == HeldSide::kNeither) return;
  result_.carried = {remaining * carried.wrench.force, remaining * carried.wrench.torque};
  result_.on_held.force += result_.carried.force;
  result_.on_held.torque += result_.carried.torque;
}

/// Copies the result of the contact law.
void ContactPair::take_result() HAPTIC_REALTIME {
  result_ = law_.result();
  result_.visited_nodes = traversal_.visited_nodes();
  std::ranges::copy(law_.reduced_force_of_shell(), shell_force_.begin());
  std::ranges::copy(law_.reduced_force_of_field(), field_force_.begin());
}

const ContactResult& ContactPair::evaluate_brute_force(const BodyMotion& shell,
                                                       const BodyMotion& field) HAPTIC_REALTIME {
  q_.assign(shell.q);
  const auto touching = traversal_.run_all(shell.pose, field.pose, q_);
  law_.apply(shell, field, q_, touching, traversal_.level());
  take_result();
  return result_;
}

}  // namespace haptic

#include "rt/contact/contact_pair.h"

#include <algorithm>

#include "rt/contact/field_normal.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "shared/assert.h"

namespace haptic {

ContactPair::ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
                         const ContactSettings& settings, HeldSide held,
                         std::span<const float> area_weights)
    : shell_(&shell),
      field_(&field),
      own_(std::make_unique<ContactWorkspace>(shell, tree, field, settings, held, area_weights)),
      idle_(nullptr),
      space_(own_.get()),
      stiffness_(settings.stiffness) {}

ContactPair::ContactPair(const PointShell& shell, const SignedField& field, ContactWorkspace& idle)
    : shell_(&shell),
      field_(&field),
      idle_(&idle),
      space_(&idle),
      stiffness_(idle.law_.settings().stiffness) {}

void ContactPair::borrow(ContactWorkspace& space) HAPTIC_REALTIME {
  HAPTIC_ASSERT(!has_workspace());
  space_ = &space;
  space.serve(*shell_, *field_);
  space.law_.set_stiffness(stiffness_);
  space.law_.set_end_of_step(end_of_step_);
}

ContactWorkspace* ContactPair::give_back() HAPTIC_REALTIME {
  if (idle_ == nullptr || !has_workspace()) return nullptr;
  leave();
  ContactWorkspace* const space = space_;
  space_ = idle_;
  return space;
}

const ContactResult& ContactPair::evaluate(const BodyMotion& shell,
                                           const BodyMotion& field) HAPTIC_REALTIME {
  HAPTIC_ASSERT(has_workspace());
  ContactWorkspace& s = *space_;
  s.q_.assign(shell.q);
  const auto touching = s.traversal_.run(shell.pose, field.pose, s.q_, field.q, margin_);
  s.law_.apply(shell, field, s.q_, touching, s.traversal_.level());
  s.take_result();
  if (s.traversal_.warm_nodes() != 0 || s.fade_.limited()) {
    s.fade(shell, field, touching);
  } else {
    s.fade_.clear_history();
  }
  return s.result_;
}

std::size_t ContactPair::approaching(const BodyMotion& shell, const BodyMotion& field, double reach,
                                     std::span<ApproachingPoint> points) const HAPTIC_REALTIME {
  reach = std::min(reach, margin_);
  const Matrix3 to_world = shell.pose.orientation.toRotationMatrix();
  const Matrix3 field_to_world = field.pose.orientation.toRotationMatrix();
  const Matrix3 to_field = field_to_world.transpose();
  const double scale = space_->law_.contacts().empty() ? 1.0 : space_->law_.scale().scale(0);
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
      if (space_->law_.settings().normals == ContactNormals::kField) {
        const FieldNormal along = field_normal(*field_, p, distance);
        point.distance = along.distance;
        point.normal = point.gradient = field_to_world * along.normal;
        point.at_unit_slope =
            point.stiffness *
            space_->law_.projection(point.point, to_world.transpose() * point.normal, space_->q_);
        point.stiffness = point.at_unit_slope * along.slope_squared;
        point.slope = along.slope();
      } else {
        point.distance = distance;
        point.at_unit_slope = point.stiffness;
        point.slope = 1.0;
        point.normal = to_world * shell_->normal(point.point, space_->q_);
        point.gradient = field_to_world * field_->distance_and_gradient(p).gradient;
      }
    }
    batch = 0;
  };
  for (const NearPoint& near : space_->traversal_.near()) {
    if (near.room < 0.0 || near.room > reach) continue;
    if (count + batch == points.size()) break;
    ApproachingPoint& point = points[count + batch];
    point.point = near.point;
    point.position = to_world * shell_->position(near.point, space_->q_) + shell.pose.position;
    point.stiffness = stiffness_ * space_->law_.scale().weight(near.point) * scale;
    const Vector3 p = to_field * (point.position - field.pose.position);
    at.x[batch] = p.x(), at.y[batch] = p.y(), at.z[batch] = p.z();
    if (++batch == kFieldBatch) look_up();
  }
  if (batch > 0) look_up();
  return count;
}

void ContactPair::leave() HAPTIC_REALTIME {
  space_->clear();
}

const ContactResult& ContactPair::evaluate_brute_force(const BodyMotion& shell,
                                                       const BodyMotion& field) HAPTIC_REALTIME {
  HAPTIC_ASSERT(has_workspace());
  ContactWorkspace& s = *space_;
  s.q_.assign(shell.q);
  const auto touching = s.traversal_.run_all(shell.pose, field.pose, s.q_);
  s.law_.apply(shell, field, s.q_, touching, s.traversal_.level());
  s.take_result();
  return s.result_;
}

}  // namespace haptic

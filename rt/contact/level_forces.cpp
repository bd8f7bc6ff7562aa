#include "rt/contact/level_forces.h"

#include <algorithm>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"
#include "shared/assert.h"

namespace haptic {

namespace {

/// Largest number of points above the last level. Branches of a tree can end on any level, so these
/// points need not all be on the level before the last.
std::uint32_t most_points_above_the_last(const PointTree& tree) {
  return std::min(tree.point_count(), tree.level_begin(tree.level_count() - 1));
}

}  // namespace

LevelSums::LevelSums(std::uint32_t levels, std::size_t shell_dimension,
                     std::size_t field_dimension) {
  of_.resize(levels);
  for (ContactForces& forces : of_) {
    forces.shell.assign(shell_dimension, 0.0);
    forces.field.assign(field_dimension, 0.0);
  }
}

const ContactForces& LevelSums::down_to(std::uint32_t level) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(level_ > 0 && level > 0);
  return of_[std::min(level, level_) - 1];
}

LevelForces::LevelForces(const PointShell& shell, const PointTree& tree, const SignedField& field,
                         const ContactSettings& settings, HeldSide held,
                         std::span<const float> area_weights)
    : shell_(&shell),
      field_(&field),
      held_(held),
      scale_(shell, tree, field, settings, area_weights),
      kept_(most_points_above_the_last(tree)),
      place_(kept_.size()) {}

void LevelForces::gather(const ContactLaw& law, const BodyMotion& shell, const BodyMotion& field,
                         std::span<const TouchingPoint> touching, std::uint32_t level,
                         LevelSums& sums) HAPTIC_REALTIME {
  const Frames frames = {
      held_ == HeldSide::kField ? field.grasp_position() : shell.grasp_position(),
      field.pose.position, shell.pose.orientation.toRotationMatrix().transpose(),
      field.pose.orientation.toRotationMatrix().transpose()};
  const std::span<const Contact> contacts = law.contacts();
  sums.level_ = level;
  ContactForces& whole = sums.of_[level - 1];
  whole.wrench = law.result().on_held;
  whole.pressed = law.result().pressed;
  std::ranges::copy(law.reduced_force_of_shell(), whole.shell.begin());
  std::ranges::copy(law.reduced_force_of_field(), whole.field.begin());
  if (held_ == HeldSide::kNeither) {
    for (const Contact& contact : contacts) whole.wrench.force += contact.force;
  }
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < touching.size(); ++i) {
    if (touching[i].level < level) kept_[count] = touching[i], place_[count++] = i;
  }
  for (std::uint32_t k = level - 1; k > 0; --k) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (kept_[i].level > k) continue;
      kept_[left] = kept_[i];
      place_[left++] = place_[i];
    }
    count = left;
    ContactForces& sum = sums.of_[k - 1];
    sum.wrench = {};
    sum.pressed = 0.0;
    std::ranges::fill(sum.shell, 0.0);
    std::ranges::fill(sum.field, 0.0);
    scale_.weigh({kept_.data(), count}, k);
    for (std::size_t i = 0; i < count; ++i) {
      add(frames, contacts[place_[i]], scale_.scale(i) / law.scale().scale(place_[i]), sum);
    }
  }
}

void LevelForces::add(const Frames& frames, const Contact& contact, double ratio,
                      ContactForces& sum) const HAPTIC_REALTIME {
  const Vector3 force = ratio * contact.force;
  sum.wrench.force += force;
  sum.wrench.torque += (contact.position - frames.held_grasp).cross(force);
  sum.pressed += std::abs(force.dot(contact.normal));
  const Vector3 on_field = held_ == HeldSide::kShell ? Vector3(-force) : force;
  if (!sum.shell.empty()) {
    add_transpose_product(shell_->displacement(contact.point), -(frames.world_to_shell * on_field),
                          sum.shell);
  }
  if (!sum.field.empty()) {
    field_->add_reduced_force(frames.world_to_field * (contact.position - frames.field_position),
                              frames.world_to_field * on_field, sum.field);
  }
}

}  // namespace haptic

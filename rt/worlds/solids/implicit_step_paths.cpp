// Whether a point near a field comes into it during a step.

#include <algorithm>
#include <optional>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Cosine of an angle, 87 degrees, from which on the normal of a point says nothing about how the
/// distance changes.
constexpr double kLeastCosine = 0.05;

}  // namespace

/// Whether a point may come into contact during the step. The row of a contact measures motion
/// along the point's normal. Where the normal is tangential to the field's surface, this is not the
/// change of distance: a box that slides on the ground does not penetrate it with its front face.
/// Such a point is looked up in the field at the end of the motion found without it, and at the end
/// of twice this motion.
bool ImplicitStep::approaches(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME {
  if (near.normal.dot(near.gradient) > kLeastCosine * near.gradient.norm()) return true;
  std::ranges::fill(motion_rows_, 0.0);
  const std::size_t n = motion_width_;
  double* const rows = motion_rows_.data();
  add_motion<3>(frame, near.point, near.position,
                {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()},
                {rows, rows + n, rows + 2 * n});
  const Vector3 moved = frame.world_to_field * Vector3(solver_.along(*frame.rows, rows),
                                                       solver_.along(*frame.rows, rows + n),
                                                       solver_.along(*frame.rows, rows + 2 * n));
  const Vector3 p = frame.world_to_field * (near.position - frame.field->pose.position);
  const SignedField& field = *fields_[frame.pair->field];
  return field.distance_and_gradient(p + moved).distance < 0.0 ||
         field.distance_and_gradient(p + kReach * moved).distance < 0.0;
}

/// Whether points of a pair can move by several voxels within the step. Such points are followed
/// along their path (find_entry).
bool ImplicitStep::is_fast(std::uint32_t pair, const ContactPair& contact) const HAPTIC_REALTIME {
  return contact.settings().normals == ContactNormals::kField &&
         contact.margin() > ContactSet::kLargestMargin * edges_[pair];
}

StepMotion ImplicitStep::step_motion(std::size_t body) const HAPTIC_REALTIME {
  const Rigid& rigid = rigid_[body];
  StepMotion motion{.origin = rigid.origin};
  if (rigid.first_unknown >= 0) motion.z = solver_.step().segment<6>(rigid.first_unknown);
  return motion;
}

/// Whether a point of a fast pair enters the field during the motion of the last solution. If so,
/// its contact is linearised at the point of entry.
bool ImplicitStep::enters(const Frame& frame, ApproachingPoint& near,
                          Entry& of) const HAPTIC_REALTIME {
  const std::size_t points = frame.pair->points;
  StepMotion of_point = step_motion(points);
  if (const std::ptrdiff_t first = shapes_[points].first_unknown; first >= 0) {
    const PointShell& shell = *shells_[points];
    const auto r = static_cast<Eigen::Index>(shell.dimension());
    const Eigen::Map<const Eigen::Matrix<float, 3, Eigen::Dynamic, Eigen::RowMajor>> U(
        shell.displacement(near.point), 3, r);
    Vector3 local = Vector3::Zero();
    for (Eigen::Index j = 0; j < r; ++j) {
      local += U.col(j).cast<double>() * solver_.step()[first + j];
    }
    of_point.deformation = frame.world_to_points.transpose() * local;
  }
  const std::optional<FieldEntry> entry =
      find_entry(*fields_[frame.pair->field], frame.field->pose, near.position, near.value,
                 of_point, step_motion(frame.pair->field));
  if (!entry) return false;
  near.position = entry->position;
  near.normal = entry->normal;
  near.distance = entry->distance;
  near.stiffness = near.at_unit_slope * entry->slope_squared;
  of = {entry->place, 0.0, 1.0 - entry->fraction};
  return true;
}

}  // namespace haptic::solids

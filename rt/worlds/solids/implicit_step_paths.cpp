// Whether a point near a field comes into it during a step.

#include <algorithm>
#include <cmath>
#include <optional>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Cosine of an angle, 87 degrees, from which on the normal of a point says nothing about how the
/// distance changes.
constexpr double kMinFacingCosine = 0.05;
/// Depth below which a point that is outside lies on a surface [voxels].
constexpr double kOnSurface = 1e-3;
/// Cosine of an angle, 18 degrees, between the gradients along a path that goes past an edge.
constexpr double kSameDirection = 0.95;

}  // namespace

/// Motion of a point relative to the field over the step, in the last solution, field's frame [m].
Vector3 ImplicitStep::relative_motion(const Frame& frame, std::uint32_t point,
                                      const Vector3& position) HAPTIC_REALTIME {
  std::ranges::fill(motion_rows_, 0.0);
  const std::size_t n = motion_width_;
  double* const rows = motion_rows_.data();
  add_motion<3>(frame, point, position, {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()},
                {rows, rows + n, rows + 2 * n});
  return frame.world_to_field * Vector3(solver_.along(*frame.rows, rows),
                                        solver_.along(*frame.rows, rows + n),
                                        solver_.along(*frame.rows, rows + 2 * n));
}

/// Whether the gradient of a field where a point is says little about where it enters, as it is
/// another one where the point goes: a ball that rolls over the seam of two planks does not meet
/// the end of the next one.
bool ImplicitStep::passes_edge(const Frame& frame, std::uint32_t p,
                               const ApproachingPoint& near) HAPTIC_REALTIME {
  const bool both_free =
      rigid_[frame.pair->points].moment > 0.0 && rigid_[frame.pair->field].moment > 0.0;
  if (frame.pair->contact.settings().normals != ContactNormals::kField || is_rigid_[p] == 0 ||
      both_free) {
    return false;
  }
  const Vector3 moved = relative_motion(frame, near.point, near.position);
  const Vector3 start = frame.world_to_field * (near.position - frame.field->pose.position);
  const Vector3 ahead = fields_[frame.pair->field]->distance_and_gradient(start + moved).gradient;
  const Vector3 normal = frame.world_to_field * near.normal;
  return normal.dot(ahead) < kSameDirection * ahead.norm();
}

/// Whether a point may come into contact during the step. The row of a contact measures motion
/// along the point's normal. Where the normal is tangential to the field's surface, this is not the
/// change of distance: a box that slides on the ground does not penetrate it with its front face.
/// Such a point is looked up in the field at the end of the motion found without it, and at the end
/// of twice this motion.
bool ImplicitStep::approaches(const Frame& frame, const ApproachingPoint& near) HAPTIC_REALTIME {
  if (near.normal.dot(near.gradient) > kMinFacingCosine * near.gradient.norm()) return true;
  const Vector3 moved = relative_motion(frame, near.point, near.position);
  const Vector3 p = frame.world_to_field * (near.position - frame.field->pose.position);
  const SignedField& field = *fields_[frame.pair->field];
  return field.distance_and_gradient(p + moved).distance < 0.0 ||
         field.distance_and_gradient(p + kReach * moved).distance < 0.0;
}

/// Finds the pairs whose points move by several voxels in the last solution, besides those of which
/// this was known before (set_margins). Such points are followed along their path (find_entry).
void ImplicitStep::find_fast(const ContactSet& contacts) HAPTIC_REALTIME {
  for (const std::uint32_t i : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[i];
    const double several = ContactSet::kMaxMargin * edges_[i];
    if (pair.contact.margin() <= several || is_fast(i)) continue;
    is_fast_[i] = way_of(pair, Way::kOfBoth) > several ? 1 : 0;
  }
}

/// Whether a tool has gone further in the last solution than its points were looked for: it slips
/// as soon as friction gives way.
bool ImplicitStep::goes_further(std::uint32_t pair,
                                const ContactSet::Pair& of) const HAPTIC_REALTIME {
  return is_rigid_[pair] != 0 && searched_[pair] < of.contact.margin() &&
         way_of(of, Way::kOfBoth) > searched_[pair];
}

StepMotion ImplicitStep::step_motion(std::size_t body) const HAPTIC_REALTIME {
  const Rigid& rigid = rigid_[body];
  StepMotion motion{.origin = rigid.origin};
  if (rigid.first_unknown >= 0) {
    motion.z = solver_.step().segment<6>(rigid.first_unknown) + rigid.late;
  }
  return motion;
}

/// Whether a point that is followed along its path enters the field during the motion of the last
/// solution. If so, its contact has the normal of the point of entry; that of a fast pair is
/// linearised there, as an impact.
bool ImplicitStep::enters(const Frame& frame, std::uint32_t p, ApproachingPoint& near,
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
                 of_point, step_motion(frame.pair->field), frame.moves);
  if (!entry) return false;
  near.stiffness = near.at_unit_slope * entry->slope_squared;
  near.slope = std::sqrt(entry->slope_squared);
  near.normal = entry->normal;
  if (!is_fast(p)) {
    const double distance = near.normal.dot(near.position - entry->place);
    near.distance = std::max(0.0, distance);
    of = {near.position, near.distance, 1.0, false};
    // One that starts at the surface can lie below it by rounding errors.
    return distance >= -kOnSurface * edges_[p];
  }
  near.position = entry->position;
  near.distance = entry->distance;
  of = {entry->place, 0.0, 1.0 - entry->fraction, true};
  of.expected = {near.normal, near.position, Vector3::Zero(), Vector3::Zero(), near.distance, 0.0};
  add_late(frame, of.expected);
  return true;
}

}  // namespace haptic::solids

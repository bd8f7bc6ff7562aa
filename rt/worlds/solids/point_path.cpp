#include "rt/worlds/solids/point_path.h"

#include <algorithm>
#include <cmath>

namespace haptic::solids {
namespace {

constexpr int kMaxSamples = 48;
/// Smallest distance between two samples [voxels].
constexpr double kStride = 0.5;
/// Distance to the next sample over the field's value at the last one. Below 1, so that the last
/// sample outside is near the surface.
constexpr double kSafe = 0.9;
/// Number of times that the interval of the entry is halved.
constexpr int kBisections = 6;
/// Gradients below this have no direction.
constexpr double kMinSlope = 1e-3;

/// The point in the frame of the field's body, at an instant of the step.
class Path {
 public:
  Path(const Pose& pose, const Vector3& position, const StepMotion& of_point,
       const StepMotion& of_field) HAPTIC_REALTIME
      : position_(position),
        of_point_(of_point),
        of_field_(of_field),
        to_material_(pose.orientation.conjugate()),
        centre_(to_material_*(of_field.origin - pose.position)) {}

  Vector3 world(double s) const HAPTIC_REALTIME {
    return of_point_.origin + s * of_point_.z.head<3>() +
           rotation_exponential(s * of_point_.z.tail<3>()) * (position_ - of_point_.origin) +
           s * of_point_.deformation;
  }
  Vector3 local(double s) const HAPTIC_REALTIME {
    const Vector3 arm = world(s) - of_field_.origin - s * of_field_.z.head<3>();
    return to_material_ * (rotation_exponential(-s * of_field_.z.tail<3>()) * arm) + centre_;
  }
  /// Bound on the length of the path in the field's frame [m].
  double length() const HAPTIC_REALTIME {
    const double moved =
        (of_point_.z.head<3>() + of_point_.deformation - of_field_.z.head<3>()).norm() +
        of_point_.z.tail<3>().norm() * (position_ - of_point_.origin).norm();
    return moved + of_field_.z.tail<3>().norm() * ((position_ - of_field_.origin).norm() + moved);
  }

 private:
  const Vector3 position_;
  const StepMotion &of_point_, &of_field_;
  const Quaternion to_material_;
  const Vector3 centre_;
};

}  // namespace

std::optional<FieldEntry> find_entry(const SignedField& field, const Pose& pose,
                                     const Vector3& position, double distance,
                                     const StepMotion& of_point, const StepMotion& of_field,
                                     double moves) HAPTIC_REALTIME {
  const Path path(pose, position, of_point, of_field);
  const double length = path.length();
  if (!(length > distance)) return {};
  const double least = std::max(kStride * field.edge() / length, 1.0 / kMaxSamples);
  double outside = 0.0, inside = 0.0, d = distance;
  while (d >= 0.0) {
    if (!(inside < 1.0)) return {};
    outside = inside;
    inside = std::min(1.0, outside + std::max(least, kSafe * d / length));
    d = field.distance_and_gradient(path.local(inside)).distance;
  }
  if (std::isnan(d)) return {};
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (outside + inside);
    const bool enters = field.distance_and_gradient(path.local(middle)).distance < 0.0;
    (enters ? inside : outside) = middle;
  }
  const double s = outside;
  const Vector3 gradient = field.distance_and_gradient(path.local(s)).gradient;
  const double slope = gradient.norm();
  if (!(slope > kMinSlope)) return {};
  FieldEntry entry;
  entry.fraction = s;
  entry.slope_squared = slope * slope;
  entry.normal =
      rotation_exponential(s * of_field.z.tail<3>()) * (pose.orientation * gradient) / slope;
  entry.position =
      path.world(s) - s * (moves * of_point.z.head<3>() + (1.0 - moves) * of_field.z.head<3>());
  entry.place = pose.to_world(path.local(s));
  const auto way = [&](const StepMotion& motion) HAPTIC_REALTIME {
    const Vector3 moved = motion.z.head<3>() + motion.deformation +
                          motion.z.tail<3>().cross(entry.position - motion.origin);
    return entry.normal.dot(moved);
  };
  const double inwards = way(of_point) - way(of_field);
  if (!(inwards < 0.0)) return {};
  entry.distance = -s * inwards;
  return entry;
}

}  // namespace haptic::solids

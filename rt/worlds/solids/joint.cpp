#include "rt/worlds/solids/joint.h"

#include <cmath>

namespace haptic::solids {
namespace {

/// Derivatives of (p_b - p_a) . n; `point` is the one at which both bodies are moved.
void set_along(const Vector3& n, const Vector3& arm_a, const Vector3& arm_b,
               JointRow& row) HAPTIC_REALTIME {
  row.first << -n, -arm_a.cross(n);
  row.second << n, arm_b.cross(n);
}

/// Derivatives of an angle about `axis` of the second body relative to the first.
void set_about(const Vector3& axis, JointRow& row) HAPTIC_REALTIME {
  row.first << Vector3::Zero(), -axis;
  row.second << Vector3::Zero(), axis;
}

}  // namespace

JointSide JointSide::moved(const Vector6& motion) const HAPTIC_REALTIME {
  const Matrix3 turn = rotation_exponential(Vector3(motion.tail<3>())).toRotationMatrix();
  const Vector3 next = origin + motion.head<3>();
  return {next, next + turn * (point - origin), turn * axes};
}

Joint::Joint(const JointSettings& settings, const Pose& first, const Pose& second)
    : type_(settings.type) {
  Matrix3 axes;
  axes.col(0) = settings.axis.normalized();
  axes.col(1) = axes.col(0).unitOrthogonal();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  std::size_t i = 0;
  for (const Pose& pose : {first, second}) {
    frames_[i++] = {pose.to_material(settings.point),
                    pose.orientation.toRotationMatrix().transpose() * axes};
  }
  if (type_ == JointType::kBall || type_ == JointType::kHinge) {
    for (int k = 0; k < 3; ++k) add(Kind::kPoint, k);
  }
  if (type_ == JointType::kHinge) {
    add(Kind::kAngle, 0, 1);
    add(Kind::kAngle, 0, 2);
  }
  if (type_ == JointType::kPrismatic) {
    add(Kind::kAcross, 1);
    add(Kind::kAcross, 2);
  }
  if (type_ == JointType::kPrismatic && settings.published_form) {
    for (int k = 0; k < 6; ++k) add(Kind::kColumn, k / 3, k % 3);
  } else if (type_ == JointType::kPrismatic || type_ == JointType::kOrientation) {
    add(Kind::kAngle, 1, 2);
    add(Kind::kAngle, 2, 0);
    add(Kind::kAngle, 0, 1);
  }
}

void Joint::add(Kind kind, int i, int j) {
  forms_[size_++] = {kind, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)};
}

JointSide Joint::side(const Frame& frame, const Pose& pose, const Vector3& origin) HAPTIC_REALTIME {
  return {origin, pose.to_world(frame.point), pose.orientation.toRotationMatrix() * frame.axes};
}

/// The first body's side, turned about the axis to where the second body is to be.
JointSide Joint::turned(const JointSide& first, double target) const HAPTIC_REALTIME {
  if (type_ != JointType::kOrientation) return first;
  JointSide side = first;
  const double c = std::cos(target), s = std::sin(target);
  side.axes.col(1) = c * first.axes.col(1) + s * first.axes.col(2);
  side.axes.col(2) = c * first.axes.col(2) - s * first.axes.col(1);
  return side;
}

double Joint::error_of(const Form& form, const JointSide& a, const JointSide& b) HAPTIC_REALTIME {
  switch (form.kind) {
    case Kind::kPoint:
      return b.point[form.i] - a.point[form.i];
    case Kind::kAcross:
      return (b.point - a.point).dot(a.axes.col(form.i));
    case Kind::kAngle:
      return a.axes.col(form.i).dot(b.axes.col(form.j));
    case Kind::kColumn:
      break;
  }
  return b.axes(form.j, form.i) - a.axes(form.j, form.i);
}

void Joint::errors(const JointSide& first, const JointSide& second, double target,
                   std::span<double> errors) const HAPTIC_REALTIME {
  const JointSide a = turned(first, target);
  for (std::uint32_t i = 0; i < size_; ++i) errors[i] = error_of(forms_[i], a, second);
}

void Joint::rows(const JointSide& first, const JointSide& second, double target,
                 std::span<JointRow> rows) const HAPTIC_REALTIME {
  const JointSide a = turned(first, target);
  const JointSide& b = second;
  for (std::uint32_t k = 0; k < size_; ++k) {
    const Form& form = forms_[k];
    JointRow& row = rows[k];
    row.error = error_of(form, a, b);
    switch (form.kind) {
      case Kind::kPoint:
        set_along(Vector3::Unit(form.i), a.point - a.origin, b.point - b.origin, row);
        break;
      case Kind::kAcross:  // n turns with the first body: it is moved at the second one's point
        set_along(a.axes.col(form.i), b.point - a.origin, b.point - b.origin, row);
        break;
      case Kind::kAngle:
        set_about(b.axes.col(form.j).cross(a.axes.col(form.i)), row);
        break;
      case Kind::kColumn:
        row.first << Vector3::Zero(), -a.axes.col(form.i).cross(Vector3::Unit(form.j));
        row.second << Vector3::Zero(), b.axes.col(form.i).cross(Vector3::Unit(form.j));
        break;
    }
  }
}

JointRow Joint::coordinate(const JointSide& a, const JointSide& b) const HAPTIC_REALTIME {
  JointRow row;
  const Vector3 axis = a.axes.col(0);
  if (type_ == JointType::kPrismatic) {
    row.error = (b.point - a.point).dot(axis);
    set_along(axis, b.point - a.origin, b.point - b.origin, row);
    return row;
  }
  const double sine = a.axes.col(2).dot(b.axes.col(1)) - a.axes.col(1).dot(b.axes.col(2));
  const double cosine = a.axes.col(1).dot(b.axes.col(1)) + a.axes.col(2).dot(b.axes.col(2));
  row.error = std::atan2(sine, cosine);
  set_about(axis, row);
  return row;
}

}  // namespace haptic::solids

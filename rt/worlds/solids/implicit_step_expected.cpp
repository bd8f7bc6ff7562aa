// Contacts about the motion that the bodies have with the velocities of the step's start.

#include "rt/contact/field_normal.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Squares of the motions along a field that count [voxels^2]: shorter ones change nothing.
constexpr double kMinSlide = 1e-8;
/// Largest square of the motion towards the field, as a multiple of that along it. A body that
/// moves more steeply is stopped within the step, and does not go along the field as expected.
constexpr double kMaxSteepness = 0.25;
/// Cosine of an angle, 18 degrees, between the normals at the ends of such a motion. Where it is
/// larger, the point goes past an edge.
constexpr double kMinCosine = 0.95;

}  // namespace

/// Normal, distance and arms of a point where both bodies carry it with the velocities of the
/// step's start, but not what it moves towards the field. Those of the start of the step would
/// brake what rolls and spins, as the force is found at its end: the points that press below a ball
/// that rolls by v h were v h ahead of its centre. One place of the force for both bodies keeps the
/// angular momentum. Between two free bodies, arms and normal are those of the start.
///
/// Damping does not count what one body lastingly turns on the other about the middle of their
/// contact: it would brake what rolls. It counts what rocks.
/// Source: docs/methods/multibody.md, "Contact of moving bodies".
ImplicitStep::Expected ImplicitStep::expect(const Frame& frame, const Vector3& position,
                                            const Vector3& normal,
                                            double distance) const HAPTIC_REALTIME {
  Expected at = expect_without_impact(frame, position, normal, distance);
  add_late(frame, at);
  return at;
}

ImplicitStep::Expected ImplicitStep::expect_without_impact(const Frame& frame,
                                                           const Vector3& position,
                                                           const Vector3& normal,
                                                           double distance) const HAPTIC_REALTIME {
  Expected at{normal, position, Vector3::Zero(), Vector3::Zero(), distance, 0.0};
  if (!frame.expects && !frame.has_middle) return at;
  const Rigid &a = rigid_[frame.pair->points], &b = rigid_[frame.pair->field];
  if (frame.has_middle) {
    at.rolls = normal.dot(a.rolling_swing * (position - a.origin) -
                          a.rolling.cross(frame.middle - a.origin) -
                          b.rolling.cross(position - frame.middle));
  }
  if (!frame.expects) return at;
  const auto moved = [](const Rigid& body, const Vector3& place) HAPTIC_REALTIME {
    return Vector3(body.expected.head<3>() + body.expected.tail<3>().cross(place - body.origin));
  };
  const auto along_field = [&](const Vector3& v)
                               HAPTIC_REALTIME { return Vector3(v - normal.dot(v) * normal); };
  const Vector3 motion =
      a.expected.head<3>() + a.swing * (position - a.origin) - moved(b, position);
  const Vector3 slide = along_field(motion);
  // Of a point that follows its body: how far the body itself goes along the field.
  const Vector3 past = frame.moves > 0.0 ? along_field(a.expected.head<3>() - moved(b, a.origin))
                                         : Vector3(Vector3::Zero());
  const SignedField& field = *fields_[frame.pair->field];
  const double along = slide.squaredNorm() + past.squaredNorm(), towards = normal.dot(motion);
  if (!(along > kMinSlide * field.edge() * field.edge()) ||
      !(towards * towards < kMaxSteepness * along)) {
    return at;
  }
  if (frame.pair->contact.settings().normals == ContactNormals::kField) {
    const Vector3 there = frame.world_to_field * (position + slide - frame.field->pose.position);
    const SignedField::Sample sample = field.distance_and_gradient(there);
    const Vector3 gradient = frame.world_to_field.transpose() * sample.gradient;
    const double slope = gradient.norm();
    if (!(gradient.dot(normal) > kMinCosine * slope)) return at;
    at.normal = gradient / slope;
    at.distance = sample.distance / slope + at.normal.dot(motion - slide);
  } else {
    at.distance = distance + normal.dot(motion);
  }
  at.motion = motion;
  at.place = position + slide - frame.moves * past;
  at.rows = moved(a, at.place) - moved(b, at.place);
  return at;
}

/// What the points' body moves less than the solution relative to the field's, at a place [m].
Vector3 ImplicitStep::late_motion(const Frame& frame, const Vector3& place) const HAPTIC_REALTIME {
  const auto of = [&](std::size_t body) HAPTIC_REALTIME {
    const Rigid& rigid = rigid_[body];
    return Vector3(rigid.late.head<3>() + rigid.late.tail<3>().cross(place - rigid.origin));
  };
  return of(frame.pair->points) - of(frame.pair->field);
}

/// Impacts within the step: the bodies do not move as far as the solution says.
void ImplicitStep::add_late(const Frame& frame, Expected& at) const HAPTIC_REALTIME {
  if (!restitutes_) return;
  const Vector3 late = late_motion(frame, at.place);
  at.distance += at.normal.dot(late);
  at.motion += late;
}

}  // namespace haptic::solids

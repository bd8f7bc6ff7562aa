// Faces inside the union of bodies that touch each other: of tiles, planks and stairs.

#include <algorithm>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

constexpr int kMaxExitSamples = 32;
/// Shortest distance between two of them [voxels].
constexpr double kMinExitStride = 0.01;

}  // namespace

double ImplicitStep::distance_to(std::size_t body, std::span<const BodyMotion> bodies,
                                 const Vector3& position) const HAPTIC_REALTIME {
  const Pose& pose = bodies[body].pose;
  const Vector3 local = pose.orientation.conjugate() * (position - pose.position);
  return fields_[body]->distance_and_gradient(local).distance;
}

/// Lists the pairs of each body's points that touch or may come into contact in this step.
void ImplicitStep::list_near(const ContactSet& contacts) HAPTIC_REALTIME {
  std::ranges::fill(last_near_, kNoPair);
  for (const std::uint32_t i : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[i];
    if (pair.contact.contacts().empty() && pair.contact.near().empty()) continue;
    near_before_[i] = last_near_[pair.points];
    last_near_[pair.points] = i;
  }
}

/// Visits the fields of the other pairs of a pair's points that are listed, but those of free
/// bodies.
template <class Visit>
bool ImplicitStep::any_neighbour(const ContactSet& contacts, std::uint32_t pair,
                                 Visit visit) const HAPTIC_REALTIME {
  for (std::uint32_t i = last_near_[contacts.pairs()[pair].points]; i != kNoPair;
       i = near_before_[i]) {
    const std::size_t field = contacts.pairs()[i].field;
    if (i != pair && rigid_[field].moment == 0.0 && visit(field)) return true;
  }
  return false;
}

/// Whether a place just outside the field of a pair is inside another field that the same points
/// meet: then the face there is inside the union of both bodies, and nothing can meet it.
bool ImplicitStep::is_inside_neighbour(const ContactSet& contacts,
                                       std::span<const BodyMotion> bodies, std::uint32_t pair,
                                       const Vector3& place) const HAPTIC_REALTIME {
  return any_neighbour(contacts, pair, [&](std::size_t field) HAPTIC_REALTIME {
    return distance_to(field, bodies, place) < 0.0;
  });
}

/// Depth that a point had at the end of the last step, for which work was done; 0: it had no row.
double ImplicitStep::paid_depth(std::uint32_t pair, const Contact& contact) const HAPTIC_REALTIME {
  if (!knows_depths_) return contact.depth;
  for (const EndDepth& end : std::span(end_depths_).first(end_depth_count_)) {
    if (end.pair == pair && end.point == contact.point) return end.depth;
  }
  return 0.0;
}

/// A point that has sunk in beside the seam of two bodies is nearer to the face between them than
/// to the one through which it came in. It leaves their union along its own normal. How far that is
/// changes at once where the way out does; it is no deeper than it has been pressed in.
Contact ImplicitStep::leaving_union(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                                    std::uint32_t pair,
                                    const Contact& contact) const HAPTIC_REALTIME {
  const ContactSet::Pair& of = contacts.pairs()[pair];
  const Vector3 beyond = contact.position + kBeyondFace * contact.depth * contact.normal;
  if (rigid_[of.field].moment > 0.0 || !is_inside_neighbour(contacts, bodies, pair, beyond)) {
    return contact;
  }
  const PointShell& shell = *shells_[of.points];
  if (shell.dimension() > 0) return contact;
  const Vector3 along = bodies[of.points].pose.orientation * shell.rest_normal(contact.point);
  const double stride = kMinExitStride * edges_[pair];
  double moved = contact.depth;
  for (int i = 0; i < kMaxExitSamples; ++i) {
    const Vector3 place = contact.position + moved * along;
    double inside = -distance_to(of.field, bodies, place);
    any_neighbour(contacts, pair, [&](std::size_t field) HAPTIC_REALTIME {
      inside = std::max(inside, -distance_to(field, bodies, place));
      return false;
    });
    if (inside <= 0.0) {
      Contact leaving = contact;
      leaving.force -= contact.normal.dot(contact.force) * contact.normal;
      leaving.normal = along;
      leaving.depth = std::min(moved, paid_depth(pair, contact));
      return leaving;
    }
    moved += std::max(inside, stride);
  }
  return contact;
}

}  // namespace haptic::solids

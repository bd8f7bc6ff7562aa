// Contacts in fields of rigid bodies whose gradient turns within the step.

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Most solutions with contacts linearised anew.
constexpr int kTurningPasses = 4;
/// What a pair may store at the end of a step beyond what its rows say, as a part of it.
constexpr double kTurnedEnergy = 1e-5;
/// Stiffness of the link that holds a point in a fold, over that of its contact.
constexpr double kTieStiffness = 1e4;
/// Gradients below this have no direction.
constexpr double kMinFoldSlope = 1e-3;

/// Where the motion of a step takes a body.
Pose moved(const Pose& pose, const StepMotion& motion) HAPTIC_REALTIME {
  const Quaternion turn = rotation_exponential(motion.z.tail<3>());
  return {motion.origin + motion.z.head<3>() + turn * (pose.position - motion.origin),
          turn * pose.orientation};
}

double stored(double stiffness, double distance) HAPTIC_REALTIME {
  const double depth = std::max(0.0, -distance);
  return 0.5 * stiffness * depth * depth;
}

}  // namespace

/// Solves again where the fields store more at the end of the solution than the rows say. Each pass
/// adds the field's plane at the end of the last solution to that about which a point was
/// linearised. Both bound a convex field from below, so that a step that ends where the planes say
/// creates no energy. Where a field bends the other way, it stores less than the rows say.
/// Source: docs/methods/contact-and-coupling.md, "Folds".
bool ImplicitStep::follow_fields(const ContactSet& contacts,
                                 std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  fold_count_ = 0;
  if (std::ranges::none_of(may_turn_, [](char may) { return may != 0; })) return true;
  for (int pass = 0; pass < kTurningPasses && turn_contacts(contacts, bodies); ++pass) {
    spread_marks(marked_);
    set_limits();
    for (const FieldFold& fold : std::span(folds_).first(fold_count_)) {
      const double force = solver_.normal_force(fold.normal);
      if (fold.ties && force > 0.0) solver_.set_link_limit(fold.link, force);
    }
    if (!balance(ContactSolver::Start::kLast)) return false;
  }
  return true;
}

/// Bounds what pairs can store at the end of the last solution beyond what their rows say: a value
/// and its plane change by no more than the motion each. @returns whether any can create energy
bool ImplicitStep::bound_turned(const ContactSet& contacts) HAPTIC_REALTIME {
  for (const std::uint32_t p : contacts.close()) {
    turned_energy_[p] = end_energy_[p] = 0.0;
    looks_up_[p] = 0;
  }
  std::uint32_t last = kNoPair;
  double beyond = 0.0;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    if (!looks_up(i)) continue;
    const std::uint32_t p = pair_of_normal(i);
    if (p != last) beyond = 2.0 * way_of(contacts.pairs()[p], Way::kOfBoth);
    last = p;
    const double stiffness = solver_.normal(i).stiffness, distance = solver_.distance(i);
    const double energy = stored(stiffness, distance);
    turned_energy_[p] += stored(stiffness, distance - beyond) - energy;
    end_energy_[p] += energy;
  }
  bool any = false;
  for (const std::uint32_t p : contacts.close()) {
    looks_up_[p] = creates(p) ? 1 : 0;
    any = any || looks_up_[p] != 0;
    turned_energy_[p] = end_energy_[p] = 0.0;
  }
  return any;
}

/// Looks up the fields where the last solution takes the points. @returns whether there are any
/// points in a field that can turn
bool ImplicitStep::find_ends(const ContactSet& contacts,
                             std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  if (!bound_turned(contacts)) return false;
  bool any = false;
  std::uint32_t last = kNoPair;
  Pose points, field;
  Frame frame{};
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const Linearised& of = linearised_[i];
    ends_[i].value = std::numeric_limits<double>::infinity();
    const std::uint32_t p = pair_of_normal(i);
    if (looks_up_[p] == 0 || !looks_up(i)) continue;
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (p != last) {
      points = moved(bodies[pair.points].pose, step_motion(pair.points));
      field = moved(bodies[pair.field].pose, step_motion(pair.field));
      frame = frame_of(pair, bodies);
      use_blocks_of(p, frame);
      last = p;
    }
    const Vector3 local =
        is_rigid_[p] != 0
            ? field.to_material(points.to_world(shells_[pair.points]->rest_position(of.point)))
            : Vector3(frame.world_to_field * (of.place - frame.field->pose.position) +
                      relative_motion(frame, of.point, of.place));
    const SignedField::Sample sample = fields_[pair.field]->distance_and_gradient(local);
    double distance = solver_.distance(i);
    if (of.fold != kNoFold && folds_[of.fold].ties) {
      distance -= std::abs(solver_.link_stretch(folds_[of.fold].link));
    }
    const double stiffness = solver_.normal(i).stiffness;
    ends_[i] = {field.orientation * sample.gradient, sample.distance,
                std::sqrt(stiffness / of.unit_stiffness) * distance};
    const double energy = stored(of.unit_stiffness, sample.distance);
    turned_energy_[p] += energy - stored(stiffness, distance);
    end_energy_[p] += energy;
    any = true;
  }
  return any;
}

/// Whether a pair would have created energy: what it stores at the end of the last solution beyond
/// what its rows say is more than its contacts have taken.
bool ImplicitStep::creates(std::uint32_t pair) const HAPTIC_REALTIME {
  const double turned = turned_energy_[pair], least = kTurnedEnergy * end_energy_[pair];
  return turned > least && energy_.account(pair) + turned > least;
}

/// Linearises contacts anew, and marks their islands, in the pairs that would create energy.
/// @returns whether there are any
bool ImplicitStep::turn_contacts(const ContactSet& contacts,
                                 std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  if (!find_ends(contacts, bodies)) return false;
  mark_none();
  bool any = false;
  Frame frame{};
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const std::uint32_t p = pair_of_normal(i);
    const EndSample& end = ends_[i];
    if (!(end.value < end.predicted) || !creates(p) || !(end.gradient.norm() > kMinFoldSlope)) {
      continue;
    }
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (frame.pair != &pair) {
      frame = frame_of(pair, bodies);
      use_blocks_of(p, frame);
    }
    if (!turn_contact(frame, i)) continue;
    mark_block(block_of(p));
    any = true;
  }
  return any;
}

/// What a plane's value changes by in the last solution [m].
double ImplicitStep::change_of(const FieldPlane& plane, const Frame& frame,
                               const Linearised& of) HAPTIC_REALTIME {
  std::fill_n(motion_rows_.begin(), motion_width_, 0.0);
  add_motion<1>(frame, of.point, of.place, {plane.gradient}, {motion_rows_.data()});
  return solver_.along(*frame.rows, motion_rows_.data());
}

/// A contact has the row of a plane from here on.
void ImplicitStep::use_plane(const FieldPlane& plane, const Frame& frame,
                             std::uint32_t i) HAPTIC_REALTIME {
  const Linearised& of = linearised_[i];
  const double slope = plane.gradient.norm();
  ContactSolver::Normal normal = solver_.normal(i);
  normal.stiffness = of.unit_stiffness * slope * slope;
  normal.shift = plane.offset / slope - normal.distance;
  const std::span<double> row = solver_.relinearise_normal(i, normal);
  add_motion<1>(frame, of.point, of.place, {plane.gradient / slope}, {row.data()});
}

/// Linearises a contact anew whose point is deeper in its field than its row says: where the point
/// is, or, if that drives it back, by both planes. @returns whether its row has changed
bool ImplicitStep::turn_contact(const Frame& frame, std::uint32_t i) HAPTIC_REALTIME {
  Linearised& of = linearised_[i];
  FieldPlane there{ends_[i].gradient, 0.0};
  there.offset = ends_[i].value - change_of(there, frame, of);
  if (of.fold == kNoFold) {
    const ContactSolver::Normal& normal = solver_.normal(i);
    const double slope = std::sqrt(normal.stiffness / of.unit_stiffness);
    of.fold = fold_count_++;
    folds_[of.fold] = {i, {slope * of.normal, slope * (normal.distance + normal.shift)}, there};
    use_plane(there, frame, i);
    return true;
  }
  FieldFold& fold = folds_[of.fold];
  const double start = fold.start.offset + change_of(fold.start, frame, of);
  if (fold.ties) {
    const double end = fold.end.offset + change_of(fold.end, frame, of);
    if (std::abs(solver_.link_force(fold.link)) < solver_.link_limit(fold.link)) return false;
    solver_.replace_link(fold.link);  // by none
    fold.ties = false;
    use_plane(start < end ? fold.start : fold.end, frame, i);
    return true;
  }
  if (start < ends_[i].predicted && tie(frame, fold)) return true;
  fold.end = there;
  use_plane(there, frame, i);
  return true;
}

/// Holds a point in the fold of two planes. With the mean m of their values and half of their
/// difference s, the field is m - |s|: the force is that of m and one along the gradient of s, of
/// either sign up to the same force. @returns false if there is no link for it
bool ImplicitStep::tie(const Frame& frame, FieldFold& fold) HAPTIC_REALTIME {
  const Linearised& of = linearised_[fold.normal];
  const double force = solver_.normal_force(fold.normal);
  const FieldPlane mean{0.5 * (fold.start.gradient + fold.end.gradient),
                        0.5 * (fold.start.offset + fold.end.offset)};
  const double slope = mean.gradient.norm();
  if (fold.link != kNoFold || !(force > 0.0) || !(slope > kMinFoldSlope)) return false;
  const FieldPlane apart{0.5 / slope * (fold.start.gradient - fold.end.gradient),
                         0.5 / slope * (fold.start.offset - fold.end.offset)};
  const std::uint32_t link = solver_.links();
  const double stiffness = kTieStiffness * of.unit_stiffness * slope * slope;
  const std::span<double> row = solver_.add_link({apart.offset, stiffness, force});
  if (row.empty()) return false;
  add_motion<1>(frame, of.point, of.place, {apart.gradient}, {row.data()});
  fold.link = link;
  fold.ties = true;
  use_plane(mean, frame, fold.normal);
  return true;
}

}  // namespace haptic::solids

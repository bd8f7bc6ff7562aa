#include "rt/worlds/swept_step.h"

#include <algorithm>

#include "rt/contact/contact_law.h"

namespace haptic {

namespace {

// Surfaces that one step may slide along, one after the other: two make an edge, three a corner.
constexpr int kMostSlides = 3;

SweptMotion at_rest(const BodyMotion& points, const BodyMotion& field) HAPTIC_REALTIME {
  return {points.pose, points.pose, field.pose, field.pose, points.q, points.q, field.q, field.q};
}

}  // namespace

SweptStep::SweptStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models)
    : held_(scene.held_body()), radius_(models[held_]->bounding_radius) {
  for (const SceneContact& contact : scene.contacts) {
    if (!contact.continuous) continue;
    const BodyModel& points = *models[contact.points];
    SignedField& field = *models[contact.field]->field;
    pairs_.push_back({SweptContact(*points.shell, *points.tree, field), contact.points,
                      contact.field, scene.coupling.permitted_depth.value_or(field.edge())});
  }
}

double SweptStep::deformation(std::span<const BodyMotion> bodies, std::size_t body,
                              std::span<const double> q) HAPTIC_REALTIME {
  double fraction = 1.0;
  for (Pair& pair : pairs_) {
    if (pair.points != body && pair.field != body) continue;
    SweptMotion motion = at_rest(bodies[pair.points], bodies[pair.field]);
    (pair.points == body ? motion.q_to : motion.field_q_to) = q;
    fraction = std::min(fraction, pair.swept.run(motion, pair.permitted_depth).fraction);
  }
  return fraction;
}

SweptResult SweptStep::first_stop(std::span<const BodyMotion> bodies, const Pose& from,
                                  const Pose& to, std::size_t& first) HAPTIC_REALTIME {
  SweptResult least;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if (pair.points != held_ && pair.field != held_) continue;
    SweptMotion motion = at_rest(bodies[pair.points], bodies[pair.field]);
    const bool shell = pair.points == held_;
    (shell ? motion.shell_from : motion.field_from) = from;
    (shell ? motion.shell_to : motion.field_to) = to;
    const SweptResult result = pair.swept.run(motion, pair.permitted_depth);
    if (result.fraction < least.fraction) {
      least = result;
      first = i;
    }
  }
  return least;
}

Pose SweptStep::held(std::span<const BodyMotion> bodies, const Pose& to) HAPTIC_REALTIME {
  Pose from = bodies[held_].pose, wanted = to;
  for (int slide = 0;; ++slide) {
    std::size_t pair = 0;
    const SweptResult stop = first_stop(bodies, from, wanted, pair);
    const Pose reached = interpolated(from, wanted, stop.fraction);
    if (!stop.stopped || slide == kMostSlides) return reached;

    // What is left of the step, turns as metres at the bounding radius, less its part into the
    // surface: moving the body by (dx, dw) moves the point out at n dx + (r x n) dw, or the surface
    // the other way.
    Vector6 rest, out;
    rest << wanted.position - reached.position,
        radius_ * rotation_logarithm(wanted.orientation * reached.orientation.conjugate());
    out << stop.outward, (stop.position - reached.position).cross(stop.outward) / radius_;
    if (pairs_[pair].field == held_) out = -out;
    const double inwards = out.dot(rest);
    if (!(inwards < 0.0)) return reached;
    rest -= inwards / out.squaredNorm() * out;
    from = wanted = reached;
    wanted.position += rest.head<3>();
    wanted.orientation =
        (rotation_exponential(rest.tail<3>() / radius_) * reached.orientation).normalized();
  }
}

}  // namespace haptic

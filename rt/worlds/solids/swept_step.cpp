#include "rt/worlds/solids/swept_step.h"

#include <algorithm>

#include "rt/contact/contact_law.h"
#include "rt/worlds/solids/contact_set.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic::solids {

namespace {

// Surfaces that one step can slide along in succession: two form an edge, three a corner.
constexpr int kMaxSlides = 3;

SweptMotion at_rest(const BodyMotion& points, const BodyMotion& field) HAPTIC_REALTIME {
  return {points.pose, points.pose, field.pose, field.pose, points.q, points.q, field.q, field.q};
}

}  // namespace

SweptStep::SweptStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models)
    : held_(scene.held_body()),
      grasp_(scene.coupling.grasp),
      radius_(models[held_]->bounding_radius_about(scene.coupling.grasp)) {
  const std::vector<SceneContact>& contacts = solids_settings(scene).contacts;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const SceneContact& contact = contacts[i];
    if (!contact.continuous) continue;
    const BodyModel& points = *models[contact.points];
    const BodyModel& field = *models[contact.field];
    pairs_.push_back(std::make_unique<Pair>(points, field));
    Pair& pair = *pairs_.back();
    pair.contact = i;
    pair.points = contact.points;
    pair.field = contact.field;
    pair.permitted_depth = scene.coupling.permitted_depth.value_or(pair.edge);
  }
}

void SweptStep::set_margins(ContactSet& contacts) HAPTIC_REALTIME {
  for (const auto& pair : pairs_) {
    pair->recent = std::max(pair->swept.needed_margin(), kFading * pair->recent);
    ContactPair& contact = contacts.pairs()[pair->contact].contact;
    const double most = kMaxMargin * pair->edge;
    // Beyond the largest margin every motion is searched. With a budget, the list still covers its
    // start.
    const bool listed = pair->recent <= most || contact.node_budget() != 0;
    contact.set_margin(listed ? std::clamp(2.0 * pair->recent, kMinMargin * pair->edge, most)
                              : ContactTraversal::kNoMargin);
  }
}

void SweptStep::begin(const ContactSet& contacts) HAPTIC_REALTIME {
  for (const auto& pair : pairs_) {
    const ContactPair& contact = contacts.pairs()[pair->contact].contact;
    SweptTouch touch;
    if (contact.settings().traversal.near_points) {
      touch.near = contact.near();
      touch.margin = contact.margin();
    }
    if (contact.was_cut()) touch.level = contact.level();
    std::uint64_t nodes = contact.node_budget();
    if (nodes == 0) nodes = std::max<std::uint64_t>(pair->nodes, kMinNodes);
    const std::uint64_t touched =
        std::max<std::uint64_t>({nodes, pair->first_level, touch.near.size()});
    const std::uint64_t looks = kLooks * touched + kInstants * pair->cost_of_deform;
    touch.most_looks = static_cast<std::uint32_t>(std::min<std::uint64_t>(looks, 1u << 30));
    pair->swept.begin(touch);
  }
}

double SweptStep::deformation(std::span<const BodyMotion> bodies, std::size_t body,
                              std::span<const double> q) HAPTIC_REALTIME {
  double fraction = 1.0;
  for (const auto& with : pairs_) {
    Pair& pair = *with;
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
    Pair& pair = *pairs_[i];
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
    if (!stop.stopped || slide == kMaxSlides) return reached;

    // The rest of the step, rotations in metres at the bounding radius, minus its component into
    // the surface. A motion (dx, dw) of the grasp moves the point outward by n . dx + (r x n) . dw;
    // if the body carries the field, the sign is reversed.
    Pose grasp = grasp_.frame(reached);
    Vector6 rest, out;
    rest << grasp_.frame(wanted).position - grasp.position,
        radius_ * rotation_logarithm(wanted.orientation * reached.orientation.conjugate());
    out << stop.outward, (stop.position - grasp.position).cross(stop.outward) / radius_;
    if (pairs_[pair]->field == held_) out = -out;
    const double inwards = out.dot(rest);
    if (!(inwards < 0.0)) return reached;
    rest -= inwards / out.squaredNorm() * out;
    from = reached;
    grasp.position += rest.head<3>();
    grasp.orientation =
        (rotation_exponential(rest.tail<3>() / radius_) * reached.orientation).normalized();
    wanted = grasp_.body(grasp);
  }
}

}  // namespace haptic::solids

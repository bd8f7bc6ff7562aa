// Coulomb friction of a step: limits, what sticks and what slides, and the anchors at its end.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// What exceeds a limit by less than this does so by rounding.
constexpr double kBeyond = 1.0 + 1e-9;
/// Friction has another solution if it exceeds what the normal forces allow by this fraction.
constexpr double kFrictionError = 0.1;
/// Rigid bodies slide on each other if points with this fraction of the normal forces do: a point
/// that is about to leave may do either.
constexpr double kAllSlide = 0.99;
/// Slip from which on they slide, in longest stretches of their springs. A load that is laid on
/// them at once swings to twice its size: for a load of 1 - 1/40 of the limit, by that slip beyond
/// it.
constexpr double kMinSlip = 20.0;
/// Longest such slip [m].
constexpr double kMaxSlip_m = 2e-4;

}  // namespace

/// Whether the spring of a friction contact is at its limit.
bool ImplicitStep::is_at_limit(std::uint32_t tangent) const HAPTIC_REALTIME {
  const double(&s)[2] = solver_.stretch(row_of(tangent));
  return tangents_[tangent].stiffness * std::hypot(s[0], s[1]) >
         kBeyond * solver_.limit(row_of(tangent));
}

/// Product of the motions of a friction contact in this step and the last one [m^2].
double ImplicitStep::onward(std::uint32_t tangent) const HAPTIC_REALTIME {
  const double(&before)[2] = tangents_[tangent].before;
  return before[0] * solver_.motion(row_of(tangent), 0) +
         before[1] * solver_.motion(row_of(tangent), 1);
}

/// Whether a point begins the step with the dynamic coefficient.
/// @param slid  its own state: at the end of the last step; true for a fresh point
bool ImplicitStep::may_slide(const ContactSettings& settings, std::uint32_t pair,
                             bool slid) const HAPTIC_REALTIME {
  if (settings.friction.dynamic_coefficient == settings.friction.static_coefficient) return false;
  return is_rigid_[pair] != 0 ? frictions_[pair].state != PairFriction::State::kSticks : slid;
}

/// The limits of friction in the marked islands, from the normal forces of the last solution.
void ImplicitStep::set_limits() HAPTIC_REALTIME {
  set_turning_limits();
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    const Tangent& tangent = tangents_[i];
    if (marked_[block_of(tangent.pair)] == 0) continue;
    solver_.set_limit(row_of(i), coefficient_of(tangent) * solver_.normal_force(tangent.normal));
  }
}

/// Marks the islands in which the friction forces, summed over all points, exceed what the normal
/// forces of the last solution allow. Their limits come from the solution before it, in which other
/// points may have been in contact. @returns whether there are any
bool ImplicitStep::exceeds_friction() HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  std::ranges::fill(excess_, 0.0);
  std::ranges::fill(friction_sum_, 0.0);
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    const Tangent& tangent = tangents_[i];
    const double(&s)[2] = solver_.stretch(row_of(i));
    const double force = std::min(tangent.stiffness * std::sqrt(s[0] * s[0] + s[1] * s[1]),
                                  solver_.limit(row_of(i)));
    const double allowed = coefficient_of(tangent) * solver_.normal_force(tangent.normal);
    const std::uint32_t island = islands.first(block_of(tangent.pair));
    excess_[island] += std::max(0.0, force - allowed);
    friction_sum_[island] += std::max(force, allowed);
  }
  bool any = false;
  for (std::uint32_t block = 0; block < marked_.size(); ++block) {
    const std::uint32_t island = islands.first(block);
    marked_[block] = excess_[island] > kFrictionError * friction_sum_[island] ? 1 : 0;
    any = any || marked_[block] != 0;
  }
  return any;
}

/// The sums of the pairs over their points.
void ImplicitStep::add_up_friction() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    PairFriction& pair = frictions_[tangents_[i].pair];
    pair.pressed = pair.at_limit = pair.onward = pair.moved = pair.reach = 0.0;
  }
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    PairFriction& pair = frictions_[tangents_[i].pair];
    const double normal = solver_.normal_force(tangents_[i].normal);
    pair.pressed += normal;
    pair.slides = tangents_[i].slides;
    if (is_at_limit(i)) pair.at_limit += normal;
    pair.onward += normal * onward(i);
    pair.moved += normal * std::hypot(solver_.motion(row_of(i), 0), solver_.motion(row_of(i), 1));
    pair.reach +=
        normal * solver_.limit(row_of(i)) / ((1.0 - tangents_[i].grips) * tangents_[i].stiffness);
  }
}

/// What slid before this step may stick if it does not go on in the same direction: it was at rest,
/// or turns round within the step. It is then tried with the static coefficient, and slides if that
/// does not hold it. The points of two rigid bodies do so together: none slides alone, and the
/// friction of two bodies that begin to slide is that of the static coefficient. Marks the islands
/// in which something has another coefficient now. @returns whether there are any
bool ImplicitStep::review_sticking() HAPTIC_REALTIME {
  bool any = false;
  add_up_friction();
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    Tangent& tangent = tangents_[i];
    if (tangent.dynamic_coefficient == tangent.static_coefficient) continue;
    const PairFriction& pair = frictions_[tangent.pair];
    const bool rigid = is_rigid_[tangent.pair] != 0;
    const bool slides_on = rigid ? pair.onward > 0.0 : onward(i) > 0.0;
    const bool is_held = rigid ? pair.at_limit < kAllSlide * pair.pressed : !is_at_limit(i);
    if (tangent.slides && !tangent.tried && !slides_on) {
      tangent.slides = false;
      tangent.tried = true;
    } else if (!tangent.slides && tangent.tried && !is_held) {
      tangent.slides = true;
    } else {
      continue;
    }
    mark_block(block_of(tangent.pair));
    any = true;
  }
  if (any) spread_marks(marked_);
  return any;
}

/// Adds the friction of points that press and did not have it in the last solution, and marks their
/// islands. @returns whether there are any
bool ImplicitStep::add_friction_of_entering(const ContactSet& contacts,
                                            std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  const std::uint32_t before = tangent_count_;
  Frame frame{};
  for (std::uint32_t i = 0; i < entering_count_; ++i) {
    const std::uint32_t index = touching_ + i, p = entering_[i].pair;
    const ContactSet::Pair& pair = contacts.pairs()[p];
    const ContactSettings& settings = pair.contact.settings();
    if (settings.friction.static_coefficient == 0.0 || entering_[i].has_friction ||
        !(solver_.normal_force(index) > 0.0) || solved_[block_of(p)] == 0) {
      continue;
    }
    if (frame.pair != &pair) {
      frame = frame_of(pair, bodies);
      use_blocks_of(p, frame);
    }
    entering_[i].has_friction = true;
    mark_block(block_of(p));
    const ApproachingPoint& point = approaching_[i];
    const double stiffness = point.stiffness *
                             settings.friction.stiffness.value_or(settings.stiffness) /
                             settings.stiffness;
    const Vector3 u = point.normal.unitOrthogonal(), v = point.normal.cross(u);
    const Expected& at = entering_[i].entry.expected;
    const ContactSolver::TangentRows rows =
        solver_.add_tangent({{at.shift(u), at.shift(v)}, stiffness, 0.0});
    add_motion<2>(frame, point.point, at.place, {u, v}, {rows.first.data(), rows.second.data()});
    Tangent& tangent = tangents_[tangent_count_++] = {index,
                                                      p,
                                                      point.point,
                                                      stiffness,
                                                      u,
                                                      v,
                                                      settings.friction.static_coefficient,
                                                      settings.friction.dynamic_coefficient,
                                                      {},
                                                      may_slide(settings, p, true),
                                                      true,
                                                      entering_[i].entry};
    tangent.before[0] = solver_.along(*frame.rows, rows.first.data(), last_motion_);
    tangent.before[1] = solver_.along(*frame.rows, rows.second.data(), last_motion_);
  }
  return tangent_count_ > before;
}

/// The anchors at the end of the step: those of points that slide are dragged.
void ImplicitStep::settle_friction(ContactSet& contacts) HAPTIC_REALTIME {
  if (!friction_) return;
  add_up_friction();
  for (const std::uint32_t p : contacts.close()) {
    PairFriction& pair = frictions_[p];
    using State = PairFriction::State;
    pair.state = State::kFresh;
    if (pair.pressed > 0.0) {
      // Friction falls to that of sliding after the bodies have slipped by some stretches of their
      // springs: a load that swings beyond the limit for an instant does not set them going.
      const bool at_limit = pair.at_limit >= kAllSlide * pair.pressed;
      pair.slip = at_limit ? pair.slip + pair.moved / pair.pressed : 0.0;
      const bool begins =
          at_limit && pair.slip >= std::min(kMinSlip * pair.reach / pair.pressed, kMaxSlip_m);
      pair.state = pair.slides || begins ? State::kSlides : State::kSticks;
    } else {
      pair.slip = 0.0;
    }
    pair.slides = false;
    pair.pressed = pair.at_limit = pair.onward = pair.moved = pair.reach = 0.0;
  }
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    const Tangent& tangent = tangents_[i];
    const double(&s)[2] = solver_.stretch(row_of(i));
    const double length = std::hypot(s[0], s[1]),
                 reach = solver_.limit(row_of(i)) / tangent.stiffness;
    const Vector3 stretch = s[0] * tangent.u + s[1] * tangent.v;
    FrictionAnchors::Settled settled;
    settled.slides = is_at_limit(i);
    settled.normal_force = solver_.normal_force(tangent.normal);
    // Of the spring alone, without its damper.
    const double part = settled.slides ? reach / length : 1.0;
    settled.force = (1.0 - tangent.grips) * tangent.stiffness *
                    std::hypot(part * s[0] + tangent.damped[0], part * s[1] + tangent.damped[1]);
    if (settled.slides) settled.drag = (1.0 - part) * stretch;
    ContactPair& contact = contacts.pairs()[tangent.pair].contact;
    if (tangent.enters) {
      // At the end of the step, the spring from the anchor to the point is that of the solution.
      const Entry& entry = tangent.entry;
      const double sinks =
          entry.height - (solver_.distance(tangent.normal) -
                          wall_shares_[tangent.normal] * give_at_end(tangent.pair));
      contact.place_anchor(tangent.point, entry.place + settled.drag +
                                              (entry.part - 1.0) * stretch -
                                              sinks * tangent.u.cross(tangent.v));
      settled.drag.setZero();
    }
    contact.settle(tangent.point, settled);
  }
}

}  // namespace haptic::solids

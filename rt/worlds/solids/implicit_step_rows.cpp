// The rows of the contacts at the start of a step.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rt/geometry/modal_coordinates.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// A total order: equal values follow their indices.
constexpr auto by_value = [](const auto& rank) { return std::pair(rank.value, rank.index); };

/// Damping of friction springs, over the critical one.
constexpr double kGripDamping = 2.0;
/// Speed of the surface of a body that rolls.
constexpr double kRolls_mps = 5e-3;

double square(double x) HAPTIC_REALTIME {
  return x * x;
}

/// Part of the force of a spring and a damper that is the damper's, for a motion over a step.
/// @param time  ratio of damping and stiffness [s]
double damped_part(double time, double dt) HAPTIC_REALTIME {
  return time / (time + dt);
}

}  // namespace

ImplicitStep::Frame ImplicitStep::frame_of(
    const ContactSet::Pair& pair, std::span<const BodyMotion> bodies) const HAPTIC_REALTIME {
  Frame frame;
  frame.pair = &pair;
  frame.rows = nullptr;
  frame.points = &bodies[pair.points];
  frame.field = &bodies[pair.field];
  frame.world_to_points = frame.points->pose.orientation.toRotationMatrix().transpose();
  frame.world_to_field = frame.field->pose.orientation.toRotationMatrix().transpose();
  frame.factor = 1.0;
  frame.relaxes = frame.grips = 0.0;
  const double of_points = rigid_[pair.points].moment, of_field = rigid_[pair.field].moment;
  frame.moves = of_points == 0.0 ? 0.0 : of_field > 0.0 ? 0.5 : 1.0;
  frame.expects = (of_points > 0.0) != (of_field > 0.0);
  frame.middle.setZero();
  const ContactSettings& settings = pair.contact.settings();
  double sum = 0.0, stiffness = 0.0;
  if (of_points + of_field > 0.0) {
    for (const Contact& contact : pair.contact.contacts()) {
      const double force = contact.stiffness * contact.pressed_depth();
      frame.middle += force * contact.position;
      sum += force;
      stiffness += contact.stiffness;
    }
  }
  if (sum > 0.0) frame.middle /= sum;
  frame.has_middle = sum > 0.0 && (settings.damping > 0.0 || pair.restitution);
  if (stiffness > 0.0) {
    const double period = std::sqrt(mass_of(&pair) / stiffness);
    // What remains in contact returns nothing: dampers in parallel with the springs, critical for
    // the pair's mass on all springs together.
    if (pair.restitution) frame.relaxes = damped_part(2.0 * period, dt_);
    // Where more holds a body than brakes it, what is laid on it at once must not swing beyond; and
    // what rolling friction has stopped must not swing on.
    const FrictionSettings& friction = settings.friction;
    const bool holds = friction.dynamic_coefficient < friction.static_coefficient ||
                       (friction.static_coefficient > 0.0 && pair.resists_turns());
    if (holds && !rolls_on(pair)) {
      const double softer = settings.stiffness / friction.stiffness.value_or(settings.stiffness);
      frame.grips = damped_part(2.0 * kGripDamping * period * std::sqrt(softer), dt_);
    }
  }
  frame.kept = frame.room = pair.contact.contacts().size();
  return frame;
}

/// Whether one rigid body of a pair lastingly rolls on the other, or the pair is not rigid. A
/// damper of the friction springs would brake it.
bool ImplicitStep::rolls_on(const ContactSet::Pair& pair) const HAPTIC_REALTIME {
  const Rigid &a = rigid_[pair.points], &b = rigid_[pair.field];
  if (shapes_[pair.points].first_unknown >= 0 || shapes_[pair.field].first_unknown >= 0)
    return true;
  const double radius = std::max(a.moment > 0.0 ? a.radius : 0.0, b.moment > 0.0 ? b.radius : 0.0);
  return (a.rolling - b.rolling).norm() * radius > kRolls_mps * dt_;
}

/// Of the relative motion of a pair along one line, without rotation [kg].
double ImplicitStep::mass_of(const ContactSet::Pair* pair) const HAPTIC_REALTIME {
  const double a = rigid_[pair->points].mass, b = rigid_[pair->field].mass;
  return a > 0.0 && b > 0.0 ? a * b / (a + b) : std::max(a, b);
}

/// The rows added from here on are those of a pair.
void ImplicitStep::use_blocks_of(std::uint32_t pair, Frame& frame) HAPTIC_REALTIME {
  frame.rows = supports_[pair];
  if (frame.rows != nullptr) return solver_.use(*frame.rows);
  std::array<std::uint32_t, RowSupport::kMaxBlocks> blocks{};
  std::size_t count = 0;
  if (const Wall* const wall = wall_of(pair)) blocks[count++] = wall->block;
  for (const std::size_t body : {frame.pair->points, frame.pair->field}) {
    if (rigid_[body].first_unknown >= 0) blocks[count++] = rigid_[body].block;
    const Shape& shape = shapes_[body];
    // A free body that deforms has one block.
    if (shape.first_unknown >= 0 && shape.before == 0) blocks[count++] = shape.block;
  }
  std::ranges::sort(std::span(blocks).first(count));
  frame.rows = supports_[pair] = &solver_.use_blocks(std::span(blocks).first(count));
}

/// Elements of a row for the coordinates of a body that do not move. @param row  its first element
void ImplicitStep::clear_unused(std::size_t body, double* row) const HAPTIC_REALTIME {
  std::fill(row + shapes_[body].used, row + reaches_[body].size(), 0.0);
}

template <std::size_t kRows>
void ImplicitStep::add_motion(const Frame& frame, std::uint32_t point, const Vector3& position,
                              const Vector3 (&directions)[kRows],
                              double* const (&rows)[kRows]) HAPTIC_REALTIME {
  const std::size_t points = frame.pair->points, field = frame.pair->field;
  for (const std::size_t body : {points, field}) {
    const Rigid& rigid = rigid_[body];
    if (rigid.first_unknown < 0) continue;
    const double sign = body == points ? 1.0 : -1.0;
    const Vector3 arm = position - rigid.origin;
    const std::uint32_t at = frame.rows->offset(rigid.block);
    for (std::size_t i = 0; i < kRows; ++i) {
      const Vector3 turn = arm.cross(directions[i]);
      double* const row = rows[i] + at;
      for (int k = 0; k < 3; ++k) {
        row[k] += sign * directions[i][k];
        row[k + 3] += sign * turn[k];
      }
    }
  }
  if (shapes_[points].first_unknown >= 0) {
    const PointShell& shell = *shells_[points];
    Vector3 local[kRows];
    double* out[kRows];
    for (std::size_t i = 0; i < kRows; ++i) {
      local[i] = frame.world_to_points * directions[i];
      out[i] = rows[i] + shape_offset(*frame.rows, points);
    }
    add_transpose_products<kRows>(shell.displacement(point), shell.dimension(), local, out);
    for (double* const row : out) clear_unused(points, row);
  }
  if (shapes_[field].first_unknown >= 0) {
    const Vector3 p = frame.world_to_field * (position - frame.field->pose.position);
    for (std::size_t i = 0; i < kRows; ++i) {
      fields_[field]->add_reduced_force(
          p, -(frame.world_to_field * directions[i]),
          {rows[i] + shape_offset(*frame.rows, field), fields_[field]->dimension()});
      clear_unused(field, rows[i] + shape_offset(*frame.rows, field));
    }
  }
}

// For the points that come into contact (implicit_step_entering.cpp).
template void ImplicitStep::add_motion<1>(const Frame&, std::uint32_t, const Vector3&,
                                          const Vector3 (&)[1],
                                          double* const (&)[1]) HAPTIC_REALTIME;
template void ImplicitStep::add_motion<2>(const Frame&, std::uint32_t, const Vector3&,
                                          const Vector3 (&)[2],
                                          double* const (&)[2]) HAPTIC_REALTIME;
template void ImplicitStep::add_motion<3>(const Frame&, std::uint32_t, const Vector3&,
                                          const Vector3 (&)[3],
                                          double* const (&)[3]) HAPTIC_REALTIME;

/// The first `count` of `ranks` are those with the least values, in the order of their points.
void ImplicitStep::choose(std::span<Rank> ranks, std::size_t count) HAPTIC_REALTIME {
  if (count >= ranks.size()) return;
  std::ranges::nth_element(ranks, ranks.begin() + static_cast<std::ptrdiff_t>(count), {}, by_value);
  std::ranges::sort(ranks.first(count), {}, &Rank::index);
}

/// ranks_ begins with the contacts of a pair that get rows: if not all do, those that store most.
/// They stand for all, such that together they store the energy of all: what a step changes in
/// their number or choice creates none.
void ImplicitStep::rank_by_energy(std::span<const Contact> contacts, Frame& frame) HAPTIC_REALTIME {
  double all = 0.0, kept = 0.0;
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const double energy = contacts[i].stiffness * square(contacts[i].pressed_depth());
    ranks_[i] = {-energy, i};
    all -= energy;
  }
  if (frame.kept >= contacts.size()) return;
  choose(std::span(ranks_).first(contacts.size()), frame.kept);
  for (const Rank& rank : std::span(ranks_).first(frame.kept)) kept += rank.value;
  if (kept < 0.0) frame.factor = all / kept;
}

/// The pairs that touch, ascending; if they are more than there are rows, those that store most.
std::span<const ImplicitStep::Rank> ImplicitStep::pairs_with_rows(const ContactSet& contacts)
    HAPTIC_REALTIME {
  std::size_t count = 0;
  for (const std::uint32_t i : contacts.close()) {
    const std::span<const Contact> of_pair = contacts.pairs()[i].contact.contacts();
    if (of_pair.empty()) continue;
    double stored = 0.0;
    for (const Contact& contact : of_pair)
      stored += contact.stiffness * square(contact.pressed_depth());
    pair_ranks_[count++] = {-stored, i};
  }
  const std::span<Rank> touching = std::span(pair_ranks_).first(count);
  choose(touching, most_touching_);
  return touching.first(std::min(count, most_touching_));
}

void ImplicitStep::add_contacts(const ContactSet& contacts,
                                std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  tangent_count_ = 0;
  touching_without_row_ = contact_count_;
  energy_.begin();
  list_near(contacts);
  add_turning(contacts);
  const std::span<const Rank> touching = pairs_with_rows(contacts);
  for (const Rank& chosen : touching) {
    const std::uint32_t i = chosen.index;
    const ContactSet::Pair& pair = contacts.pairs()[i];
    Frame frame = frame_of(pair, bodies);
    if (contact_count_ > most_touching_) {
      frame.kept = 1 + (frame.kept - 1) * (most_touching_ - touching.size()) /
                           (contact_count_ - touching.size());
    }
    use_blocks_of(i, frame);
    pushes_[i] = 0.0;
    const std::span<const Contact> contacts_of_pair = pair.contact.contacts();
    rank_by_energy(contacts_of_pair, frame);
    for (const Rank& rank : std::span(ranks_).first(frame.kept)) {
      const Contact& contact = contacts_of_pair[rank.index];
      const Contact leaving =
          has_neighbours(pair) ? leaving_union(contacts, bodies, i, contact) : contact;
      if (!add_contact(frame, i, leaving)) return;
      // Its distance is not that of the field.
      if (leaving.normal != contact.normal) {
        linearised_[solver_.contacts() - 1].unit_stiffness = 0.0;
      }
    }
    energy_.add_stored_in_wall(i, 0.5 * pair.contact.settings().wall * square(give_at_start(i)));
  }
}

/// @returns false if the capacity is used up
bool ImplicitStep::add_contact(const Frame& frame, std::uint32_t pair,
                               const Contact& contact) HAPTIC_REALTIME {
  const ContactSettings& settings = frame.pair->contact.settings();
  const double stiffness = frame.factor * contact.stiffness;
  const std::uint32_t index = solver_.contacts();
  const Expected at = expect(frame, contact.position, contact.normal, -contact.depth);
  // The force k (-e - tau v), with v the rate of e, is that of a stiffer spring at another
  // distance.
  const double relaxed = frame.relaxes * (contact.pressed_depth() - at.rolls);
  const std::span<double> row = solver_.add_normal(
      {contact.give - contact.depth, stiffness / (1.0 - frame.relaxes), damping_of_rows(settings),
       at.distance + contact.depth - at.normal.dot(at.rows) + relaxed, at.rolls});
  if (row.empty()) return false;
  pair_of_[index] = pair;
  Linearised& linearised = linearised_[index];
  linearised.point = contact.point;
  linearised.unit_stiffness = 0.0;
  if (may_turn_[pair] != 0 && frame.relaxes == 0.0) {
    linearised = {contact.point, kNoFold, stiffness / square(contact.slope), at.place, at.normal};
  }
  couple_wall(frame, pair, index, contact.slope, row.data());
  const double pushes = stiffness * contact.pressed_depth();
  pushes_[pair] += pushes;
  --touching_without_row_;
  energy_.add_stored(pair, contact, stiffness);
  const Vector3& n = at.normal;
  if (contact.grip == ContactGrip::kNone || contact.stiffness == 0.0) {
    add_motion<1>(frame, contact.point, at.place, {n}, {row.data()});
    return true;
  }
  const FrictionSettings& friction = settings.friction;
  const double ratio = friction.stiffness.value_or(settings.stiffness) / settings.stiffness;
  const bool slides = may_slide(settings, pair, contact.grip == ContactGrip::kSlides);
  const double coefficient = slides ? friction.dynamic_coefficient : friction.static_coefficient;
  const Vector3 on_shell =
      frame.pair->points == held_body_ ? contact.force : Vector3(-contact.force);
  // Without the normal force, which has the direction of the normal where the point is.
  const Vector3 rubs = on_shell - contact.normal.dot(on_shell) * contact.normal;
  const Vector3 stretch = (n * n.dot(rubs) - rubs) / (ratio * contact.stiffness);
  const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
  // Where points are close and stiff, the depth at the start says little: the load of each
  // point changes from step to step.
  const double pressed = contact.last_normal_force >= 0.0 ? contact.last_normal_force : pushes;
  // There are as many friction contacts as normal ones.
  const double whole = ratio * stiffness / (1.0 - frame.grips);
  const Vector3 start = (1.0 - frame.grips) * stretch;
  const ContactSolver::TangentRows rows = solver_.add_tangent(
      {{start.dot(u) + at.shift(u), start.dot(v) + at.shift(v)}, whole, coefficient * pressed});
  add_motion<3>(frame, contact.point, at.place, {n, u, v},
                {row.data(), rows.first.data(), rows.second.data()});
  Tangent& tangent = tangents_[tangent_count_++] = {index,
                                                    pair,
                                                    contact.point,
                                                    whole,
                                                    u,
                                                    v,
                                                    friction.static_coefficient,
                                                    friction.dynamic_coefficient,
                                                    {},
                                                    slides,
                                                    false};
  tangent.grips = frame.grips;
  tangent.damped[0] = frame.grips * stretch.dot(u);
  tangent.damped[1] = frame.grips * stretch.dot(v);
  tangent.before[0] = solver_.along(*frame.rows, rows.first.data(), last_motion_);
  tangent.before[1] = solver_.along(*frame.rows, rows.second.data(), last_motion_);
  return true;
}

}  // namespace haptic::solids

// The rows of the contacts at the start of a step.

#include <algorithm>
#include <array>
#include <utility>

#include "rt/geometry/modal_coordinates.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// A total order: equal values follow their indices.
constexpr auto by_value = [](const auto& rank) { return std::pair(rank.value, rank.index); };

double square(double x) HAPTIC_REALTIME {
  return x * x;
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
  frame.kept = frame.room = pair.contact.contacts().size();
  return frame;
}

/// The rows added from here on are those of a pair.
void ImplicitStep::use_blocks_of(std::uint32_t pair, Frame& frame) HAPTIC_REALTIME {
  frame.rows = supports_[pair];
  if (frame.rows != nullptr) return solver_.use(*frame.rows);
  std::array<std::uint32_t, RowSupport::kMostBlocks> blocks{};
  std::size_t count = 0;
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
    const double energy = contacts[i].stiffness * square(contacts[i].depth);
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
    for (const Contact& contact : of_pair) stored += contact.stiffness * square(contact.depth);
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
      if (!add_contact(frame, i, contacts_of_pair[rank.index])) return;
    }
  }
}

/// @returns false if the capacity is used up
bool ImplicitStep::add_contact(const Frame& frame, std::uint32_t pair,
                               const Contact& contact) HAPTIC_REALTIME {
  const ContactSettings& settings = frame.pair->contact.settings();
  const double stiffness = frame.factor * contact.stiffness;
  const std::uint32_t index = solver_.contacts();
  const std::span<double> row =
      solver_.add_normal({-contact.depth, stiffness, settings.damping / dt_});
  if (row.empty()) return false;
  pair_of_[index] = pair;
  pushes_[pair] += stiffness * contact.depth;
  --touching_without_row_;
  energy_.add_stored(pair, contact, stiffness);
  const Vector3& n = contact.normal;
  if (contact.grip == ContactGrip::kNone || contact.stiffness == 0.0) {
    add_motion<1>(frame, contact.point, contact.position, {n}, {row.data()});
    return true;
  }
  const FrictionSettings& friction = settings.friction;
  const double ratio = friction.stiffness.value_or(settings.stiffness) / settings.stiffness;
  const double coefficient = contact.grip == ContactGrip::kSlides ? friction.dynamic_coefficient
                                                                  : friction.static_coefficient;
  const Vector3 on_shell =
      frame.pair->points == held_body_ ? contact.force : Vector3(-contact.force);
  const Vector3 stretch = (n * n.dot(on_shell) - on_shell) / (ratio * contact.stiffness);
  const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
  // Where points are close and stiff, the depth at the start says little: the load of each
  // point changes from step to step.
  const double pressed =
      contact.last_normal_force >= 0.0 ? contact.last_normal_force : stiffness * contact.depth;
  // There are as many friction contacts as normal ones.
  const ContactSolver::TangentRows rows = solver_.add_tangent(
      {{stretch.dot(u), stretch.dot(v)}, ratio * stiffness, coefficient * pressed});
  tangents_[tangent_count_++] = {index, pair, contact.point, coefficient, ratio * stiffness, u,
                                 v,     {},   false};
  add_motion<3>(frame, contact.point, contact.position, {n, u, v},
                {row.data(), rows.first.data(), rows.second.data()});
  return true;
}

}  // namespace haptic::solids

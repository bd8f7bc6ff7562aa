// The points that come into contact during a step: which ones, in which order they get rows, and
// their friction.

#include <algorithm>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// How far before the face that a point meets the inside of another body is looked for [voxels].
constexpr double kBesideFace = 0.1;
/// The same for a point that is linearised where it is, as a part of its distance.
constexpr double kBesideEntry = 0.5;

/// Near points of a pair that do not touch; the list contains those that do.
std::size_t waiting(const ContactPair& contact) HAPTIC_REALTIME {
  return contact.near().size() - std::min(contact.near().size(), contact.contacts().size());
}

}  // namespace

/// Adds the points that may come into contact during the step, and marks their islands.
///
/// A pair's points are near enough if both bodies, each on its way of the last solution, can bring
/// them to the field: another contact may stop one of two bodies that move together. Where these
/// are more points than rows, those come first that the way of one body relative to the other can
/// bring. For the others two rows a pair are reserved, at most half of all, since a body without a
/// row is not stopped at all; the next solutions add those that come after all. Shared out evenly,
/// the rows would stop bodies by fewer points than are about to press, and the bodies get deeper
/// than the work of the forces.
/// @param first  false: only points that have no row yet, of pairs that are fast or go further than
///                they were looked for, or where rows are scarce
/// @returns whether there are any
bool ImplicitStep::add_approaching(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                                   bool first) HAPTIC_REALTIME {
  if (first) {
    touching_ = solver_.contacts();
    entering_count_ = 0;
    scarce_ = false;
  }
  std::size_t near = 0, pairs = 0;
  for (const std::uint32_t p : contacts.close()) {
    const std::size_t own = waiting(contacts.pairs()[p].contact);
    near += own;
    pairs += own > 0 ? 1 : 0;
  }
  const std::size_t rows = rows_left();
  entering_without_row_ = 0;
  known_entering_ = entering_count_;
  const Which which = first ? Which::kAll : Which::kNew;
  next_idle_ = first ? known_entering_ : 0;
  if (!first && scarce_) {
    return add_coming(contacts, bodies, {which, Way::kRelative}, rows + count_idle());
  }
  if (first && near > rows) {
    scarce_ = count_entering(contacts, bodies, {which, Way::kOfBoth}) > rows;
  }
  if (!scarce_) return add_coming(contacts, bodies, {which, Way::kOfBoth}, rows);
  const std::size_t reserved = std::min(2 * pairs, rows / 2);
  bool found = add_coming(contacts, bodies, {which, Way::kRelative}, rows - reserved);
  known_entering_ = next_idle_ = entering_count_;
  if (add_coming(contacts, bodies, {which, Way::kOfBoth}, reserved)) found = true;
  return found;
}

/// Calls visit(pair, frame) for the pairs of a sweep that have near points.
template <class Visit>
void ImplicitStep::for_each_waiting(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                                    Sweep sweep, Visit visit) HAPTIC_REALTIME {
  for (const std::uint32_t p : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (waiting(pair.contact) == 0) continue;
    if (sweep.which == Which::kNew &&
        !((scarce_ || is_fast(p) || goes_further(p, pair)) && may_change(pair))) {
      continue;
    }
    Frame frame = frame_of(pair, bodies);
    visit(p, frame);
  }
}

std::size_t ImplicitStep::count_entering(const ContactSet& contacts,
                                         std::span<const BodyMotion> bodies,
                                         Sweep sweep) HAPTIC_REALTIME {
  std::size_t coming = 0;
  for_each_waiting(contacts, bodies, sweep, [&](std::uint32_t p, Frame& frame) HAPTIC_REALTIME {
    coming += find_coming(contacts, bodies, p, frame, sweep.way);
  });
  return coming;
}

/// Adds the points that come. If they are more than `rows`, each pair has its part of these.
bool ImplicitStep::add_coming(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                              Sweep sweep, std::size_t rows) HAPTIC_REALTIME {
  const std::size_t coming = scarce_ ? count_entering(contacts, bodies, sweep) : 0;
  bool found = false;
  for_each_waiting(contacts, bodies, sweep, [&](std::uint32_t p, Frame& frame) HAPTIC_REALTIME {
    const std::size_t own = find_coming(contacts, bodies, p, frame, sweep.way);
    frame.room = coming > rows ? std::max<std::size_t>(1, own * rows / coming) : own;
    const std::size_t added = add_rows(p, frame, own);
    if (sweep.which == Which::kNew || sweep.way == Way::kRelative)
      entering_without_row_ += own - added;
    if (added == 0) return;
    mark_block(block_of(p));
    found = true;
  });
  return found;
}

/// Bound on the way of the points of a pair to its field, in the last solution [m].
double ImplicitStep::way_of(const ContactSet::Pair& pair, Way way) const HAPTIC_REALTIME {
  const Rigid &points = rigid_[pair.points], &field = rigid_[pair.field];
  const auto motion = [&](const Rigid& body) HAPTIC_REALTIME {
    return body.first_unknown >= 0 ? Vector6(solver_.step().segment<6>(body.first_unknown))
                                   : Vector6(Vector6::Zero());
  };
  const Vector6 p = motion(points), f = motion(field);
  double sum = 0.0;
  if (way == Way::kRelative && points.first_unknown >= 0 && field.first_unknown >= 0) {
    const Vector3 turn = f.tail<3>();
    sum = (p.head<3>() - f.head<3>() - turn.cross(points.origin - field.origin)).norm() +
          (p.tail<3>() - turn).norm() * points.radius;
  } else {
    sum = this->way(pair.points, p) + this->way(pair.field, f);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t body = members_[i].body;
    if (body == pair.points || body == pair.field) sum += deformation(body, 1.0, change(i));
  }
  return sum;
}

/// Motion of a point relative to the field along its normal, in the last solution [m].
double ImplicitStep::motion_along_normal(const Frame& frame,
                                         const ApproachingPoint& near) HAPTIC_REALTIME {
  std::fill_n(motion_rows_.begin(), motion_width_, 0.0);
  add_motion<1>(frame, near.point, near.position, {near.normal}, {motion_rows_.data()});
  return solver_.along(*frame.rows, motion_rows_.data());
}

/// Finds the points of a pair that may come into contact during the step: the first of candidates_
/// and entries_, without those that had a row before this sweep.
/// @returns their number
std::size_t ImplicitStep::find_coming(const ContactSet& contacts,
                                      std::span<const BodyMotion> bodies, std::uint32_t p,
                                      Frame& frame, Way way) HAPTIC_REALTIME {
  const bool fast = is_fast(p);
  const double reach = (fast ? 1.0 : kReach) * way_of(*frame.pair, way);
  // A point presses against a wall that has given way if it comes as much further as the others go
  // back.
  const double give = wall_of(p) == nullptr ? 0.0 : frame.pair->contact.give();
  const double room = std::min(reach, 2.0 * reach - give);
  searched_[p] = room;
  if (room < 0.0) return 0;
  const std::size_t count =
      frame.pair->contact.approaching(*frame.points, *frame.field, room, candidates_);
  if (count == 0) return 0;
  ++mark_;
  for (std::uint32_t i = 0; i < known_entering_; ++i) {
    if (entering_[i].pair == p) marks_[approaching_[i].point] = mark_;
  }
  use_blocks_of(p, frame);
  std::size_t coming = 0;
  for (ApproachingPoint& near : std::span(candidates_).first(count)) {
    Entry entry{near.position, near.distance, 1.0, false};
    if (marks_[near.point] == mark_) continue;
    const bool follow = fast || passes_edge(frame, p, near);
    if (!(follow ? enters(frame, p, near, entry) : approaches(frame, near))) continue;
    // A face inside the union of two bodies is met by nothing.
    const Vector3 before =
        entry.on_path ? Vector3(entry.place + kBesideFace * edges_[p] * near.normal)
                      : Vector3(near.position - kBesideEntry * near.distance * near.normal);
    if (last_near_[frame.pair->points] != kNoPair &&
        is_inside_neighbour(contacts, bodies, p, before))
      continue;
    double ahead = near.distance;
    if (scarce_ && way == Way::kRelative) {
      ahead += motion_along_normal(frame, near);
      if (!fast && ahead >= 0.0) continue;
    }
    ranks_[coming] = {ahead, static_cast<std::uint32_t>(coming)};
    entries_[coming] = entry;
    candidates_[coming++] = near;
  }
  return coming;
}

/// Adds the rows of those points. If they are more than the frame has room for, each row stands for
/// several. @returns the number of rows
std::size_t ImplicitStep::add_rows(std::uint32_t p, const Frame& frame,
                                   std::size_t coming) HAPTIC_REALTIME {
  const std::size_t kept = std::min(coming, frame.room);
  const double damping = damping_of_rows(frame.pair->contact.settings());
  choose(std::span(ranks_).first(coming), kept);
  std::size_t added = 0;
  for (const Rank& rank : std::span(ranks_).first(kept)) {
    ApproachingPoint& near = candidates_[rank.index];
    near.stiffness *= static_cast<double>(coming) / static_cast<double>(kept);
    Entry& entry = entries_[rank.index];
    if (!entry.on_path) {
      entry.expected = expect(frame, near.position, near.normal, near.distance);
      near.normal = entry.expected.normal;
    }
    const Expected& at = entry.expected;
    const double shift = at.distance - near.distance - at.normal.dot(at.rows);
    const std::span<double> row = row_for(frame, {p, false, entry}, near, damping, shift, at.rolls);
    if (row.empty()) break;
    add_motion<1>(frame, near.point, at.place, {near.normal}, {row.data()});
    ++added;
  }
  return added;
}

/// A row for a point: a new one, or one of a point that does not press in the last solution.
/// @returns the row, zero but for the wall; empty: there is none
std::span<double> ImplicitStep::row_for(const Frame& frame, const Entering& entering,
                                        const ApproachingPoint& point, double damping, double shift,
                                        double undamped) HAPTIC_REALTIME {
  const ContactSolver::Normal normal{point.distance + give_at_start(entering.pair) / point.slope,
                                     point.stiffness, damping, shift, undamped};
  std::uint32_t i = entering_count_;
  std::span<double> row = solver_.add_normal(normal);
  if (!row.empty()) {
    ++entering_count_;
  } else {
    while (next_idle_ < known_entering_ && !is_idle(next_idle_)) ++next_idle_;
    if (next_idle_ == known_entering_) return {};
    i = next_idle_++;
    row = solver_.replace_normal(touching_ + i, normal);
  }
  entering_[i] = entering;
  approaching_[i] = point;
  couple_wall(frame, entering.pair, touching_ + i, point.slope, row.data());
  const Expected& at = entering.entry.expected;
  Linearised& linearised = linearised_[touching_ + i];
  linearised.unit_stiffness = 0.0;
  if (may_turn_[entering.pair] != 0) {
    const double unit_stiffness = point.stiffness / (point.slope * point.slope);
    linearised = {point.point, kNoFold, unit_stiffness, at.place, at.normal};
  }
  return row;
}

/// Whether a point that came in does not press in the last solution, so that its row can be given
/// to another one.
bool ImplicitStep::is_idle(std::uint32_t entering) const HAPTIC_REALTIME {
  return !entering_[entering].has_friction && solver_.normal_force(touching_ + entering) == 0.0;
}

std::size_t ImplicitStep::count_idle() const HAPTIC_REALTIME {
  std::size_t idle = 0;
  for (std::uint32_t i = next_idle_; i < known_entering_; ++i) idle += is_idle(i) ? 1 : 0;
  return idle;
}

}  // namespace haptic::solids

// Impacts with a coefficient of restitution: impulses on the momenta before the contact forces of
// a step.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Largest number of impacts of a body one after the other within a step.
constexpr int kMaxImpacts = 4;
/// Largest number of solutions with limits of friction from the one before.
constexpr int kImpactFrictionPasses = 6;
/// Change of a limit, over the limit, that asks for no further solution.
constexpr double kSameLimit = 1e-3;
/// Stiffness of an impact's rows, over that which changes the velocity of the pair by itself.
constexpr double kRigidImpact = 1e5;
/// Points of a pair that come in so much later than the first one take no part in its impact, as a
/// fraction of the step; in the last impact of a step, all do.
constexpr double kAtOnce = 1e-3;
constexpr double kNever = 2.0;
/// A gain of energy below this part is rounding.
constexpr double kEnergyRounding = 1e-12;

}  // namespace

/// Resolves the impacts of this step: points of pairs with a coefficient of restitution that come
/// into contact in it fast enough. With x0 the motion over a step with the velocities before, the
/// velocities after, x, are those with
///
///   M (x - x0) = sum J^T p,    0 <= p,  J x + e min(0, J x0) >= 0,  0 where p > 0,
///
/// Coulomb friction against J_t x, and no more energy than before. All points that come in at once,
/// and those that touch, take part. The momenta change at the time of the impact within the step.
/// Source: docs/methods/multibody.md, "Impacts".
bool ImplicitStep::strike(const ContactSet& contacts,
                          std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  if (!restitutes_) return true;
  list_near(contacts);
  for (int i = 0; i < kMaxImpacts && may_strike(contacts); ++i) {
    if (!find_impacts(contacts, bodies, i + 1 < kMaxImpacts ? kAtOnce : 1.0)) break;
    add_resting(contacts);
    load_masses();
    add_impact_rows(contacts, bodies, false);
    find_approach();
    load_approach();
    if (!solve_impacts(contacts)) return false;
    inelastic_ = solver_.step();
    load_masses();
    add_impact_rows(contacts, bodies, true);
    load_approach();
    if (!solve_impacts(contacts)) return false;
    rebound_ = solver_.step();
    limit_energy();
    apply_impacts();
  }
  return true;
}

/// Whether points of a pair with restitution are near that do not touch yet.
bool ImplicitStep::may_strike(const ContactSet& contacts) const HAPTIC_REALTIME {
  return std::ranges::any_of(contacts.close(), [&](std::uint32_t p) HAPTIC_REALTIME {
    const ContactSet::Pair& pair = contacts.pairs()[p];
    return pair.restitution && pair.contact.near().size() > pair.contact.contacts().size();
  });
}

/// The system without forces: the masses of free bodies that are awake. Nothing else moves.
void ImplicitStep::load_masses() HAPTIC_REALTIME {
  solver_.clear();
  std::ranges::fill(supports_, nullptr);
  tangent_count_ = turn_count_ = 0;
  solver_.matrix().diagonal().setConstant(1.0 / (dt_ * dt_));
  for (const Free& free : free_) {
    if (still_[free.member.body] != 0) continue;
    solver_.matrix().block<6, 6>(free.first_unknown, free.first_unknown) = free.system.matrix;
  }
}

/// The load with which the free bodies move by approach_.
void ImplicitStep::load_approach() HAPTIC_REALTIME {
  for (const Free& free : free_) {
    if (still_[free.member.body] != 0) continue;
    solver_.load().segment<6>(free.first_unknown) =
        free.system.matrix * approach_.segment<6>(free.first_unknown);
  }
}

/// Finds the points that come into contact if nothing holds the bodies, and of each pair and body
/// leaves out those later than the first by more than `at_once`. @returns whether one of them hits
bool ImplicitStep::find_impacts(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                                double at_once) HAPTIC_REALTIME {
  approach_.setZero();
  for (const Free& free : free_) {
    if (still_[free.member.body] != 0) continue;
    approach_.segment<6>(free.first_unknown) = free.member.dynamics->drift();
  }
  load_masses();
  load_approach();
  mark_awake();
  if (solver_.solve(ContactSolver::Start::kNew, ContactSolver::Accuracy::kFull, marked_) ==
      ContactSolver::Result::kNotFinite) {
    return false;
  }
  entering_count_ = known_entering_ = 0;
  scarce_ = false;
  impact_count_ = 0;
  bool hits = false;
  for (const std::uint32_t p : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (!pair.restitution || pair.contact.near().size() <= pair.contact.contacts().size()) continue;
    Frame frame = frame_of(pair, bodies);
    const std::size_t coming = find_coming(contacts, bodies, p, frame, Way::kOfBoth);
    if (add_impacts(frame, p, coming, at_once)) hits = true;
  }
  // What strikes a body sends it another way: later impacts of its other pairs are found anew.
  std::ranges::fill(impact_times_, kNever);
  const auto of_bodies = [&](const Impact& impact, auto visit) HAPTIC_REALTIME {
    const ContactSet::Pair& pair = contacts.pairs()[impact.pair];
    for (const std::size_t body : {pair.points, pair.field}) {
      if (rigid_[body].first_unknown >= 0) visit(impact_times_[rigid_[body].block]);
    }
  };
  const std::span<const Impact> found = std::span(impacts_).first(impact_count_);
  for (const Impact& impact : found) {
    if (!impact.hits) continue;
    of_bodies(impact, [&](double& first) { first = std::min(first, impact.time); });
  }
  impact_count_ = 0;
  for (const Impact& impact : found) {
    double first = kNever;
    of_bodies(impact, [&](double of_body) { first = std::min(first, of_body); });
    if (impact.time <= first + at_once) impacts_[impact_count_++] = impact;
  }
  return hits;
}

/// Adds those of the candidates that come in within the step. @returns whether one of them hits
bool ImplicitStep::add_impacts(const Frame& frame, std::uint32_t p, std::size_t coming,
                               double at_once) HAPTIC_REALTIME {
  const std::uint32_t before = impact_count_;
  double first = kNever;
  for (std::size_t i = 0; i < coming && impact_count_ < impacts_.size(); ++i) {
    const ApproachingPoint& near = candidates_[i];
    const Entry& entry = entries_[i];
    Impact impact{p, near.point, entry.on_path ? entry.expected.place : near.position, near.normal};
    std::fill_n(motion_rows_.begin(), motion_width_, 0.0);
    add_motion<1>(frame, near.point, impact.place, {impact.normal}, {motion_rows_.data()});
    const double moves = solver_.along(*frame.rows, motion_rows_.data());
    if (!(moves < 0.0)) continue;
    if (entry.on_path) {
      impact.time = 1.0 - entry.part;
    } else {
      const double distance = near.distance + impact.normal.dot(late_motion(frame, impact.place));
      if (!(distance + moves < 0.0)) continue;
      impact.time = std::clamp(-distance / moves, 0.0, 1.0);
    }
    // Points that come in because one body rolls on the other do not hit.
    const double rolls = expect(frame, near.position, near.normal, near.distance).rolls;
    impact.hits = rolls - moves > impact_speed_ * dt_;
    if (impact.hits) first = std::min(first, impact.time);
    impacts_[impact_count_++] = impact;
  }
  const std::uint32_t all = impact_count_;
  impact_count_ = before;
  if (first == kNever) return false;
  for (std::uint32_t i = before; i < all; ++i) {
    if (impacts_[i].time <= first + at_once) impacts_[impact_count_++] = impacts_[i];
  }
  return true;
}

/// Adds the points that touch, and notes which bodies do.
void ImplicitStep::add_resting(const ContactSet& contacts) HAPTIC_REALTIME {
  for (Rigid& rigid : rigid_) rigid.rests = false;
  for (const std::uint32_t p : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (pair.contact.contacts().empty()) continue;
    rigid_[pair.points].rests = rigid_[pair.field].rests = true;
    if (!pair.restitution) continue;
    for (const Contact& contact : pair.contact.contacts()) {
      if (impact_count_ == impacts_.size()) return;
      impacts_[impact_count_++] = {p, contact.point, contact.position, contact.normal};
    }
  }
}

/// @param bounces  whether points move on with their coefficient of restitution
void ImplicitStep::add_impact_rows(const ContactSet& contacts, std::span<const BodyMotion> bodies,
                                   bool bounces) HAPTIC_REALTIME {
  Frame frame{};
  for (Impact& impact : std::span(impacts_).first(impact_count_)) {
    const ContactSet::Pair& pair = contacts.pairs()[impact.pair];
    if (frame.pair != &pair) {
      frame = frame_of(pair, bodies);
      use_blocks_of(impact.pair, frame);
    }
    const double stiffness = kRigidImpact * mass_of(&pair) / (dt_ * dt_);
    const Vector3& n = impact.normal;
    double after = 0.0;
    if (bounces) {
      std::fill_n(motion_rows_.begin(), motion_width_, 0.0);
      add_motion<1>(frame, impact.point, impact.place, {n}, {motion_rows_.data()});
      const double before = solver_.along(*frame.rows, motion_rows_.data(), approach_);
      after = *pair.restitution * std::min(0.0, before);
    }
    const std::span<double> row = solver_.add_normal({after, stiffness, 0.0});
    impact.tangent = kNoPair;
    if (!(pair.contact.settings().friction.static_coefficient > 0.0)) {
      add_motion<1>(frame, impact.point, impact.place, {n}, {row.data()});
      continue;
    }
    const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
    const ContactSolver::TangentRows rows = solver_.add_tangent({{0.0, 0.0}, stiffness, 0.0});
    add_motion<3>(frame, impact.point, impact.place, {n, u, v},
                  {row.data(), rows.first.data(), rows.second.data()});
    impact.tangent = tangent_count_++;
  }
}

/// Marks the islands in which a point hits, and finds the motions with which their bodies meet: of
/// the instant of the first impact. What touches is held against gravity.
void ImplicitStep::find_approach() HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  mark_none();
  std::ranges::fill(impact_times_, 1.0);
  for (const Impact& impact : std::span(impacts_).first(impact_count_)) {
    if (!impact.hits) continue;
    const std::uint32_t block = block_of(impact.pair);
    mark_block(block);
    double& time = impact_times_[islands.first(block)];
    time = std::min(time, impact.time);
  }
  spread_marks(marked_);
  for (const Free& free : free_) {
    const Rigid& rigid = rigid_[free.member.body];
    if (marked_[rigid.block] == 0) continue;
    auto motion = approach_.segment<6>(free.first_unknown);
    const double falls = rigid.rests ? 0.0 : impact_times_[islands.first(rigid.block)];
    motion.head<3>() = rigid.expected.head<3>() +
                       falls * (free.member.dynamics->drift() - rigid.expected).head<3>();
  }
}

/// Solves the marked islands, with the limits of friction that the normal forces allow.
bool ImplicitStep::solve_impacts(const ContactSet& contacts) HAPTIC_REALTIME {
  using Start = ContactSolver::Start;
  constexpr ContactSolver::Accuracy kFull = ContactSolver::Accuracy::kFull;
  Start start = Start::kNew;
  for (int pass = 0; pass <= kImpactFrictionPasses; ++pass) {
    if (solver_.solve(start, kFull, marked_) == ContactSolver::Result::kNotFinite) return false;
    start = Start::kLast;
    bool changes = false;
    for (std::uint32_t i = 0; i < impact_count_; ++i) {
      const Impact& impact = impacts_[i];
      if (impact.tangent == kNoPair || marked_[block_of(impact.pair)] == 0) continue;
      const FrictionSettings& friction = contacts.pairs()[impact.pair].contact.settings().friction;
      const double before = solver_.limit(impact.tangent);
      const double limit = friction.dynamic_coefficient * solver_.normal_force(i);
      changes = changes || std::abs(limit - before) > kSameLimit * std::max(limit, before);
      solver_.set_limit(impact.tangent, limit);
    }
    if (!changes) break;
  }
  return solver_.step().allFinite();
}

/// Takes the motion between inelastic_ and rebound_ that is nearest to the latter and has no more
/// kinetic energy than approach_, in each island by itself. Without restitution, no impact creates
/// energy; with it, friction at several points can.
void ImplicitStep::limit_energy() HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  for (std::uint32_t i = 0; i < islands.count(); ++i) {
    if (marked_[islands.blocks(i)[0]] == 0) continue;
    double before = 0.0, least = 0.0, linear = 0.0, square = 0.0;
    for (const Free& free : free_) {
      if (islands.of(rigid_[free.member.body].block) != i) continue;
      const auto part = [&](const Eigen::VectorXd& x)
                            HAPTIC_REALTIME { return Vector6(x.segment<6>(free.first_unknown)); };
      const Matrix6& mass = free.system.matrix;
      const Vector6 x0 = part(approach_), x = part(inelastic_), more = part(rebound_) - x;
      before += x0.dot(mass * x0);
      least += x.dot(mass * x);
      linear += x.dot(mass * more);
      square += more.dot(mass * more);
    }
    const double excess = least + 2.0 * linear + square - before;
    if (!(excess > kEnergyRounding * before && square > 0.0)) continue;
    const double root = std::sqrt(std::max(0.0, linear * linear - square * (least - before)));
    const double fraction = std::clamp((root - linear) / square, 0.0, 1.0);
    for (const Free& free : free_) {
      if (islands.of(rigid_[free.member.body].block) != i) continue;
      auto x = rebound_.segment<6>(free.first_unknown);
      x = inelastic_.segment<6>(free.first_unknown) +
          fraction * (x - inelastic_.segment<6>(free.first_unknown)).eval();
    }
  }
}

void ImplicitStep::apply_impacts() HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  for (Free& free : free_) {
    Rigid& rigid = rigid_[free.member.body];
    if (still_[free.member.body] != 0 || marked_[rigid.block] == 0) continue;
    const Vector6 change =
        rebound_.segment<6>(free.first_unknown) - approach_.segment<6>(free.first_unknown);
    // A joint closes at the end of what the solution moves.
    const double time = rigid.jointed ? 0.0 : impact_times_[islands.first(rigid.block)];
    free.member.dynamics->strike(change, time);
    rigid.late -= time * change;
    load_motion(free);
  }
}

}  // namespace haptic::solids

// The bodies' parts of a step's system: inertia, elasticity, and what couples them.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Time over which a rotation lasts that counts as rolling [s]: bodies rock faster.
constexpr double kRolling_s = 0.2;

/// Change of an arm by a rotation.
Matrix3 swing_of(const Vector3& turn) HAPTIC_REALTIME {
  return rotation_exponential(turn).toRotationMatrix() - Matrix3::Identity();
}

}  // namespace

/// Bound on the motion of a body's points over a motion z of the body as a whole [m].
double ImplicitStep::way(std::size_t body, const Vector6& z) const HAPTIC_REALTIME {
  return z.head<3>().norm() + rigid_[body].radius * z.tail<3>().norm();
}

/// Bound on the motion of a body's points over a change of its coordinates, `factor` dq [m].
double ImplicitStep::deformation(std::size_t body, double factor,
                                 std::span<const double> dq) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t j = 0; j < dq.size(); ++j) sum += std::abs(dq[j]) * reaches_[body][j];
  return factor * sum;
}

void ImplicitStep::begin(const HeldBody& held, const CouplingLoad& load) HAPTIC_REALTIME {
  unshaped_ = WorldOutput::kNoBody;
  wake_pulled();
  wake_driven();
  for (const Member& member : members_) shapes_[member.body].used = member.dynamics->used();
  for (Free& free : free_) {
    // What sleeps has the system of when it fell asleep.
    if (still_[free.member.body] != 0) continue;
    if (free.member.inertia != nullptr) shape(free.member);
    rigid_[free.member.body].late.setZero();
    prepare(free);
  }
  started_ = true;
  // The held body moves at most as far as without contact or as contact has just pushed it; while
  // contact holds it, hardly more than twice as far as in the last step, unless it slips off its
  // last contact (set_margins).
  const HeldBody::StepSystem rows = held.prepare(load);
  Vector6 free = rows.load.cwiseQuotient(rows.matrix.diagonal());
  free = free.cwiseQuotient(held.excess(free));
  Rigid& own = rigid_[held_body_];
  own.origin = held.grasp_position();
  own.expected = z_;
  own.swing = swing_of(z_.tail<3>());
  const double unhindered = way(held_body_, free), last = way(held_body_, z_);
  motion_bounds_[held_body_] =
      pressing() > 0 ? std::min(std::max(unhindered, last), 2.0 * last) : unhindered;
  slipping_ = std::isfinite(unhindered) ? unhindered : 0.0;
}

void ImplicitStep::prepare(Free& free) HAPTIC_REALTIME {
  load_motion(free);
  Rigid& rigid = rigid_[free.member.body];
  const Vector3 turn = rigid.expected.tail<3>();
  if (!started_) rigid.rolling = turn;
  rigid.rolling += std::min(1.0, dt_ / kRolling_s) * (turn - rigid.rolling);
  rigid.rolling_swing = swing_of(rigid.rolling);
  motion_bounds_[free.member.body] = way(free.member.body, free.member.dynamics->drift());
}

/// The system of a free body, and its motion with the velocities of the start.
void ImplicitStep::load_motion(Free& free) HAPTIC_REALTIME {
  free.system = free.member.dynamics->prepare();
  Rigid& rigid = rigid_[free.member.body];
  rigid.origin = free.member.dynamics->centre();
  rigid.expected << dt_ / free.member.dynamics->mass().mass * free.member.dynamics->momentum(),
      free.member.dynamics->drift().tail<3>();
  rigid.swing = swing_of(rigid.expected.tail<3>());
}

/// Sets the inertia of a deformable free body to that of its present shape, and applies the impulse
/// of its inertial forces: half a step for the end of the last step and half a step for the start
/// of this one, so that the integration of the elastic forces stays second order.
void ImplicitStep::shape(const FreeMember& free) HAPTIC_REALTIME {
  FloatingInertia& inertia = *free.inertia;
  DeformableBody& shape = *free.shape;
  inertia.set_used(shape.used());
  inertia.update(shape.q(), shape.qdot());
  free.dynamics->deform(inertia.inertia(), inertia.spin());
  shape.set_mass(inertia.mass());
  const double time = started_ ? dt_ : 0.5 * dt_;
  const Vector3 w = free.dynamics->angular_velocity_in_body();
  if (!shape.push(inertia.impulse(w, time))) unshaped_ = static_cast<std::uint32_t>(free.body);
}

void ImplicitStep::add_bodies(const HeldBody::StepSystem& rows) HAPTIC_REALTIME {
  std::ranges::fill(added_, 0.0);
  solver_.matrix().topLeftCorner<6, 6>() = rows.matrix;
  solver_.load().head<6>() = rows.load;
  for (const Free& free : free_) {
    if (still_[free.member.body] != 0) continue;
    solver_.matrix().block<6, 6>(free.first_unknown, free.first_unknown) = free.system.matrix;
    solver_.load().segment<6>(free.first_unknown) = free.system.load;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (still_[members_[i].body] != 0) continue;
    const auto system = members_[i].dynamics->prepare(change(i));
    const auto r = static_cast<Eigen::Index>(system.load.size());
    const Eigen::Index at = shapes_[members_[i].body].first_unknown;
    const Eigen::Map<const Eigen::MatrixXd> matrix(system.matrix.data(), r, r);
    const Eigen::Map<const Eigen::VectorXd> load(system.load.data(), r);
    solver_.matrix().block(at, at, r, r) = matrix / weights_[i];
    solver_.load().segment(at, r) = load / weights_[i];
    // The unknowns behind have no load and are coupled with nothing.
    const auto all = static_cast<Eigen::Index>(members_[i].dynamics->q().size());
    solver_.matrix().diagonal().segment(at + r, all - r).setConstant(1.0 / (dt_ * dt_));
  }
  for (Free& free : free_) {
    if (free.member.inertia != nullptr && still_[free.member.body] == 0) couple(free);
  }
}

/// Rotation t and deformation x of a free body, coupled by C = C(q), with J of the same shape:
///
///   (J t + C x) / dt^2 = J t0 / dt^2 + C q' / dt + torque
///   C^T (t - t0) / dt^2 + C^T J^-1 C (x - dt q') / dt^2 + A x = b + force
///
/// where t0 is the rotation at constant q', and A x = b the step with the mass 1 - C^T J^-1 C.
void ImplicitStep::couple(Free& free) HAPTIC_REALTIME {
  const FloatingInertia& inertia = *free.member.inertia;
  const Shape& shape = shapes_[free.member.body];
  const Eigen::Index at = shape.first_unknown, turn = free.first_unknown + 3;
  const Matrix3 R = free.member.dynamics->pose().orientation.toRotationMatrix();
  const Vector3 drift = free.member.dynamics->drift().tail<3>();
  Eigen::MatrixXd& A = solver_.matrix();
  const double square = 1.0 / (dt_ * dt_);
  const Eigen::Index used = shape.used, unused = free.coupling.cols() - used;
  free.coupling.rightCols(unused).setZero();
  free.turning.rightCols(unused).setZero();
  free.turning.bottomRows(unused).setZero();
  for (Eigen::Index j = 0; j < used; ++j) {
    const Vector3 against = square * inertia.counter_turn().col(j);
    const Vector3 c = square * (R * inertia.coupling().col(j));
    free.coupling.col(j) = c;
    for (Eigen::Index k = 0; k < 3; ++k) A(at + j, turn + k) = c[k];
    for (Eigen::Index i = j; i < used; ++i) {
      const double both = inertia.coupling().col(i).dot(against);
      free.turning(i, j) = free.turning(j, i) = both;
      A(at + i, at + j) += both;
    }
    const double load = c.dot(drift) + dt_ * against.dot(inertia.spin());
    solver_.load()[at + j] += load;
    added_[shape.at + static_cast<std::size_t>(j)] += load;
  }
  free.spin = R * inertia.spin() / dt_;
  solver_.load().segment<3>(turn) += free.spin;
}

Vector3 ImplicitStep::free_torque(std::size_t member) const HAPTIC_REALTIME {
  const Free& free = free_[member];
  if (free.member.inertia == nullptr) return Vector3::Zero();
  const std::ptrdiff_t first = shapes_[free.member.body].first_unknown;
  Vector3 sum = -free.spin;
  for (Eigen::Index j = 0; j < free.coupling.cols(); ++j) {
    sum += free.coupling.col(j) * solver_.step()[first + j];
  }
  return sum;
}

/// A body in the system of the step; what is known of its motion is left out.
JointedBody::Placement ImplicitStep::placement_of(
    std::size_t body, std::span<const BodyMotion> bodies) const HAPTIC_REALTIME {
  const Rigid& rigid = rigid_[body];
  const Shape& shape = shapes_[body];
  return {rigid.first_unknown, rigid.block,    shape.first_unknown,
          shape.block,         shape.before,   shape.used,
          bodies[body].pose,   bodies[body].q, rigid.origin,
          Vector6::Zero(),     false};
}

void ImplicitStep::place_joints(std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  if (pull_.body() != Pull::kNoBody) pull_.begin(placement_of(pull_.body(), bodies));
  if (joints_.empty()) return;
  const auto place = [&](std::size_t body, const Vector6& expected, bool free) HAPTIC_REALTIME {
    if (still_[body] != 0) return;
    JointedBody::Placement placement = placement_of(body, bodies);
    placement.expected = expected;
    placement.free = free;
    joints_.place(body, placement);
  };
  for (const Member& member : members_) place(member.body, Vector6::Zero(), false);
  place(held_body_, z_, false);
  for (const Free& free : free_) place(free.member.body, free.member.dynamics->drift(), true);
  joints_.begin();
}

/// The part of the forces that fades after a change of levels has no gradient: it is constant.
void ImplicitStep::add_carried(const ContactSet& contacts) HAPTIC_REALTIME {
  carried_ = {};
  Eigen::VectorXd& load = solver_.load();
  for (const std::uint32_t i : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[i];
    const Wrench& wrench = pair.contact.carried();
    carried_.force += wrench.force;
    carried_.torque += wrench.torque;
    const auto add = [&](std::size_t body, std::span<const double> all, std::span<const double> law)
                         HAPTIC_REALTIME {
                           const Shape& shape = shapes_[body];
                           if (shape.first_unknown < 0) return;
                           double* const to = load.data() + shape.first_unknown;
                           double* const sum = added_.data() + shape.at;
                           for (std::size_t j = 0; j < shape.used; ++j) {
                             to[j] += all[j] - law[j];
                             sum[j] += all[j] - law[j];
                           }
                         };
    add(pair.points, pair.contact.reduced_force(), pair.contact.reduced_force_of_contacts());
    add(pair.field, pair.contact.reduced_force_of_field(),
        pair.contact.reduced_force_of_contacts_on_field());
  }
  load.segment<3>(0) += carried_.force;
  load.segment<3>(3) += carried_.torque;
}

}  // namespace haptic::solids

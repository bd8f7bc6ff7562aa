// How the held body of the last step gives way to a hand that moves on.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

constexpr std::uint32_t kHeldBlock = 0;
/// Of the friction cone: the force of a contact that slides has to turn with its slip.
constexpr double kBeyondCone = 1.05;

}  // namespace

/// The last system's compliance gives the resistance of all that the held body touches; its own is
/// replaced by that without the static damping and the damper of the speed limit.
HeldResponse ImplicitStep::response(const HeldBody& held, ContactSet& contacts,
                                    std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  for (const std::uint32_t joint : joints_.awake()) {
    const auto [first, second] = joints_.bodies(joint);
    if (first == held_body_ || second == held_body_) return {};
  }
  double pressure = 0.0, cone = 0.0;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const std::uint32_t p = pair_of_normal(i);
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (pair.points != held_body_ && pair.field != held_body_) continue;
    const double force = solver_.normal_force(i);
    pressure += force;
    cone += force * std::hypot(1.0, pair.contact.settings().friction.static_coefficient);
  }
  if (!(pressure > 0.0)) {
    return held.response_in_air(contacts.clearance(bodies, held.way_in_air()), held.radius());
  }
  ContactSolver::Response system;
  if (!solver_.response(kHeldBlock, system)) return {};
  Matrix6 own = solver_.matrix().topLeftCorner<6, 6>();
  own = own.selfadjointView<Eigen::Lower>();
  const Matrix6 resistance = system.compliance.ldlt().solve(Matrix6::Identity());
  const Matrix6 steady = resistance - own + hand_.undelayed;
  const Matrix6 mobility = hand_.undelayed.llt().solve(Matrix6::Identity());
  const Matrix6 Y = steady.ldlt().solve(Matrix6(hand_.stiffness.asDiagonal()));
  Vector6 wrench;
  wrench << wrench_.force, wrench_.torque;

  HeldResponse response;
  response.manipulandum = held.manipulandum();
  response.free = mobility * hand_.stiffness.asDiagonal();
  response.contact = Y - response.free;
  response.late = hand_.held_back;
  response.pushed = mobility * wrench;
  response.release = Y.transpose() * (resistance * system.pressure) / pressure;
  response.reach = kBeyondCone * mobility(0, 0) * cone;
  response.max_motion = held.max_motion();
  response.max_rotation = held.max_rotation();
  return Y.allFinite() ? response : HeldResponse{};
}

}  // namespace haptic::solids

#include "rt/worlds/cloth/tool_hand.h"

#include <Eigen/Cholesky>

#include "rt/worlds/cloth/cloth_bodies.h"

namespace haptic::cloth {

namespace {

constexpr std::size_t kMaxToolSites = 1 << 16;
/// Room for a sliding force to turn, as of a condensed body's contacts.
constexpr double kFrictionMargin = 1.05;

Twist twist_between(const Pose& from, const Pose& to, double dt) HAPTIC_REALTIME {
  return {(to.position - from.position) / dt,
          rotation_logarithm(to.orientation * from.orientation.conjugate()) / dt};
}

}  // namespace

ToolHand::ToolHand(const SignedField& field, std::span<const TriangleCorners> cloth,
                   std::span<const double> rest, const ClothSettings& settings,
                   std::uint32_t partner, double dt)
    : sites_(cloth, rest, site_spacing(field), kMaxToolSites),
      contacts_(sites_, field,
                {.stiffness = settings.contact_stiffness,
                 .foundation = settings.contact_foundation,
                 .friction = settings.contact_friction,
                 .thickness = settings.thickness,
                 .capacity = settings.contact_capacity}),
      partner_(partner),
      dt_(dt) {}

bool ToolHand::approach(const HeldBody& held, const HeldBody::StepSystem& system,
                        const BoxHierarchy& hierarchy, const ClothState& state,
                        ContactStep& step) HAPTIC_REALTIME {
  Vector6 free = system.matrix.llt().solve(system.load);
  const Vector6 excess = held.excess(free);
  free = free.cwiseQuotient(excess);
  // A damper with which the tool goes in free space as far as it may in a step. The coupling's
  // force on a tool that rests stays what it is.
  const Vector6 slower = excess.cwiseSqrt();
  const Matrix6 matrix = slower.asDiagonal() * system.matrix * slower.asDiagonal();
  step.set_partner(partner_, {matrix.data(), 36}, {system.load.data(), 6});
  contacts_.find(hierarchy, state,
                 {.pose = held.pose(), .twist = twist_between(held.pose(), held.moved(free), dt_)},
                 dt_);
  return contacts_.add_to(step,
                          {FieldContacts::Partner::Kind::kRigid, partner_, held.grasp_position()});
}

Pose ToolHand::follow(const HeldBody& held, const ContactStep& step) HAPTIC_REALTIME {
  contacts_.settle(step);
  wrench_ = contacts_.wrench_about(held.grasp_position());
  const std::span<const double> y = step.partner_motion(partner_);
  const Vector6 z = Eigen::Map<const Vector6>(y.data());
  return held.moved(z.cwiseQuotient(held.excess(z)));
}

HeldResponse ToolHand::response(const HeldBody& held, const HeldBody::StepSystem& system,
                                const BoxHierarchy& hierarchy, const ClothState& state,
                                ContactStep& step) HAPTIC_REALTIME {
  HeldResponse response;
  response.manipulandum = held.manipulandum();
  response.max_motion = held.max_motion();
  response.max_rotation = held.max_rotation();
  const FieldContacts::Pressure pressure = contacts_.pressure(step);
  const double square = pressure.force.squaredNorm();
  if (!(square > 0.0)) {
    return held.response_in_air(
        contacts_.clearance(hierarchy, state, held.pose(), held.way_in_air()), held.radius());
  }
  Matrix6 mobility;
  if (!step.partner_response(partner_, system.undelayed, mobility)) return response;
  const Matrix6 free = system.undelayed.llt().solve(Matrix6::Identity());
  const Matrix6 stiffness = system.stiffness.asDiagonal();
  const Matrix6 Y = mobility * stiffness;
  response.free = free * stiffness;
  response.contact = Y - response.free;
  response.late = system.held_back;
  Vector6 wrench;
  wrench << wrench_.force, wrench_.torque;
  response.pushed = free * wrench;
  // Of the pressures' common direction.
  const Eigen::Matrix<double, 3, 6> gradient = (system.undelayed * response.contact).topRows<3>();
  response.release = gradient.transpose() * pressure.force / square;
  response.reach = kFrictionMargin * free(0, 0) * pressure.friction_limit;
  return response;
}

void ToolHand::set_contact(double stiffness, double friction) HAPTIC_REALTIME {
  contacts_.adjustable().stiffness = stiffness;
  contacts_.adjustable().friction = friction;
}

}  // namespace haptic::cloth

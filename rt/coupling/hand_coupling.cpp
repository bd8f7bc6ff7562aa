#include "rt/coupling/hand_coupling.h"

#include <algorithm>

#include "rt/coupling/coupling_law.h"

namespace haptic {

Pose HandCoupling::manipulandum(const Pose& hand) const HAPTIC_REALTIME {
  Pose pose;
  pose.position = grasp.frame(home).position + length_scale * hand.position;
  pose.orientation = (hand.orientation * home.orientation).normalized();
  return grasp.body(pose);
}

Pose HandCoupling::held(const Pose& manipulandum, const Pose& delayed,
                        const Pose& held_of_step) const HAPTIC_REALTIME {
  if (!response.moves()) return held_of_step;
  const Pose now = grasp.frame(manipulandum);
  const auto way_from = [&](const Pose& body) HAPTIC_REALTIME {
    const Pose then = grasp.frame(body);
    Vector6 d;
    d << now.position - then.position,
        rotation_logarithm(now.orientation * then.orientation.conjugate());
    return d;
  };
  const Vector6 late = response.late.cwiseProduct(way_from(delayed));
  const Vector6 z = response.motion(way_from(response.manipulandum) - late);
  const Pose frame = grasp.frame(held_of_step);
  return grasp.body({frame.position + z.head<3>(),
                     (rotation_exponential(z.tail<3>()) * frame.orientation).normalized()});
}

Wrench HandCoupling::wrench(const Pose& manipulandum, const Twist& manipulandum_twist,
                            const Pose& held, const Twist& held_twist) const HAPTIC_REALTIME {
  Wrench wrench;
  wrench.force = -stiffness * (grasp.frame(manipulandum).position - grasp.frame(held).position);
  wrench.torque =
      -coupling_torque(manipulandum.orientation, held.orientation, {rotational_stiffness});
  if (damping > 0.0) wrench.force -= damping * (manipulandum_twist.linear - held_twist.linear);
  if (rotational_damping > 0.0) {
    wrench.torque -= rotational_damping * (manipulandum_twist.angular - held_twist.angular);
  }
  return wrench;
}

double HandCoupling::stored(const Pose& manipulandum, const Pose& held) const HAPTIC_REALTIME {
  const Quaternion gap =
      to_positive_hemisphere(manipulandum.orientation * held.orientation.conjugate());
  const Vector3 way = grasp.frame(manipulandum).position - grasp.frame(held).position;
  return 0.5 * stiffness / length_scale * way.squaredNorm() +
         2.0 * rotational_stiffness * (1.0 - std::min(gap.w(), 1.0));
}

}  // namespace haptic

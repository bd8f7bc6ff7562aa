#pragma once

#include "shared/ipc/telemetry_layout.h"
#include "shared/math/pose.h"

namespace haptic {

inline void write(PoseRecord& record, const Pose& pose) HAPTIC_REALTIME {
  for (int i = 0; i < 3; ++i) record.position_m[i] = pose.position[i];
  record.orientation_wxyz[0] = pose.orientation.w();
  record.orientation_wxyz[1] = pose.orientation.x();
  record.orientation_wxyz[2] = pose.orientation.y();
  record.orientation_wxyz[3] = pose.orientation.z();
}

inline void write(TwistRecord& record, const Twist& twist) HAPTIC_REALTIME {
  for (int i = 0; i < 3; ++i) {
    record.linear_m_s[i] = twist.linear[i];
    record.angular_rad_s[i] = twist.angular[i];
  }
}

inline void write(WrenchRecord& record, const Wrench& wrench) HAPTIC_REALTIME {
  for (int i = 0; i < 3; ++i) {
    record.force_N[i] = wrench.force[i];
    record.torque_Nm[i] = wrench.torque[i];
  }
}

}  // namespace haptic

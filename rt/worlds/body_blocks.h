#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/math/pose.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Number of blocks that every world with bodies has first.
inline constexpr std::size_t kBodyBlocks = 2;

/// Returns these blocks: the poses, then the coordinates (World::state_layout).
/// @param coordinates  reduced coordinates of all bodies
inline std::vector<StateBlock> body_blocks(std::size_t bodies, std::size_t coordinates) {
  return {{.name = std::string(StateLayout::kBodyPoses),
           .unit = "m and 1",
           .meaning = "position and orientation w, x, y, z of each body, world",
           .shape = {static_cast<std::uint32_t>(bodies), 7},
           .display = StateDisplay::kPose},
          {.name = std::string(StateLayout::kBodyCoordinates),
           .unit = "m kg^1/2",
           .meaning = "reduced coordinates q of all bodies",
           .shape = {static_cast<std::uint32_t>(coordinates)},
           .display = StateDisplay::kReducedCoordinates}};
}

/// Writes a pose in the order of StateDisplay::kPose.
inline void write_pose(const Pose& pose, std::span<double, 7> values) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < 3; ++i) values[i] = pose.position[static_cast<Eigen::Index>(i)];
  values[3] = pose.orientation.w();
  values[4] = pose.orientation.x();
  values[5] = pose.orientation.y();
  values[6] = pose.orientation.z();
}

inline Pose read_pose(std::span<const double, 7> values) {
  return {Vector3(values[0], values[1], values[2]),
          Quaternion(values[3], values[4], values[5], values[6])};
}

}  // namespace haptic

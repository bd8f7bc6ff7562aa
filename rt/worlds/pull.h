#pragma once

#include <cstdint>

#include "shared/ipc/command.h"
#include "shared/math/pose.h"

namespace haptic {

/// A spring that pulls a material point of a body to a place, as World::prepare_pull finds it.
struct Pull {
  static constexpr std::uint32_t kNoBody = ~std::uint32_t{0};
  std::uint32_t body = kNoBody;       ///< index into World::bodies(); kNoBody: lets go
  Vector3 at_rest = Vector3::Zero();  ///< the point, coordinates of the body's model [m]
  /// Of a body that deforms: the triangle of its surface with the point, and the point's weights.
  std::uint32_t corners[3] = {};
  Vector3 weights = Vector3::Zero();
  Vector3 target = Vector3::Zero();  ///< world, or from where the point is at the start [m]
  bool is_relative = false;          ///< the latter
  double stiffness = 0.0;            ///< N/m
  double limit = 0.0;                ///< largest force [N]
};

/// What an operator asks for, without the body, which World::prepare_pull finds.
inline Pull pull_of(const PullRequest& request) {
  Pull pull;
  pull.at_rest = Vector3(request.point);
  pull.target = Vector3(request.target);
  pull.is_relative = request.is_relative != 0.0;
  pull.stiffness = request.stiffness;
  pull.limit = request.limit;
  return pull;
}

}  // namespace haptic

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// State of one body of a scene.
struct ProbedBody {
  Pose pose;              ///< world
  std::vector<double> q;  ///< reduced coordinates [r]
};

/// One point in contact.
struct ProbedContact {
  std::size_t points, field;  ///< body indices in the scene
  std::uint32_t point;        ///< index into the shell of `points`
  Vector3 position, normal;   ///< world [m, 1]
  double depth;               ///< m
  Vector3 force;              ///< on the held body, else on the body of the field, world [N]
  std::optional<std::uint32_t> site{};  ///< only if forces are scaled per site
};

/// Contacts of a scene at one state, and their effect on the bodies.
struct ProbedContacts {
  std::vector<ProbedContact> contacts;
  Wrench wrench;                                    ///< on the held body about its grasp, world
  Matrix6 gradient = Matrix6::Zero();               ///< d(wrench)/d(motion of the grasp)
  std::vector<std::vector<double>> reduced_forces;  ///< one per body [r]; empty for a rigid one
  std::uint32_t visited_nodes = 0;
};

/// Evaluates the contacts of a scene at states that the caller chooses, outside the loop.
class ContactProbe {
 public:
  virtual ~ContactProbe() = default;

  /// Reduced coordinates of a body, 0 for a rigid one.
  virtual std::size_t dimension(std::size_t body) const = 0;

  /// @param bodies       all bodies of the scene, in its order
  /// @param every_point  evaluate every point instead of searching the point trees
  virtual ProbedContacts touch(std::span<const ProbedBody> bodies, bool every_point) = 0;
};

}  // namespace haptic

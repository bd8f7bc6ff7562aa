#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// The force on the hand, back on the cloth: the mean over a step of the cloth, so that no impulse
/// is lost between two rates.
///
/// Each touched triangle gets the part along its normal, and the one with the largest part the
/// rest, friction and shading; on the particles by the weights of the touched point. Their sum is
/// the reaction, and their torque that of the reaction at the touched points.
/// Source: docs/methods/cloth.md, "Force".
class TouchReaction {
 public:
  explicit TouchReaction(std::size_t particles);

  /// @param force      on the hand [N], of `TouchForce`
  /// @param stiffness  N/m, that of the force
  /// @param dt         for which it acts [s]
  void add(const cloth::GodObject& god, const Vector3& force, double stiffness,
           double dt) HAPTIC_REALTIME;

  /// Adds the mean force since the last call to `f` [N], 3n values, and starts again.
  void take(std::span<double> f) HAPTIC_REALTIME;

 private:
  cloth::ParticleVectors impulse_;  // N s
  double time_ = 0.0;
};

}  // namespace haptic::lab

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {

/// Contacts of a scene at poses that any method may have found.
class PenetrationProbe {
 public:
  struct Result {
    std::uint32_t contacts = 0;  ///< points inside another body
    double deepest = 0.0;        ///< [m]
  };

  /// @param scene  rigid bodies @throws InputError as SolidsWorld
  explicit PenetrationProbe(const Scene& scene);
  /// @param poses  one per body
  Result at(std::span<const Pose> poses);

 private:
  solids::SolidsWorld world_;
  std::vector<BodyMotion> motions_;
};

}  // namespace haptic

#include "lab/multibody/penetration_probe.h"

#include <algorithm>

namespace haptic {

PenetrationProbe::PenetrationProbe(const Scene& scene)
    : world_(scene, nullptr), motions_(scene.bodies.size()) {}

PenetrationProbe::Result PenetrationProbe::at(std::span<const Pose> poses) {
  for (std::size_t i = 0; i < motions_.size(); ++i) motions_[i].pose = poses[i];
  world_.contacts().touch(motions_);
  Result result;
  for (const solids::ContactSet::Pair& pair : world_.pairs()) {
    result.contacts += static_cast<std::uint32_t>(pair.contact.contacts().size());
    for (const Contact& contact : pair.contact.contacts()) {
      result.deepest = std::max(result.deepest, contact.depth);
    }
  }
  return result;
}

}  // namespace haptic

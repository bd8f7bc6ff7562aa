#include "rt/worlds/cloth/cloth_settings.h"

#include <memory>

#include "shared/assert.h"

namespace haptic::cloth {

const ClothSettings& cloth_settings(const Scene& scene) {
  const auto* const settings = dynamic_cast<const ClothSettings*>(scene.settings.get());
  HAPTIC_DEMAND(settings != nullptr);
  return *settings;
}

ClothSettings& edit_cloth(Scene& scene) {
  const auto copy = std::make_shared<ClothSettings>(cloth_settings(scene));
  ClothSettings& editable = *copy;
  scene.settings = copy;
  return editable;
}

}  // namespace haptic::cloth

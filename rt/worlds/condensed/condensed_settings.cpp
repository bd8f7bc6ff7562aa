#include "rt/worlds/condensed/condensed_settings.h"

#include <memory>

#include "shared/assert.h"

namespace haptic::condensed {

const CondensedSettings& condensed_settings(const Scene& scene) {
  const auto* const settings = dynamic_cast<const CondensedSettings*>(scene.settings.get());
  HAPTIC_DEMAND(settings != nullptr);
  return *settings;
}

CondensedSettings& edit_condensed(Scene& scene) {
  const auto copy = std::make_shared<CondensedSettings>(condensed_settings(scene));
  CondensedSettings& editable = *copy;
  scene.settings = copy;
  return editable;
}

}  // namespace haptic::condensed

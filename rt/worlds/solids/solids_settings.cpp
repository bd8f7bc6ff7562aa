#include "rt/worlds/solids/solids_settings.h"

#include <memory>

#include "shared/assert.h"

namespace haptic::solids {

const SolidsSettings& solids_settings(const Scene& scene) {
  const auto* const settings = dynamic_cast<const SolidsSettings*>(scene.settings.get());
  HAPTIC_DEMAND(settings != nullptr);
  return *settings;
}

SolidsSettings& edit_solids(Scene& scene) {
  const auto own = scene.settings ? std::make_shared<SolidsSettings>(solids_settings(scene))
                                  : std::make_shared<SolidsSettings>();
  scene.settings = own;
  return *own;
}

}  // namespace haptic::solids

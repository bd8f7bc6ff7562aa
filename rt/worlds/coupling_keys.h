#pragma once

#include "rt/bodies/held_body_settings.h"
#include "rt/coupling/passivity_controller.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The table [coupling] of a scene.
const KeySchema<HeldBodySettings>& coupling_keys();

/// The table [passivity] of a scene, which alone enables the controller.
const KeySchema<PassivitySettings>& passivity_keys();

}  // namespace haptic

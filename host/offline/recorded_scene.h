#pragma once

#include "host/log/log_reader.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// The scene of a log: its recorded text, or the scene's file where the log has none, as those of
/// runs without a daemon. @throws InputError as parse_scene and load_scene
Scene recorded_scene(const LogReader& log);

}  // namespace haptic

#pragma once

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// "alive", "closed", "dead", "restarted" or "replaced".
const char* name(DaemonLife life);

}  // namespace haptic

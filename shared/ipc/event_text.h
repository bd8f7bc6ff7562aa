#pragma once

#include <string>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// An event in one line, without its time and cycle: "set coupling.stiffness 200 by user 1000,
/// process 4711 (haptic): applied", "mark \"trial 3\" by user ...", "fault speed_limit", "another
/// scene /scenes/cow.toml". Foreign text in it is printable().
std::string event_text(const EventRecord& event);

}  // namespace haptic

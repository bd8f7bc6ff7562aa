#pragma once

#include <vector>

#include "host/log/log_reader.h"
#include "shared/state/physical_warnings.h"

namespace haptic {

/// What the rows of a log show of kPhysicalWarnings, but for the age of world steps: a log does not
/// say at which rate the world stepped.
/// @throws InputError if a column is damaged
std::vector<WarningFinding> logged_warnings(const LogReader& log);

}  // namespace haptic

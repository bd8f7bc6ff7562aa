#pragma once

#include "host/log/log_reader.h"

namespace haptic {

/// Prints the columns of a log (`--list` of plot and export): name, parts, unit, meaning, a line
/// each, and the blocks that only pictures show.
void print_columns(const LogReader& log);

}  // namespace haptic

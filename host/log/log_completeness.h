#pragma once

#include <string>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// What a log lacks, one sentence for each kind: it was cut off, its recording was not finished,
/// its columns state more rows than can be read, cycles are missing, events are missing. Empty for
/// a log that is whole. Every command that shows a log says these once.
/// @throws InputError if the cycles or the events are damaged
std::vector<std::string> completeness(const LogReader& log);

}  // namespace haptic

#pragma once

#include <string>

namespace haptic {

/// The system's reason `error` for a refusal of memory or of a thread, whose stack is memory. Where
/// it may be the limit of locked memory, also how much is locked and how much may be: "Resource
/// temporarily unavailable; 221.3 MB of memory are locked, of 224.0 MB (LimitMEMLOCK, ulimit -l)".
std::string memory_reason(int error);

}  // namespace haptic

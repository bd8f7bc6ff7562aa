#pragma once

#include <string>

#include "shared/ipc/command.h"

namespace haptic {

/// Why a daemon refused a command, in one line for its user: the reason, the daemon's own text, the
/// range of a value, the nearest key. Looks up the parameters for an unknown key.
/// @param key  of `set`, else empty @param reply  its answer is not kApplied
std::string refusal(const std::string& daemon_name, const std::string& key,
                    const CommandReply& reply);

}  // namespace haptic

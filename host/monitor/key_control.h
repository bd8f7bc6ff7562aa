#pragma once

#include <string>
#include <vector>

#include "host/monitor/key_bindings.h"

namespace haptic {

/// Moves parameters of a running world by the keys of the terminal until q, Ctrl-C or the end of
/// the daemon. The present values and the targets are on the last line of the terminal, which is
/// restored in any case. At most one command is under way, and at most 25 are sent a second.
/// @throws InputError if standard input or output is no terminal, or the world has no such
///         parameter; OperationError if the daemon does not run, dies, or refuses a command
void control_by_keys(const std::string& daemon_name, const std::vector<KeyBinding>& bindings);

}  // namespace haptic

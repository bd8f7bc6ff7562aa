#pragma once

#include <string>

namespace haptic {

/// `haptic top`: the status of a daemon, redrawn a few times a second on a plain ANSI terminal
/// until q, Ctrl-C or the daemon's end. With standard output no terminal: one report, then the end.
/// @throws OperationError if no daemon of that name runs
void watch_daemon(const std::string& daemon_name);

}  // namespace haptic

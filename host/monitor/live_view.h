#pragma once

#include <string>

namespace haptic {

/// `haptic top`: the page of a daemon (top_page.h), drawn four times a second until q, Ctrl-C or
/// the end of the terminal. The keys e (asked again), r, s and R send engage, release, stop and
/// reset. It follows the daemon to another scene, and waits for it where it ends.
/// @throws OperationError if no daemon of that name runs at the start,
///         InputError without a terminal that can place its cursor
void watch_daemon(const std::string& daemon_name);

}  // namespace haptic

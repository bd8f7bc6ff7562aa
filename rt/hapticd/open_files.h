#pragma once

namespace haptic {

/// Files that the daemon may have open at once: as many clients as each of its sockets serves, and
/// its own. With fewer, clients who do nothing but connect could take the descriptor of a stop.
inline constexpr unsigned long kNeededOpenFiles = 256;

/// Raises the limit of this process as far as it needs and may.
/// @throws OperationError if it stays below kNeededOpenFiles
void require_open_files();

}  // namespace haptic

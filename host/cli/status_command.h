#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic status [--json] [--name NAME]` and `haptic top [--name NAME]`: look at a running daemon.
/// Exit code 1 if none of that name runs.
void add_status_command(CLI::App& app);

}  // namespace haptic

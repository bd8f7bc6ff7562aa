#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic status [--json] [--name NAME]` and `haptic top [--name NAME]`: show a running daemon.
/// Exit code 1 if no daemon of that name runs.
void add_status_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic engage | release | stop | reset | home | takeover | set KEY VALUE | pull [BODY X Y Z]
/// [--name NAME]`:
/// operator commands. Each waits for the daemon's acknowledgement; exit code 1 with the reason if
/// the daemon refuses or does not run.
void add_operator_command(CLI::App& app);

}  // namespace haptic

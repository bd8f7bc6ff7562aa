#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic keys LESS/MORE=PARAMETER[@SPEED] ... [--speed SPEED] [--name NAME]`: moves parameters of
/// the running world, such as targets of servos, by the keys of the terminal (key_control.h).
void add_keys_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_simulate_command(CLI::App& app);

}  // namespace haptic

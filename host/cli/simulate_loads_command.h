#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic simulate MODEL.h5 --loads LOADS.toml ...`, in the helper.
void add_simulate_loads_command(CLI::App& app);

}  // namespace haptic

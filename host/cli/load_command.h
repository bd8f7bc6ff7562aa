#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic load SCENE.toml`
void add_load_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic mesh NAME -o OUT.obj [--length L] [--resolution N] [--set KEY=VALUE ...] [--json]`:
/// writes a shape of the procedural catalogue; `haptic mesh --list` shows shapes and parameters.
void add_mesh_command(CLI::App& app);

}  // namespace haptic

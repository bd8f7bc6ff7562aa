#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `inspect` of a surface mesh, for the helper (helper_commands.h).
void add_inspect_mesh_command(CLI::App& app);

}  // namespace haptic

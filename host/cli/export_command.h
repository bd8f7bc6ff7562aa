#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// Adds `haptic export`.
void add_export_command(CLI::App& app);

}  // namespace haptic

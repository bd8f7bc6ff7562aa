#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic new recipe|scene|hand`
void add_new_command(CLI::App& app);

}  // namespace haptic

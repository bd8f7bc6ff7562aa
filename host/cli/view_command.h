#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_view_command(CLI::App& app);

}  // namespace haptic

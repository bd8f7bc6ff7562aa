#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_plot_command(CLI::App& app);

}  // namespace haptic

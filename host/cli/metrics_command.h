#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_metrics_command(CLI::App& app);

}  // namespace haptic

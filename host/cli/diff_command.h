#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_diff_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_sketch_command(CLI::App& app);

}  // namespace haptic

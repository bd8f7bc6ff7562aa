#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_replay_command(CLI::App& app);

}  // namespace haptic

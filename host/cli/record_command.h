#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_record_command(CLI::App& app);

}  // namespace haptic

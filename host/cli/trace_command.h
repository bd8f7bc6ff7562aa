#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_trace_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

void add_report_command(CLI::App& app);

}  // namespace haptic

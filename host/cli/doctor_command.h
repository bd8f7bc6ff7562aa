#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic doctor [--json] [--root DIR]`: is this machine fit for a real-time loop, and what to
/// change. Exit code 1 if it is not.
void add_doctor_command(CLI::App& app);

}  // namespace haptic

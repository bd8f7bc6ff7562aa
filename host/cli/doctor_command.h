#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic doctor [--json] [--root DIR]`: checks whether this machine is fit for a real-time loop
/// and prints what to change. Exit code 1 if it is not fit.
void add_doctor_command(CLI::App& app);

}  // namespace haptic

#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic calibrate DEVICE [--skip-directions] [--no-prompt] [--timeout S]`: homes a device by
/// hand. For an arm on a board the counters' directions are checked and what they read in the
/// calibration pose is written to the manifest's calibration file; a Falcon is led through its
/// homing. Motors are off throughout; the daemon must not run on the device.
void add_calibrate_command(CLI::App& app);

}  // namespace haptic

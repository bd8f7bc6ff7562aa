#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic calibrate DEVICE [--skip-directions] [--no-prompt] [--timeout S]`: homes a device by
/// hand. For an arm on a board it checks the directions of the counters and writes their values in
/// the calibration pose to the manifest's calibration file. For a Falcon it prompts for the homing
/// motion. The motors are off throughout; no daemon may use the device meanwhile.
void add_calibrate_command(CLI::App& app);

}  // namespace haptic

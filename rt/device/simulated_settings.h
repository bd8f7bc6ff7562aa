#pragma once

#include <filesystem>
#include <memory>

#include "rt/device/simulated_device.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// A simulated device as a scene's [device] or a manifest of kind "simulated" describes it.
struct SimulatedSettings {
  std::filesystem::path script;  ///< CSV, absolute; empty: a hand at rest
  HandSettings hand;
  EncoderSettings encoder;
  SimulatedHardware hardware;
  DeviceLimits limits{};  ///< from a manifest; for a scene's [device] its [limits] apply
  bool operator==(const SimulatedSettings&) const = default;
};

/// Reads the keys of a simulated device; the caller ends with table.finish().
/// @throws InputError for a value out of range and for a property the hand's kind does not have
SimulatedSettings read_simulated(const TomlTable& table);

/// Reads a manifest of kind "simulated". @throws InputError as read_simulated, for unknown keys,
/// too
SimulatedSettings read_simulated_manifest(const TomlTable& root);

/// The script of the hand; a hand at rest where the settings name none.
/// @throws InputError if the script is refused
HandScript hand_script(const SimulatedSettings& settings);

/// @param rate_hz exchanges per second
/// @throws InputError if the hand script is refused
std::unique_ptr<Device> make_simulated(const SimulatedSettings& settings, double rate_hz);

}  // namespace haptic

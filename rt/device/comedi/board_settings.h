#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rt/device/device_manifest.h"

namespace haptic {

/// How counters are set up to count encoders (docs/methods/devices.md, "Encoder counters").
enum class CounterSetup : std::uint8_t {
  kNone,     ///< they already do
  kReset,    ///< INSN_CONFIG_RESET per channel
  kPreload,  ///< one INSN_CONFIG with the initial value per channel (s626)
  kNiGpct,   ///< National Instruments: quadrature x4 with the direction from the encoder, armed
};

/// One analog output and the range it is used with. Channels of a board may differ in all of it.
struct BoardAnalogOutput {
  unsigned channel = 0;
  double minimum_volts = -10.0, maximum_volts = 10.0;  ///< of the board's range to use
  double max_volts = 10.0;                             ///< clamp, of both signs
  std::optional<std::uint32_t> zero_code{};            ///< of true 0 V; absent: the range's
  bool operator==(const BoardAnalogOutput&) const = default;
};

/// A comedi board as [board] of a manifest wires it to an arm.
struct BoardSettings {
  std::string source;  ///< the manifest's file, for messages
  std::filesystem::path file = "/dev/comedi0";
  std::string driver;        ///< refused if another drives the board; empty: any
  bool reads_apart = false;  ///< two lists a cycle: read first, write last

  std::optional<unsigned> analog_subdevice;  ///< absent: the first of its type
  std::vector<BoardAnalogOutput> outputs;    ///< one per motor

  std::vector<unsigned> counter_subdevices;  ///< one, or one per axis; empty: the first
  std::vector<unsigned> counters;            ///< channel per axis
  std::optional<unsigned> counter_bits;      ///< refused if the board says otherwise
  CounterSetup counter_setup = CounterSetup::kNone;
  std::vector<unsigned> encoder_lines;  ///< kNiGpct: PFI lines A, B, Z of every axis

  std::optional<unsigned> digital_subdevice;  ///< absent: the first of its type
  std::optional<unsigned> input_subdevice;    ///< of stop and buttons; absent: the same
  std::optional<unsigned> enable_channel;
  bool enable_high = true;                    ///< level that turns the amplifiers on
  std::optional<unsigned> heartbeat_channel;  ///< toggles with every exchange
  std::optional<unsigned> brake_channel;
  bool brake_high = true;        ///< level that releases the brake
  double brake_release_s = 0.5;  ///< that the motors hold before the brake is released [s]
  std::optional<unsigned> stop_channel;
  bool stop_high = false;                       ///< level that stops; low: a broken wire stops, too
  std::optional<unsigned> second_stop_channel;  ///< of a stop input with two channels
  bool second_stop_high = false;
  double stop_discrepancy_s = 0.05;  ///< for which the two may differ [s]
  std::vector<unsigned> buttons;
  bool buttons_high = false;

  std::optional<unsigned> monitor_subdevice;  ///< analog inputs that see the outputs
  std::vector<unsigned> monitor;              ///< channel per motor; empty: not read back
  double monitor_volts = 0.25;                ///< tolerated difference
  double monitor_s = 0.005;                   ///< for so long

  /// Whether the digital subdevice has any line that is written.
  bool has_output_lines() const { return enable_channel || heartbeat_channel || brake_channel; }
  /// Every digital input in use.
  std::vector<unsigned> input_lines() const;
};

/// Reads [board] of a "comedi-arm" manifest.
/// @param axes, motors  how many counters and outputs the arm needs; 0: as many as there are
/// @throws InputError for another kind, a value out of range or a wrong number of channels
BoardSettings read_board(const DeviceManifest& manifest, std::size_t axes = 0,
                         std::size_t motors = 0);

}  // namespace haptic

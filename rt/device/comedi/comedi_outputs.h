#pragma once

#include <comedilib.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rt/device/arm/serial_link.h"
#include "rt/device/comedi/analog_scale.h"
#include "rt/device/comedi/board_settings.h"
#include "shared/realtime.h"

namespace haptic {

/// The output side of a comedi board: analog outputs, enable line and brake, with only what is
/// needed to make them safe. The daemon's board builds on it; the guard uses it directly, on a
/// separate descriptor.
class ComediOutputs {
 public:
  /// Opens the board and finds subdevices and ranges. Locks nothing and writes nothing.
  /// @throws InputError if the board is not what the manifest says (driver, channels, range)
  /// @throws OperationError if it is not there or may not be opened
  explicit ComediOutputs(const BoardSettings& settings);

  /// See ArmBoard::make_safe. Each step is one short system call.
  bool make_safe() HAPTIC_REALTIME;
  /// Whether the last make_safe dropped the enable line and applied the brake, even if an output
  /// failed; true for a board without either.
  bool enable_dropped() const HAPTIC_REALTIME { return enable_dropped_; }

  /// Why make_safe would fail now: the board is detached, its lines do not answer, or another
  /// program has locked its outputs. Writes nothing. @returns an empty text if nothing does
  std::string obstacle() const;

  /// Locks outputs and lines for this descriptor, so that no other program writes to them (it gets
  /// EACCES) until unlock or close. For the guard. The daemon never locks, because the kernel would
  /// release the lock of a dead process only after freeing its memory.
  bool lock() HAPTIC_REALTIME;
  void unlock() HAPTIC_REALTIME;

  comedi_t* handle() const HAPTIC_REALTIME { return handle_.get(); }
  const std::vector<AnalogScale>& scales() const { return scales_; }
  unsigned analog_subdevice() const { return analog_; }
  /// How an instruction addresses output `i`: its channel with its range.
  unsigned channel_spec(std::size_t i) const HAPTIC_REALTIME { return specs_[i]; }
  /// Enable line, brake and heartbeat: one subdevice, written by one instruction.
  bool has_lines() const HAPTIC_REALTIME { return lines_ != 0; }
  unsigned digital_subdevice() const { return digital_; }
  lsampl_t lines() const HAPTIC_REALTIME { return lines_; }
  /// Their levels.
  lsampl_t bits(bool enabled, bool brake_released, bool heartbeat) const HAPTIC_REALTIME {
    return (enabled == settings_.enable_high ? enable_ : 0) |
           (brake_released == settings_.brake_high ? brake_ : 0) | (heartbeat ? heartbeat_ : 0);
  }
  /// Sets the heartbeat line to low permanently. make_safe() leaves the line as it is, so that it
  /// does not toggle.
  void still_heartbeat() HAPTIC_REALTIME;

  /// Subdevice `given`, or the first of `type`.
  /// @throws InputError naming `key` if the board has none, or it is of another type
  unsigned subdevice(std::optional<unsigned> given, int type, const char* key,
                     const char* words) const;
  /// @throws InputError naming `key` for channels that the subdevice does not have
  void require_channels(unsigned subdevice, const std::vector<unsigned>& channels,
                        const char* key) const;
  /// Index of the range that `output` asks for among those of a channel of an analog subdevice:
  /// each channel may have a separate list. @throws InputError listing the channel's
  unsigned find_range(unsigned subdevice, unsigned channel, const BoardAnalogOutput& output) const;
  /// "/dev/comedi0 (s626, driver s626)"
  const std::string& title() const { return title_; }

 private:
  bool do_bits(lsampl_t mask, lsampl_t levels) const HAPTIC_REALTIME;
  bool write_lines(lsampl_t mask, lsampl_t levels) const HAPTIC_REALTIME;

  struct Close {
    void operator()(comedi_t* device) const { comedi_close(device); }
  };

  BoardSettings settings_;
  std::unique_ptr<comedi_t, Close> handle_;
  std::string title_;
  unsigned analog_ = 0, digital_ = 0;
  bool enable_dropped_ = false;
  lsampl_t enable_ = 0, brake_ = 0, heartbeat_ = 0, lines_ = 0;  // masks; lines_: of all three
  std::vector<AnalogScale> scales_;
  std::vector<unsigned> specs_;  // one per output
};

}  // namespace haptic

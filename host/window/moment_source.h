#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/view/scene_frame.h"
#include "rt/worlds/scene.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/state/physical_warnings.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// What a window shows of one instant.
struct Moment {
  SceneFrame frame;
  SampleRecord record{};
  double time_s = 0.0;  ///< since the start of the daemon or of the log
  std::vector<std::pair<std::string, double>> numbers;  ///< blocks of one number, with their units
  /// What the cycles up to this one, of a log all cycles, have shown of kPhysicalWarnings.
  std::vector<WarningFinding> warnings;
};

/// Play position in a log, or in a run that is simulated meanwhile.
struct Timeline {
  double first_s = 0.0, last_s = 0.0;
  double now_s = 0.0;
  double speed = 1.0;  ///< seconds of the log a second
  bool playing = true;
  bool simulates = false;  ///< a run: last_s is how far it is
  bool unlimited = false;  ///< a run: as fast as the processor can
  int steps = 0;           ///< rows to go once, backwards if < 0
};

/// Contact points of a moment, from a source whose world reports them.
struct ReportedContacts {
  std::vector<FrameContact> points;
  std::string missing;  ///< why there are none now; empty: there are no more than these
};

/// Where a window's moments come from: a daemon, a log or a run of a scene.
class MomentSource {
 public:
  virtual ~MomentSource() = default;

  /// The present moment. @param elapsed_s since the last call
  /// @returns false if there is none now; message() says why. A moment that was once read stays.
  virtual bool read(Moment& moment, double elapsed_s) = 0;

  virtual const std::string& message() const = 0;
  virtual double rate_hz() const = 0;
  /// The scene that is shown, as it runs or ran. @throws InputError or OperationError if it is not
  /// known
  virtual Scene scene() const = 0;
  /// Counts the scenes read so far: models may have changed where it does.
  virtual int generation() const = 0;
  virtual Timeline* timeline() { return nullptr; }  ///< of a log or a run
  /// Whether a daemon's hand can be steered (parameters hand.x, hand.y, hand.z).
  virtual bool is_steered() const { return false; }
  /// Simulated metres per metre of the hand, of a daemon.
  virtual double length_scale() const { return 1.0; }
  /// Of the moment that was read last, from a world whose contacts do not follow from its poses.
  /// @returns nullopt if there is no such world here
  virtual std::optional<ReportedContacts> contacts() { return {}; }
  /// Of a daemon, to send it commands; else empty.
  virtual std::string daemon() const { return {}; }
};

/// Values of the layout's blocks of one number, for display.
std::vector<std::pair<std::string, double>> numbers_of(const StateLayout& layout,
                                                       std::span<const double> state);

}  // namespace haptic

#pragma once

#include <functional>

#include "host/log/log_reader.h"
#include "host/offline/scripted_cycles.h"
#include "host/view/scene_frame.h"
#include "shared/progress.h"

namespace haptic {

/// Instants of a film: `first_s`, and every 1 / images_a_second after it.
struct FrameTimes {
  double first_s = 0.0;  ///< >= 0
  double images_a_second = 25.0;
};

/// The frames of a run in the order of time.
class FrameSource {
 public:
  /// @param time_s  of the row; the same for instants that no other row is between
  using Take = std::function<void(double time_s, SceneFrame frame)>;

  virtual ~FrameSource() = default;
  virtual double last_s() const = 0;  ///< time of the run's last row
  /// Calls `take` with the row at or after each instant. A source is read once.
  /// @param progress  told the fraction of the run; may be empty
  /// @throws InputError if the run ends before the first instant
  void frames(const FrameTimes& times, const Take& take, const Progress& progress);

 private:
  virtual void read(const FrameTimes& times, const Take& take, const Progress& progress) = 0;
};

/// Rows of a log.
class LogFrames final : public FrameSource {
 public:
  /// @throws InputError for a log without rows
  explicit LogFrames(LogReader log);
  double last_s() const override { return time_s_.back(); }

 private:
  void read(const FrameTimes& times, const Take& take, const Progress& progress) override;

  LogReader log_;
  std::vector<double> time_s_;
};

/// Cycles of a scene along its hand script, taken while they are simulated; none is kept. The
/// numbers are those of the log of `haptic simulate`, but blocks of rate kDisplay are of the very
/// cycle, where a log has the last snapshot before it.
class SceneFrames final : public FrameSource {
 public:
  /// @throws InputError as ScriptedCycles
  explicit SceneFrames(const Scene& scene);
  double last_s() const override;

 private:
  /// @throws OperationError if a fault ends the run; the frames before it are taken
  void read(const FrameTimes& times, const Take& take, const Progress& progress) override;

  ScriptedCycles run_;
  double rate_hz_;
};

}  // namespace haptic

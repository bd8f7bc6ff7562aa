#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/monitor/key_bindings.h"

namespace haptic {

/// Targets of parameters that keys move.
///
/// A terminal reports that a key was pressed, and repeats it while it is held, after a first delay
/// (250 to 660 ms by default) at 10 to 40 a second; it does not report the release. So a target
/// moves only when a key is reported: by speed times the time since the last report if that is a
/// repetition, else by a short step. A tap moves by one step, a held key moves at its speed after
/// the first delay, and nothing moves after the release.
class KeyMotion {
 public:
  /// Time for which a single press moves the target [s].
  static constexpr double kTap_s = 0.05;
  /// Reports of a key further apart are single presses [s].
  static constexpr double kRepeat_s = 0.12;

  struct Axis {
    std::string parameter;
    double minimum, maximum;  ///< of its range
    double target;            ///< in the range
    bool is_unsent = false;   ///< whether the daemon does not know the target
  };

  explicit KeyMotion(std::vector<KeyBinding> bindings);

  /// One for each parameter, in the order of the first bindings.
  const std::vector<Axis>& axes() const { return axes_; }
  const std::vector<KeyBinding>& bindings() const { return bindings_; }

  /// Sets the range and the target, which the daemon knows.
  void start(std::size_t axis, double minimum, double maximum, double target);
  /// Somebody else has set the parameter.
  void take_over(std::string_view parameter, double target);
  /// A key is reported at a time [s] that does not go back.
  void press(Key key, double now_s);

  /// The next target to send, in turn. @returns nothing if the daemon knows all of them
  std::optional<std::size_t> next_unsent() const;
  /// The daemon has the target of an axis.
  void sent(std::size_t axis);
  /// The daemon has refused the target, because values outside of a smaller range are impossible
  /// now: the target becomes the nearest possible one, to be sent.
  /// @param minimum, maximum  finite, and within the range of the axis
  void refused(std::size_t axis, double minimum, double maximum);

 private:
  std::vector<KeyBinding> bindings_;
  std::vector<Axis> axes_;
  std::vector<std::size_t> axis_of_;  // per binding
  std::map<Key, double> reported_s_;  // when last
  std::size_t last_sent_ = 0;
};

}  // namespace haptic

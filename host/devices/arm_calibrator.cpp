#include "host/devices/arm_calibrator.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "rt/device/comedi/counter_unwrap.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// The counters of a board whose motors stay off.
class CounterReader {
 public:
  CounterReader(const ArmSettings& arm, ArmBoard& board)
      : board_(board), counters_(arm.axes.size(), CounterUnwrap(board.description().counter_bits)) {
    for (std::size_t i = 0; i < board.description().outputs.size(); ++i) {
      rest_.codes[i] = board.description().outputs[i].zero();
    }
    exchange();
    for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i].start(inputs_.counts[i]);
  }

  void read() {
    exchange();
    for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i].advance(inputs_.counts[i]);
  }

  std::int64_t count(std::size_t axis) const { return counters_[axis].count(); }
  std::uint32_t raw(std::size_t axis) const { return inputs_.counts[axis]; }

 private:
  void exchange() {
    if (board_.exchange(rest_, inputs_) == DeviceStatus::kOk) return;
    throw OperationError(fmt::format("{}: board does not answer", board_.description().board));
  }

  ArmBoard& board_;
  BoardOutputs rest_;
  BoardInputs inputs_;
  std::vector<CounterUnwrap> counters_;
};

void check_direction(const ArmSettings& arm, std::size_t axis, CounterReader& reader,
                     const ArmCalibrator::Steps& steps, const ArmCalibrator::Settings& settings) {
  const bool slides = arm.link.joints[axis].slides;
  const double travel = slides ? 0.1 * settings.travel : settings.travel;
  steps.say(fmt::format("Axis {}: move it upwards (its coordinate grows) by at least {:g} {}", axis,
                        travel, slides ? "m" : "rad"));
  const std::size_t n = arm.axes.size();
  std::array<std::int64_t, kMaxArmAxes> from{};
  for (std::size_t i = 0; i < n; ++i) from[i] = reader.count(i);
  const auto way = [&](std::size_t i) {  // in units of the required travel
    const double counts = static_cast<double>(reader.count(i) - from[i]);
    return arm.axes[i].encoder_sign * counts * arm.axes[i].step() / travel;
  };
  for (double waited = 0.0; waited < settings.timeout_s; waited += ArmCalibrator::kPeriod) {
    steps.wait(ArmCalibrator::kPeriod);
    reader.read();
    if (way(axis) >= 1.0) return;
    if (way(axis) <= -1.0) {
      throw OperationError(fmt::format(
          "{}: axis[{}]: its counter runs backwards ({} counts upwards): set "
          "encoder_direction = {}, or swap the encoder's lines A and B",
          arm.source, axis, reader.count(axis) - from[axis], -arm.axes[axis].encoder_sign));
    }
    for (std::size_t other = 0; other < n; ++other) {
      if (other == axis || std::abs(way(other)) < 3.0 || std::abs(way(axis)) > 0.1) continue;
      throw OperationError(fmt::format(
          "{}: axis[{}] was moved, but the counter of axis[{}] changed: check the order "
          "of board.counters",
          arm.source, axis, other));
    }
  }
  throw OperationError(
      fmt::format("{}: axis[{}] was not moved, or its counter did not change", arm.source, axis));
}

}  // namespace

std::vector<std::uint32_t> ArmCalibrator::run(const ArmSettings& arm, ArmBoard& board,
                                              const Steps& steps, const Settings& settings) {
  const std::size_t n = arm.axes.size();
  CounterReader reader(arm, board);
  for (std::size_t i = 0; settings.check_directions && i < n; ++i) {
    check_direction(arm, i, reader, steps, settings);
  }
  steps.say(
      fmt::format("Bring the arm to its calibration pose, axes at [{:.3f}], and hold it still",
                  fmt::join(arm.calibration_pose, ", ")));
  std::array<std::int64_t, kMaxArmAxes> held{};
  double still_s = 0.0;
  for (double waited = 0.0; waited < settings.timeout_s; waited += kPeriod) {
    steps.wait(kPeriod);
    reader.read();
    bool still = steps.in_pose() && still_s > 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      still = still && std::abs(static_cast<double>(reader.count(i) - held[i])) <= arm.hold_counts;
    }
    if (!still) {
      for (std::size_t i = 0; i < n; ++i) held[i] = reader.count(i);
      still_s = 0.0;
    }
    still_s += kPeriod;
    if (!steps.in_pose() || still_s < arm.hold_s) continue;
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < n; ++i) counts.push_back(reader.raw(i));
    return counts;
  }
  throw OperationError(
      fmt::format("{}: the arm was not held still in its calibration pose", arm.source));
}

}  // namespace haptic

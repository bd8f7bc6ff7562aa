#include "rt/device/comedi/calibration_keys.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace haptic {
namespace {

// Sizes and ranges that other keys give.
void check_calibration_file(const TomlTable& table, ArmCalibration& c) {
  static_cast<void>(table.numbers("pose", c.counters.size(), NumberRange::any("rad or m")));
  const std::int64_t max_count = (std::int64_t{1} << c.counter_bits) - 1;
  static_cast<void>(table.integers("counts", 0, max_count));
  if (c.counts.size() != c.counters.size() || c.counts.empty()) {
    table.refuse("counts", fmt::format("found {} counts", c.counts.size()),
                 fmt::format("one per counter ({})", c.counters.size()));
  }
}

}  // namespace

const KeySchema<ArmCalibration>& calibration_keys() {
  using C = ArmCalibration;
  static const KeySchema<C> keys(
      {
          key("device", &C::device, "Name of the arm.").required(),
          key("written", &C::written, "Time at which the file was written.").required(),
          key("boot_id", &C::boot_id,
              "The boot in which the counters had these counts; an earlier one is refused.")
              .required(),
          key("driver", &C::driver, "Driver of the board.").required(),
          key("board", &C::board, "Name of the board.").required(),
          key("file", &C::file, "Device node of the board.").required(),
          key("counter_bits", &C::counter_bits, IntegerRange{8, 32, "bits"},
              "Width of the counters.")
              .required(),
          key("counters", &C::counters, IntegerRange{0, 255}, "Counter channel of every axis.")
              .required(),
          key("pose", &C::pose, NumberRange::any("rad or m"),
              "Coordinates of the calibration pose.")
              .range("one number per counter")
              .required(),
          key("counts", &C::counts, IntegerRange{0, 0xFFFFFFFF},
              "What each counter reads in this pose.")
              .range("integers, each 0 to 2^counter_bits - 1")
              .required(),
      },
      check_calibration_file);
  return keys;
}

std::span<const KeyGroup> calibration_groups() {
  static const std::array groups = {
      KeyGroup{"calibration-file", "", "", "", calibration_keys().described()}};
  return groups;
}

}  // namespace haptic

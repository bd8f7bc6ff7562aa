#include "rt/device/comedi/board_keys.h"

#include <array>

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kBoardKeys[] = {
    {"enable_button", kInteger, "1", "0 to the number of buttons - 1", "none",
     "Which of board.buttons must be held to run."},
    {"board", kTable, "-", "", "required", "The board and how the arm is wired to it."},
    {"board.file", kText, "-", "", "/dev/comedi0", "Device node of the board."},
    {"board.driver", kText, "-", "", "any", "Driver that the board must have."},
    {"board.lists_per_cycle", kInteger, "1", "1 to 2", "1",
     "Instruction lists a cycle; 2 reads at its beginning, at the price of a second system call."},
    {"board.analog_subdevice", kInteger, "1", "0 to 255", "the first of its type",
     "Subdevice of the analog outputs."},
    {"board.outputs", kIntegers, "1", "integers, each 0 to 255", "required, or [[board.output]]",
     "Analog channel of every motor."},
    {"board.output_range", kNumbers, "V", "2 numbers", "[-10, 10]",
     "Range of the outputs, one of the board's; it includes 0 V."},
    {"board.max_volts", kNumber, "V", "above 0, at most the range's", "the range's",
     "Largest voltage of either sign."},
    {"board.zero_code", kInteger, "1", "0 to 4294967295", "that of the range",
     "Code of the converter's true 0 V."},
    {"board.output[]", kTables, "-", "", "outputs",
     "Output of one motor, instead of outputs; absent keys have the value of [board]."},
    {"board.output[].channel", kInteger, "1", "0 to 255", "required", "Analog channel."},
    {"board.output[].range", kNumbers, "V", "2 numbers", "output_range", "Range of this output."},
    {"board.output[].max_volts", kNumber, "V", "above 0, at most the range's", "that of [board]",
     "Largest voltage of either sign."},
    {"board.output[].zero_code", kInteger, "1", "0 to 4294967295",
     "that of [board] with the same range, else that of the range",
     "Code of the converter's true 0 V."},
    {"board.counter_subdevices", kIntegers, "1", "integers, each 0 to 255", "the first of its type",
     "Subdevice of the counters, or one for each axis."},
    {"board.counters", kIntegers, "1", "integers, each 0 to 255", "required",
     "Counter channel of every axis."},
    {"board.counter_bits", kInteger, "bits", "8 to 32", "the board's",
     "Width that the counters must have."},
    {"board.counter_setup", kChoice, "-", "none, reset, preload, ni-gpct", "none",
     "How counters are set up to count encoders."},
    {"board.encoder_lines", kIntegers, "1", "integers, each 0 to 255", "required for ni-gpct",
     "PFI lines A, B and Z of every axis; only with counter_setup = \"ni-gpct\"."},
    {"board.digital_subdevice", kInteger, "1", "0 to 255", "the first of its type",
     "Subdevice of the digital lines."},
    {"board.input_subdevice", kInteger, "1", "0 to 255", "digital_subdevice",
     "Subdevice of the digital inputs."},
    {"board.enable_channel", kInteger, "1", "0 to 31", "none",
     "Digital output that turns the amplifiers on."},
    {"board.enable_level", kChoice, "-", "high, low", "high",
     "Level of enable_channel at which the amplifiers are on."},
    {"board.heartbeat_channel", kInteger, "1", "0 to 31", "none",
     "Digital output that toggles in every exchange, for a safety relay."},
    {"board.brake_channel", kInteger, "1", "0 to 31", "none", "Digital output of a brake."},
    {"board.brake_level", kChoice, "-", "high, low", "high",
     "Level of brake_channel that releases the brake."},
    {"board.brake_release_s", kNumber, "s", "0 to 10", "0.5",
     "Time for which the motors hold before the brake is released."},
    {"board.stop_channel", kInteger, "1", "0 to 31", "none", "Digital input of the stop button."},
    {"board.stop_level", kChoice, "-", "high, low", "low",
     "Level that stops; with low a broken wire stops, too."},
    {"board.second_stop_channel", kInteger, "1", "0 to 31", "none",
     "Second channel of the stop input; only with stop_channel."},
    {"board.second_stop_level", kChoice, "-", "high, low", "stop_level",
     "Level of the second channel that stops."},
    {"board.stop_discrepancy_s", kNumber, "s", "above 0, at most 10", "0.05",
     "Longest time for which the two stop channels may differ."},
    {"board.buttons", kIntegers, "1", "integers, each 0 to 31", "none",
     "Digital inputs of the buttons."},
    {"board.buttons_level", kChoice, "-", "high, low", "low", "Level of a pressed button."},
    {"board.monitor_subdevice", kInteger, "1", "0 to 255", "the first of its type",
     "Subdevice of the analog inputs that see the outputs."},
    {"board.monitor", kIntegers, "1", "integers, each 0 to 255", "none",
     "Analog inputs that are wired to the outputs, one for each."},
    {"board.monitor_volts", kNumber, "V", "> 0", "0.25",
     "Deviation of an output above which it counts as wrong."},
    {"board.monitor_s", kNumber, "s", "> 0", "0.005",
     "Time of a deviation after which it is a fault."},
};

const DocumentKey kCalibrationKeys[] = {
    {"device", kText, "-", "", "required", "Name of the arm."},
    {"written", kText, "-", "", "required", "Time at which the file was written."},
    {"boot_id", kText, "-", "", "required",
     "The boot in which the counters had these counts; an earlier one is refused."},
    {"driver", kText, "-", "", "required", "Driver of the board."},
    {"board", kText, "-", "", "required", "Name of the board."},
    {"file", kText, "-", "", "required", "Device node of the board."},
    {"counter_bits", kInteger, "bits", "8 to 32", "required", "Width of the counters."},
    {"counters", kIntegers, "1", "integers, each 0 to 255", "required",
     "Counter channel of every axis."},
    {"pose", kNumbers, "rad or m", "one number per counter", "required",
     "Coordinates of the calibration pose."},
    {"counts", kIntegers, "1", "integers, each 0 to 2^counter_bits - 1", "required",
     "What each counter reads in this pose."},
};

}  // namespace

std::span<const KeyGroup> board_keys() {
  static const std::array kGroups = {KeyGroup{"manifest", "kind", "comedi-arm", "", kBoardKeys}};
  return kGroups;
}

std::span<const KeyGroup> calibration_keys() {
  static const std::array kGroups = {KeyGroup{"calibration-file", "", "", "", kCalibrationKeys}};
  return kGroups;
}

}  // namespace haptic

#include "rt/device/comedi/board_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace haptic {
namespace {

using R = ReadBoard;

constexpr IntegerRange kChannel{0, 255};
constexpr IntegerRange kLine{0, 31};  // INSN_BITS moves 32 lines

const KeyWords<bool>& levels() {
  static const KeyWords<bool> words{{"high", true}, {"low", false}};
  return words;
}

void require_different(const TomlTable& table, std::string_view key,
                       const std::vector<unsigned>& channels) {
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    if (std::find(channels.begin(), channel, *channel) == channel) continue;
    table.refuse(key, fmt::format("found channel {} a second time", *channel),
                 "different channels");
  }
}

void require_count(const TomlTable& table, std::string_view key, std::size_t found,
                   std::size_t needed, std::string_view of) {
  if (needed == 0 || found == needed) return;
  table.refuse(key, fmt::format("found {} channels", found), fmt::format("{}, {}", needed, of));
}

DeclaredKey<R> channels_key(std::string_view name, std::vector<unsigned> R::*member,
                            IntegerRange range, std::string_view meaning) {
  return key_of<R>(name, member, range, meaning)
      .checked([name, member](const TomlTable& table, const R& board) {
        require_different(table, name, board.*member);
      });
}

double range_of(const BoardAnalogOutput& output) {
  return std::max(-output.minimum_volts, output.maximum_volts);
}

/// Range, clamp and zero of an output. @param of  the output of the settings
template <class Settings, class Of>
DeclaredKey<Settings> volts_key(std::string_view name, Of of, std::string_view meaning) {
  DocumentKey range = key_value::describe<std::array<double, 2>>(NumberRange::any("V"));
  range.path = name;
  range.absent = "[-10, 10]";
  range.meaning = meaning;
  return {std::move(range),
          [of, name = std::string(name)](const TomlTable& table, Settings& settings) {
            std::array<double, 2> ends{};
            key_value::read(table, name, NumberRange::any("V"), ends);
            if (!(ends[0] <= 0.0 && ends[1] > 0.0)) {
              table.refuse(name, fmt::format("found [{}, {}]", ends[0], ends[1]),
                           "a range that includes 0 V");
            }
            BoardAnalogOutput& output = of(settings);
            output.minimum_volts = ends[0];
            output.maximum_volts = ends[1];
            output.zero_code.reset();  // a code of another range
          }};
}
template <class Settings, class Of>
DeclaredKey<Settings> max_volts_key(Of of) {
  return key_of<Settings>(
      "max_volts", [of](Settings& settings) -> double& { return of(settings).max_volts; },
      DependentRange<Settings>{"V", "above 0, at most the range's",
                               [of](const Settings& settings) {
                                 return NumberRange::positive_up_to(range_of(of(settings)), "V");
                               }},
      "Largest voltage of either sign.");
}
template <class Settings, class Of>
DeclaredKey<Settings> zero_code_key(Of of) {
  return key_of<Settings>(
      "zero_code", [of](Settings & settings) -> auto& { return of(settings).zero_code; },
      IntegerRange{0, 0xFFFFFFFF}, "Code of the converter's true 0 V.");
}

const KeySchema<BoardAnalogOutput>& output_keys() {
  using O = BoardAnalogOutput;
  const auto itself = [](auto& output) -> auto& {
    return output;
  };
  static const KeySchema<O> keys({
      key("channel", &O::channel, kChannel, "Analog channel.").required(),
      volts_key<O>("range", itself, "Range of this output.").absent("output_range"),
      max_volts_key<O>(itself).absent("that of [board]"),
      zero_code_key<O>(itself).absent(
          "that of [board] with the same range, else that of the range"),
  });
  return keys;
}

void read_outputs(const TomlTable& table, R& board) {
  for (const TomlTable& entry : table.tables("output")) {
    BoardAnalogOutput output = board.common;
    output_keys().read(entry, output);
    for (const BoardAnalogOutput& other : board.outputs) {
      if (other.channel != output.channel) continue;
      entry.refuse("channel", fmt::format("found channel {} a second time", output.channel),
                   "different channels");
    }
    board.outputs.push_back(output);
  }
}

// No line twice; and an input that is an output's own line would read back what was written.
void check_lines(const TomlTable& table, const R& board) {
  using Line = std::pair<const char*, std::optional<unsigned>>;
  const std::array<Line, 3> outputs{Line{"enable_channel", board.enable_channel},
                                    Line{"heartbeat_channel", board.heartbeat_channel},
                                    Line{"brake_channel", board.brake_channel}};
  std::vector<Line> taken;
  const auto take = [&](const char* key, std::optional<unsigned> line) {
    if (!line) return;
    for (const auto& [other, channel] : taken) {
      if (channel == line) {
        table.refuse(key, fmt::format("found the channel of {}", other), "another one");
      }
    }
    taken.emplace_back(key, line);
  };
  for (const auto& [key, line] : outputs) take(key, line);
  if (board.input_subdevice) taken.clear();
  take("stop_channel", board.stop_channel);
  take("second_stop_channel", board.second_stop_channel);
  for (const unsigned button : board.buttons) take("buttons", button);
}

void check_board(const TomlTable& table, R& board) {
  for (const unsigned channel : board.channels) {
    board.outputs.push_back(board.common);
    board.outputs.back().channel = channel;
  }
  for (BoardAnalogOutput& output : board.outputs) {
    output.max_volts = std::min(output.max_volts, range_of(output));
  }
  require_count(table, table.has("output") ? "output" : "outputs", board.outputs.size(),
                board.motors, "one per motor");
  require_count(table, "counters", board.counters.size(), board.axes, "one per axis");
  const std::size_t subdevices = board.counter_subdevices.size();
  if (subdevices > 1 && subdevices != board.counters.size()) {
    table.refuse("counter_subdevices", fmt::format("found {} subdevices", subdevices),
                 fmt::format("one, or one per counter ({})", board.counters.size()));
  }
  // Boards with a subdevice per counter use channel 0 of each.
  if (subdevices < 2) require_different(table, "counters", board.counters);
  if (board.counter_setup == CounterSetup::kNiGpct) {
    require_count(table, "encoder_lines", board.encoder_lines.size(), 3 * board.counters.size(),
                  "PFI lines A, B and Z of every counter");
  }
  if (!table.has("second_stop_level")) board.second_stop_high = board.stop_high;
  check_lines(table, board);
  if (!board.monitor.empty()) {
    require_count(table, "monitor", board.monitor.size(), board.outputs.size(), "one per output");
  }
}

const KeySchema<R>& board_table_keys() {
  const auto common = [](auto& board) -> auto& {
    return board.common;
  };
  static const KeySchema<R> keys(
      {
          DeclaredKey<R>({.path = "file",
                          .kind = KeyKind::kText,
                          .unit = "-",
                          .absent = R().file.string(),
                          .meaning = "Device node of the board."},
                         [](const TomlTable& table, R& board) { board.file = table.text("file"); }),
          key_of<R>("driver", &R::driver, AnyValue{}, "Driver that the board must have.")
              .absent("any"),
          DeclaredKey<R>({.path = "lists_per_cycle",
                          .kind = KeyKind::kInteger,
                          .unit = "1",
                          .range = "1 to 2",
                          .absent = "1",
                          .meaning = "Instruction lists a cycle; 2 reads at its beginning, at the "
                                     "price of a second system call.",
                          .numbers = number_range(1, 2)},
                         [](const TomlTable& table, R& board) {
                           board.reads_apart = table.integer("lists_per_cycle", 1, 2) == 2;
                         }),
          key_of<R>("analog_subdevice", &R::analog_subdevice, kChannel,
                    "Subdevice of the analog outputs.")
              .absent("the first of its type"),
          channels_key("outputs", &R::channels, kChannel, "Analog channel of every motor.")
              .required_if([](const TomlTable& table, const R&) { return !table.has("output"); },
                           "required, or [[board.output]]")
              .checked([](const TomlTable& table, const R&) {
                if (!table.has("output")) return;
                table.refuse("outputs", "found it together with [[board.output]]",
                             "one of the two");
              }),
          volts_key<R>("output_range", common,
                       "Range of the outputs, one of the board's; it includes 0 V."),
          max_volts_key<R>(common).absent("the range's"),
          zero_code_key<R>(common).absent("that of the range"),
          DeclaredKey<R>({.path = "output[]",
                          .kind = KeyKind::kTables,
                          .unit = "-",
                          .absent = "outputs",
                          .meaning = "Output of one motor, instead of outputs; absent keys have "
                                     "the value of [board]."},
                         read_outputs, output_keys().described()),
          channels_key("counter_subdevices", &R::counter_subdevices, kChannel,
                       "Subdevice of the counters, or one for each axis.")
              .absent("the first of its type"),
          key_of<R>("counters", &R::counters, kChannel, "Counter channel of every axis.")
              .required(),
          key_of<R>("counter_bits", &R::counter_bits, IntegerRange{8, 32, "bits"},
                    "Width that the counters must have.")
              .absent("the board's"),
          key_of<R>("counter_setup", &R::counter_setup,
                    KeyWords<CounterSetup>{{"none", CounterSetup::kNone},
                                           {"reset", CounterSetup::kReset},
                                           {"preload", CounterSetup::kPreload},
                                           {"ni-gpct", CounterSetup::kNiGpct}},
                    "How counters are set up to count encoders."),
          channels_key("encoder_lines", &R::encoder_lines, kChannel,
                       "PFI lines A, B and Z of every axis; only with counter_setup = "
                       "\"ni-gpct\".")
              .required_where(
                  [](const R& board) { return board.counter_setup == CounterSetup::kNiGpct; },
                  "required for ni-gpct"),
          key_of<R>("digital_subdevice", &R::digital_subdevice, kChannel,
                    "Subdevice of the digital lines.")
              .absent("the first of its type"),
          key_of<R>("input_subdevice", &R::input_subdevice, kChannel,
                    "Subdevice of the digital inputs.")
              .absent("digital_subdevice"),
          key_of<R>("enable_channel", &R::enable_channel, kLine,
                    "Digital output that turns the amplifiers on."),
          key_of<R>("enable_level", &R::enable_high, levels(),
                    "Level of enable_channel at which the amplifiers are on."),
          key_of<R>("heartbeat_channel", &R::heartbeat_channel, kLine,
                    "Digital output that toggles in every exchange, for a safety relay."),
          key_of<R>("brake_channel", &R::brake_channel, kLine, "Digital output of a brake."),
          key_of<R>("brake_level", &R::brake_high, levels(),
                    "Level of brake_channel that releases the brake."),
          key_of<R>("brake_release_s", &R::brake_release_s, NumberRange::between(0.0, 10.0, "s"),
                    "Time for which the motors hold before the brake is released."),
          key_of<R>("stop_channel", &R::stop_channel, kLine, "Digital input of the stop button."),
          key_of<R>("stop_level", &R::stop_high, levels(),
                    "Level that stops; with low a broken wire stops, too."),
          key_of<R>("second_stop_channel", &R::second_stop_channel, kLine,
                    "Second channel of the stop input; only with stop_channel.")
              .only_if([](const R& board) { return board.stop_channel.has_value(); },
                       "found it without stop_channel", "stop_channel as well"),
          key_of<R>("second_stop_level", &R::second_stop_high, levels(),
                    "Level of the second channel that stops.")
              .absent("stop_level"),
          key_of<R>("stop_discrepancy_s", &R::stop_discrepancy_s,
                    NumberRange::positive_up_to(10.0, "s"),
                    "Longest time for which the two stop channels may differ."),
          channels_key("buttons", &R::buttons, kLine, "Digital inputs of the buttons.")
              .absent("none"),
          key_of<R>("buttons_level", &R::buttons_high, levels(), "Level of a pressed button."),
          key_of<R>("monitor_subdevice", &R::monitor_subdevice, kChannel,
                    "Subdevice of the analog inputs that see the outputs.")
              .absent("the first of its type"),
          channels_key("monitor", &R::monitor, kChannel,
                       "Analog inputs that are wired to the outputs, one for each.")
              .absent("none"),
          key_of<R>("monitor_volts", &R::monitor_volts, NumberRange::positive("V"),
                    "Deviation of an output above which it counts as wrong."),
          key_of<R>("monitor_s", &R::monitor_s, NumberRange::positive("s"),
                    "Time of a deviation after which it is a fault."),
      },
      check_board);
  return keys;
}

}  // namespace

const KeySchema<ReadBoard>& board_keys() {
  static const KeySchema<R> keys(
      {table("board", board_table_keys(), "The board and how the arm is wired to it.").required()});
  return keys;
}

const KeySchema<ArmSettings>& enable_button_keys() {
  static const KeySchema<ArmSettings> keys(
      {key("enable_button", &ArmSettings::enable_button, IntegerRange{},
           "Which of board.buttons must be held to run.")
           .range("0 to the number of buttons - 1")
           .absent("none")});
  return keys;
}

std::span<const KeyGroup> board_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "comedi-arm", "", enable_button_keys().described()},
      KeyGroup{"manifest", "kind", "comedi-arm", "", board_keys().described()},
  };
  return groups;
}

}  // namespace haptic

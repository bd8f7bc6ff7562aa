#include "rt/device/comedi/board_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "rt/device/comedi/board_keys.h"
#include "shared/error.h"

namespace haptic {

namespace {

constexpr std::int64_t kMostChannels = 255;
constexpr std::int64_t kMostLines = 31;  // INSN_BITS moves 32 lines
constexpr NumberRange kDiscrepancy{0.0, 10.0, true, false, "s"};

std::vector<unsigned> read_channels(const TomlTable& table, std::string_view key,
                                    std::int64_t most = kMostChannels) {
  std::vector<unsigned> channels;
  for (const std::int64_t channel : table.integers(key, 0, most)) {
    const auto value = static_cast<unsigned>(channel);
    if (std::find(channels.begin(), channels.end(), value) != channels.end()) {
      table.refuse(key, fmt::format("found channel {} a second time", value), "different channels");
    }
    channels.push_back(value);
  }
  return channels;
}

std::optional<unsigned> read_number(const TomlTable& table, std::string_view key,
                                    std::int64_t most) {
  const auto number = table.optional_integer(key, 0, most);
  return number ? std::optional<unsigned>(static_cast<unsigned>(*number)) : std::nullopt;
}

bool read_level(const TomlTable& table, std::string_view key, bool high) {
  return table.choice(key, {"high", "low"}, high ? "high" : "low") == "high";
}

void require_count(const TomlTable& table, std::string_view key, std::size_t found,
                   std::size_t needed, std::string_view of) {
  if (needed == 0 || found == needed) return;
  table.refuse(key, fmt::format("found {} channels", found), fmt::format("{}, {}", needed, of));
}

// Range, clamp and zero of `output` where `table` names them; else they stay.
void read_output(const TomlTable& table, std::string_view range_key, BoardAnalogOutput& output) {
  if (table.has(range_key)) {
    const std::vector<double> range = table.numbers(range_key, 2, NumberRange::any("V"));
    if (!(range[0] <= 0.0 && range[1] > 0.0)) {
      table.refuse(range_key, fmt::format("found [{}, {}]", range[0], range[1]),
                   "a range that includes 0 V");
    }
    output.minimum_volts = range[0];
    output.maximum_volts = range[1];
    output.zero_code.reset();  // a code of another range
  }
  const double most = std::max(-output.minimum_volts, output.maximum_volts);
  output.max_volts = table.number(
      "max_volts", {.minimum = 0.0, .maximum = most, .minimum_excluded = true, .unit = "V"},
      output.max_volts);
  if (const auto code = table.optional_integer("zero_code", 0, 0xFFFFFFFF)) {
    output.zero_code = static_cast<std::uint32_t>(*code);
  }
}

void read_analog(const TomlTable& table, BoardSettings& board, std::size_t motors) {
  board.analog_subdevice = read_number(table, "analog_subdevice", kMostChannels);
  BoardAnalogOutput all;
  all.max_volts = std::numeric_limits<double>::infinity();  // unless told: the range
  read_output(table, "output_range", all);
  const std::vector<TomlTable> each = table.tables("output");
  if (each.empty()) {
    for (const unsigned channel : read_channels(table, "outputs")) {
      all.channel = channel;
      board.outputs.push_back(all);
    }
  } else if (table.has("outputs")) {
    table.refuse("outputs", "found it together with [[board.output]]", "one of the two");
  }
  for (const TomlTable& entry : each) {
    BoardAnalogOutput output = all;
    output.channel = static_cast<unsigned>(entry.integer("channel", 0, kMostChannels));
    for (const BoardAnalogOutput& other : board.outputs) {
      if (other.channel != output.channel) continue;
      entry.refuse("channel", fmt::format("found channel {} a second time", output.channel),
                   "different channels");
    }
    read_output(entry, "range", output);
    entry.finish();
    board.outputs.push_back(output);
  }
  for (BoardAnalogOutput& output : board.outputs) {
    output.max_volts =
        std::min(output.max_volts, std::max(-output.minimum_volts, output.maximum_volts));
  }
  require_count(table, each.empty() ? "outputs" : "output", board.outputs.size(), motors,
                "one per motor");
}

void read_counters(const TomlTable& table, BoardSettings& board, std::size_t axes) {
  if (table.has("counter_subdevices")) {
    board.counter_subdevices = read_channels(table, "counter_subdevices");
  }
  // Boards with a subdevice per counter use channel 0 of each.
  for (const std::int64_t channel : table.integers("counters", 0, kMostChannels)) {
    board.counters.push_back(static_cast<unsigned>(channel));
  }
  require_count(table, "counters", board.counters.size(), axes, "one per axis");
  const std::size_t subdevices = board.counter_subdevices.size();
  if (subdevices > 1 && subdevices != board.counters.size()) {
    table.refuse("counter_subdevices", fmt::format("found {} subdevices", subdevices),
                 fmt::format("one, or one per counter ({})", board.counters.size()));
  }
  for (std::size_t i = 0; i < board.counters.size() && subdevices < 2; ++i) {
    if (std::count(board.counters.begin(), board.counters.end(), board.counters[i]) > 1) {
      table.refuse("counters", fmt::format("found channel {} a second time", board.counters[i]),
                   "different channels");
    }
  }
  board.counter_bits = read_number(table, "counter_bits", 32);
  if (board.counter_bits && *board.counter_bits < 8) {
    table.refuse("counter_bits", fmt::format("found {}", *board.counter_bits), "8 to 32");
  }
  const std::string setup =
      table.choice("counter_setup", {"none", "reset", "preload", "ni-gpct"}, "none");
  board.counter_setup = setup == "reset"     ? CounterSetup::kReset
                        : setup == "preload" ? CounterSetup::kPreload
                        : setup == "ni-gpct" ? CounterSetup::kNiGpct
                                             : CounterSetup::kNone;
  if (board.counter_setup != CounterSetup::kNiGpct) return;
  board.encoder_lines = read_channels(table, "encoder_lines");
  require_count(table, "encoder_lines", board.encoder_lines.size(), 3 * board.counters.size(),
                "PFI lines A, B and Z of every counter");
}

// No line twice; and an input that is an output's own line would read back what was written.
void check_lines(const TomlTable& table, const BoardSettings& board) {
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

void read_digital(const TomlTable& table, BoardSettings& board) {
  board.digital_subdevice = read_number(table, "digital_subdevice", kMostChannels);
  board.input_subdevice = read_number(table, "input_subdevice", kMostChannels);
  board.enable_channel = read_number(table, "enable_channel", kMostLines);
  board.enable_high = read_level(table, "enable_level", board.enable_high);
  board.heartbeat_channel = read_number(table, "heartbeat_channel", kMostLines);
  board.brake_channel = read_number(table, "brake_channel", kMostLines);
  board.brake_high = read_level(table, "brake_level", board.brake_high);
  board.brake_release_s =
      table.number("brake_release_s", NumberRange::between(0.0, 10.0, "s"), board.brake_release_s);
  board.stop_channel = read_number(table, "stop_channel", kMostLines);
  board.stop_high = read_level(table, "stop_level", board.stop_high);
  board.second_stop_channel = read_number(table, "second_stop_channel", kMostLines);
  board.second_stop_high = read_level(table, "second_stop_level", board.stop_high);
  board.stop_discrepancy_s =
      table.number("stop_discrepancy_s", kDiscrepancy, board.stop_discrepancy_s);
  if (board.second_stop_channel && !board.stop_channel) {
    table.refuse("second_stop_channel", "found it without stop_channel", "stop_channel as well");
  }
  if (table.has("buttons")) board.buttons = read_channels(table, "buttons", kMostLines);
  board.buttons_high = read_level(table, "buttons_level", board.buttons_high);
  check_lines(table, board);
}

void read_monitor(const TomlTable& table, BoardSettings& board) {
  board.monitor_subdevice = read_number(table, "monitor_subdevice", kMostChannels);
  if (table.has("monitor")) board.monitor = read_channels(table, "monitor");
  if (!board.monitor.empty()) {
    require_count(table, "monitor", board.monitor.size(), board.outputs.size(), "one per output");
  }
  board.monitor_volts =
      table.number("monitor_volts", NumberRange::positive("V"), board.monitor_volts);
  board.monitor_s = table.number("monitor_s", NumberRange::positive("s"), board.monitor_s);
}

}  // namespace

std::vector<unsigned> BoardSettings::input_lines() const {
  std::vector<unsigned> lines = buttons;
  for (const auto& line : {stop_channel, second_stop_channel}) {
    if (line) lines.push_back(*line);
  }
  return lines;
}

BoardSettings read_board(const DeviceManifest& manifest, std::size_t axes, std::size_t motors) {
  if (manifest.kind != "comedi-arm") {
    manifest.table.refuse("kind", fmt::format("found \"{}\"", manifest.kind), "\"comedi-arm\"");
  }
  manifest.table.use_keys(board_keys());
  const TomlTable table = manifest.table.table("board");
  BoardSettings board;
  board.source = manifest.file.string();
  board.file = table.text("file", board.file.string());
  board.driver = table.text("driver", "");
  board.reads_apart = table.integer("lists_per_cycle", 1, 2, 1) == 2;
  read_analog(table, board, motors);
  read_counters(table, board, axes);
  read_digital(table, board);
  read_monitor(table, board);
  table.finish();
  return board;
}

}  // namespace haptic

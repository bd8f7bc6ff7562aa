#include "rt/device/comedi/comedi_board.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "shared/error.h"

namespace haptic {

namespace {

// Worst case of one exchange: lines, outputs, counters, input lines, monitor.
constexpr std::size_t kMaxInstructions = 3 + 3 * kMaxArmAxes;

bool is_active(lsampl_t bits, unsigned line, bool high) HAPTIC_REALTIME {
  return ((bits >> line & 1U) != 0) == high;
}

}  // namespace

ComediBoard::ComediBoard(const BoardSettings& settings, Counters counters)
    : settings_(settings), outputs_(settings), counter_subdevices_(settings.counter_subdevices) {
  comedi_t* const handle = outputs_.handle();
  claim();
  if (!make_safe()) {
    throw OperationError(
        fmt::format("{}: outputs cannot be written: {}", outputs_.title(), std::strerror(errno)));
  }
  set_directions();

  if (counter_subdevices_.empty()) {
    counter_subdevices_.push_back(outputs_.subdevice(std::nullopt, COMEDI_SUBD_COUNTER,
                                                     "board.counter_subdevices", "counter"));
  }
  for (std::size_t i = 0; i < settings_.counters.size(); ++i) {
    outputs_.subdevice(counter_subdevice(i), COMEDI_SUBD_COUNTER, "board.counter_subdevices",
                       "counter");
    outputs_.require_channels(counter_subdevice(i), {settings_.counters[i]}, "board.counters");
  }
  read_counter_width();
  if (counters == Counters::kConfigure) {
    for (std::size_t i = 0; i < settings_.counters.size(); ++i) configure_counter(i);
  }

  description_.driver = comedi_get_driver_name(handle);
  description_.board = comedi_get_board_name(handle);
  description_.outputs = outputs_.scales();
  if (!settings_.monitor.empty()) {
    monitor_subdevice_ = outputs_.subdevice(settings_.monitor_subdevice, COMEDI_SUBD_AI,
                                            "board.monitor_subdevice", "analog input");
    outputs_.require_channels(monitor_subdevice_, settings_.monitor, "board.monitor");
    for (std::size_t i = 0; i < settings_.monitor.size(); ++i) {
      const BoardAnalogOutput& output = settings_.outputs[i];
      description_.monitor.emplace_back(
          output.minimum_volts, output.maximum_volts,
          comedi_get_maxdata(handle, monitor_subdevice_, settings_.monitor[i]), output.max_volts);
    }
  }
  prepare();
}

// Among our own programs. Not comedi_lock: the guard must be able to write, and to lock, at any
// time.
void ComediBoard::claim() const {
  if (flock(comedi_fileno(outputs_.handle()), LOCK_EX | LOCK_NB) == 0) return;
  throw OperationError(
      fmt::format("{}: used by another hapticd or haptic calibrate", outputs_.title()));
}

void ComediBoard::set_directions() {
  comedi_t* const handle = outputs_.handle();
  const auto set = [&](unsigned subdevice, unsigned line, unsigned direction, const char* key) {
    if (comedi_dio_config(handle, subdevice, line, direction) >= 0) return;
    throw InputError(
        settings_.source, key,
        fmt::format("found line {} of subdevice {} of {}", line, subdevice, outputs_.title()),
        direction == COMEDI_OUTPUT ? "a line that can be an output"
                                   : "a line that can be an input");
  };
  const std::vector<unsigned> lines = settings_.input_lines();
  has_inputs_ = !lines.empty();
  if (has_inputs_) {
    input_subdevice_ = outputs_.subdevice(
        settings_.input_subdevice ? settings_.input_subdevice : settings_.digital_subdevice,
        COMEDI_SUBD_DIO, "board.input_subdevice", "digital");
    outputs_.require_channels(input_subdevice_, lines, "board.buttons");
    // Inputs first: on boards that switch lines in groups, they must not turn the enable line back
    // into an input.
    const bool fixed = comedi_get_subdevice_type(handle, input_subdevice_) != COMEDI_SUBD_DIO;
    for (const unsigned line : lines) {
      if (!fixed) set(input_subdevice_, line, COMEDI_INPUT, "board.buttons");
    }
  }
  if (!outputs_.has_lines()) return;
  if (comedi_get_subdevice_type(handle, outputs_.digital_subdevice()) != COMEDI_SUBD_DIO) return;
  const auto is_output = [&](const std::optional<unsigned>& line, const char* key) {
    if (line) set(outputs_.digital_subdevice(), *line, COMEDI_OUTPUT, key);
  };
  is_output(settings_.enable_channel, "board.enable_channel");
  is_output(settings_.brake_channel, "board.brake_channel");
  is_output(settings_.heartbeat_channel, "board.heartbeat_channel");
  make_safe();  // a value written to a line while it was an input is undefined
}

unsigned ComediBoard::counter_subdevice(std::size_t axis) const {
  return counter_subdevices_[counter_subdevices_.size() == 1 ? 0 : axis];
}

void ComediBoard::read_counter_width() {
  for (std::size_t i = 0; i < settings_.counters.size(); ++i) {
    const lsampl_t most =
        comedi_get_maxdata(outputs_.handle(), counter_subdevice(i), settings_.counters[i]);
    const auto bits = static_cast<unsigned>(std::bit_width(most));
    const unsigned expected =
        settings_.counter_bits.value_or(i == 0 ? bits : description_.counter_bits);
    if (bits != expected || bits < 8 || !std::has_single_bit(std::uint64_t{most} + 1)) {
      throw InputError(settings_.source, "board.counter_bits",
                       fmt::format("found counters up to {} at {}", most, outputs_.title()),
                       fmt::format("{} bits", expected));
    }
    description_.counter_bits = bits;
  }
}

void ComediBoard::configure_counter(std::size_t axis) const {
  comedi_t* const handle = outputs_.handle();
  const unsigned subdevice = counter_subdevice(axis);
  const unsigned channel = settings_.counters[axis];
  const lsampl_t middle = lsampl_t{1} << (description_.counter_bits - 1);
  const auto require = [&](int result, const char* step) {
    if (result >= 0) return;
    throw OperationError(fmt::format("{}: counter {} cannot be set up ({}): {}", outputs_.title(),
                                     channel, step, std::strerror(errno)));
  };
  switch (settings_.counter_setup) {
    case CounterSetup::kNone:
      return;
    case CounterSetup::kReset:
      require(comedi_reset_channel(handle, subdevice, channel), "reset");
      return;
    case CounterSetup::kPreload: {
      lsampl_t value = middle;
      comedi_insn instruction{};
      instruction.insn = INSN_CONFIG;
      instruction.n = 1;
      instruction.data = &value;
      instruction.subdev = subdevice;
      instruction.chanspec = CR_PACK(channel, 0, AREF_GROUND);
      require(comedi_do_insn(handle, &instruction), "initial value");
      return;
    }
    case CounterSetup::kNiGpct:
      break;
  }
  require(comedi_reset(handle, subdevice), "reset");
  for (unsigned load = 0; load < 3; ++load) {  // the counter and its two load registers
    require(comedi_data_write(handle, subdevice, load, 0, 0, middle), "initial value");
  }
  for (unsigned gate = 0; gate < 2; ++gate) {
    require(comedi_set_gate_source(handle, subdevice, 0, gate, NI_GPCT_DISABLED_GATE_SELECT),
            "gates off");
  }
  const std::array<unsigned, 3> sources{NI_GPCT_SOURCE_ENCODER_A, NI_GPCT_SOURCE_ENCODER_B,
                                        NI_GPCT_SOURCE_ENCODER_Z};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const unsigned line = settings_.encoder_lines[3 * axis + i];
    require(
        comedi_set_other_source(handle, subdevice, 0, sources[i], NI_GPCT_PFI_OTHER_SELECT(line)),
        "encoder lines");
  }
  require(comedi_set_counter_mode(handle, subdevice, 0,
                                  NI_GPCT_COUNTING_MODE_QUADRATURE_X4_BITS |
                                      NI_GPCT_COUNTING_DIRECTION_HW_UP_DOWN_BITS),
          "quadrature");
  require(comedi_arm(handle, subdevice, NI_GPCT_ARM_IMMEDIATE), "arm");
}

ComediBoard::Data& ComediBoard::add(unsigned instruction, unsigned count, unsigned subdevice,
                                    unsigned channel_spec) {
  Data& data = data_.emplace_back();
  comedi_insn insn{};
  insn.insn = instruction;
  insn.n = count;
  insn.data = data.data();
  insn.subdev = subdevice;
  insn.chanspec = channel_spec;
  list_.push_back(insn);
  return data;
}

void ComediBoard::prepare() {
  list_.reserve(kMaxInstructions);
  data_.reserve(kMaxInstructions);
  const bool has_lines = outputs_.has_lines();
  if (has_lines) add(INSN_BITS, 2, outputs_.digital_subdevice(), 0);
  first_output_ = list_.size();
  for (std::size_t i = 0; i < settings_.outputs.size(); ++i) {
    add(INSN_WRITE, 1, outputs_.analog_subdevice(), outputs_.channel_spec(i));
  }
  written_ = first_counter_ = list_.size();
  for (std::size_t i = 0; i < settings_.counters.size(); ++i) {
    add(INSN_READ, 1, counter_subdevice(i), CR_PACK(settings_.counters[i], 0, AREF_GROUND));
  }
  // Writing lines reads their whole subdevice: no second instruction where that does.
  const bool read_along =
      has_lines && input_subdevice_ == outputs_.digital_subdevice() && !settings_.reads_apart;
  input_bits_ = read_along ? 0 : list_.size();
  if (has_inputs_ && !read_along) add(INSN_BITS, 2, input_subdevice_, 0);
  first_monitor_ = list_.size();
  for (std::size_t i = 0; i < settings_.monitor.size(); ++i) {
    const unsigned channel = settings_.monitor[i];
    const unsigned range = outputs_.find_range(monitor_subdevice_, channel, settings_.outputs[i]);
    add(INSN_READ, 1, monitor_subdevice_, CR_PACK(channel, range, AREF_GROUND));
  }

  exchanged_ = list_.size();
  read_bits_ = input_bits_;
  if (!has_inputs_ || !read_along) return;
  read_bits_ = list_.size();
  add(INSN_BITS, 2, input_subdevice_, 0);
}

void ComediBoard::fill(const BoardOutputs& out) HAPTIC_REALTIME {
  if (outputs_.has_lines()) {
    data_[0] = {outputs_.lines(), outputs_.bits(out.enabled, out.brake_released, out.heartbeat)};
  }
  for (std::size_t i = 0; i < settings_.outputs.size(); ++i) {
    data_[first_output_ + i][0] = out.codes[i];
  }
}

void ComediBoard::take(std::size_t input_bits, BoardInputs& in) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < settings_.counters.size(); ++i) {
    in.counts[i] = data_[first_counter_ + i][0];
  }
  for (std::size_t i = 0; i < settings_.monitor.size(); ++i) {
    in.monitor[i] = data_[first_monitor_ + i][0];
  }
  if (!has_inputs_) return;
  const lsampl_t bits = data_[input_bits][1];
  const bool first =
      settings_.stop_channel && is_active(bits, *settings_.stop_channel, settings_.stop_high);
  const bool second =
      settings_.second_stop_channel
          ? is_active(bits, *settings_.second_stop_channel, settings_.second_stop_high)
          : first;
  in.stop = first || second;
  in.stop_channels_differ = first != second;
  in.buttons = 0;
  for (std::size_t i = 0; i < settings_.buttons.size(); ++i) {
    if (is_active(bits, settings_.buttons[i], settings_.buttons_high)) in.buttons |= 1U << i;
  }
}

DeviceStatus ComediBoard::run(std::size_t begin, std::size_t end) HAPTIC_REALTIME {
  comedi_insnlist list{};
  list.n_insns = static_cast<unsigned>(end - begin);
  list.insns = list_.data() + begin;
  if (list.n_insns == 0) return DeviceStatus::kOk;
  const int done = comedi_do_insnlist(outputs_.handle(), &list);
  if (done == static_cast<int>(list.n_insns)) return DeviceStatus::kOk;
  make_safe();
  return DeviceStatus::kDisconnected;
}

DeviceStatus ComediBoard::exchange(const BoardOutputs& out, BoardInputs& in) HAPTIC_REALTIME {
  fill(out);
  if (has_inputs_ && input_bits_ >= written_) data_[input_bits_] = {0, 0};
  const DeviceStatus status = run(0, exchanged_);
  if (status == DeviceStatus::kOk) take(input_bits_, in);
  return status;
}

DeviceStatus ComediBoard::write(const BoardOutputs& out) HAPTIC_REALTIME {
  fill(out);
  return run(0, written_);
}

DeviceStatus ComediBoard::read(BoardInputs& in) HAPTIC_REALTIME {
  if (has_inputs_) data_[read_bits_] = {0, 0};
  const DeviceStatus status = run(written_, list_.size());
  if (status == DeviceStatus::kOk) take(read_bits_, in);
  return status;
}

}  // namespace haptic

#include "rt/device/comedi/comedi_outputs.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "rt/device/node_access.h"
#include "shared/error.h"

namespace haptic {

ComediOutputs::ComediOutputs(const BoardSettings& settings) : settings_(settings) {
  handle_.reset(comedi_open(settings.file.c_str()));
  if (!handle_) {
    const int reason = errno;  // comedi_errno() is a number of the library, not more informative
    const std::string problem = node_problem(settings.file);
    throw OperationError(fmt::format("{}: board cannot be opened: {}", settings.file.string(),
                                     !problem.empty() ? problem
                                     : reason != 0    ? std::strerror(reason)
                                                      : "not a comedi device"));
  }
  const char* driver = comedi_get_driver_name(handle());
  const char* board = comedi_get_board_name(handle());
  title_ = fmt::format("{} ({}, driver {})", settings.file.string(), board ? board : "unknown",
                       driver ? driver : "unknown");
  if (!settings.driver.empty() && settings.driver != (driver ? driver : "")) {
    throw InputError(
        settings.source, "board.driver",
        fmt::format("found {} at {}", driver ? driver : "no driver", settings.file.string()),
        fmt::format("a board of driver \"{}\"", settings.driver));
  }
  analog_ = subdevice(settings.analog_subdevice, COMEDI_SUBD_AO, "board.analog_subdevice",
                      "analog output");
  for (const BoardAnalogOutput& output : settings.outputs) {
    require_channels(analog_, {output.channel}, "board.outputs");
    const unsigned range = find_range(analog_, output.channel, output);
    specs_.push_back(CR_PACK(output.channel, range, AREF_GROUND));
    scales_.emplace_back(output.minimum_volts, output.maximum_volts,
                         comedi_get_maxdata(handle(), analog_, output.channel), output.max_volts,
                         output.zero_code);
  }
  if (!settings.has_output_lines()) return;
  digital_ =
      subdevice(settings.digital_subdevice, COMEDI_SUBD_DIO, "board.digital_subdevice", "digital");
  const auto mask = [this](const std::optional<unsigned>& channel, const char* key) {
    if (!channel) return lsampl_t{0};
    require_channels(digital_, {*channel}, key);
    return lsampl_t{1} << *channel;
  };
  enable_ = mask(settings.enable_channel, "board.enable_channel");
  brake_ = mask(settings.brake_channel, "board.brake_channel");
  heartbeat_ = mask(settings.heartbeat_channel, "board.heartbeat_channel");
  lines_ = enable_ | brake_ | heartbeat_;
}

// With an empty mask it reads the lines and changes none.
bool ComediOutputs::do_bits(lsampl_t mask, lsampl_t levels) const HAPTIC_REALTIME {
  std::array<lsampl_t, 2> data{mask, levels & mask};
  comedi_insn instruction{};
  instruction.insn = INSN_BITS;
  instruction.n = 2;
  instruction.data = data.data();
  instruction.subdev = digital_;
  return comedi_do_insn(handle_.get(), &instruction) >= 0;
}

bool ComediOutputs::write_lines(lsampl_t mask, lsampl_t levels) const HAPTIC_REALTIME {
  return mask == 0 || do_bits(mask, levels);
}

// libcomedi knows only what the subdevices were when the board was opened, so the kernel is asked.
std::string ComediOutputs::obstacle() const {
  std::vector<comedi_subdinfo> subdevices(
      static_cast<std::size_t>(std::max(comedi_get_n_subdevices(handle()), 0)));
  if (ioctl(comedi_fileno(handle()), COMEDI_SUBDINFO, subdevices.data()) < 0) {
    return fmt::format("board does not answer: {}", std::strerror(errno));
  }
  const auto locked = [&](unsigned subdevice) {
    const unsigned flags = subdevice < subdevices.size() ? subdevices[subdevice].subd_flags : 0;
    return (flags & SDF_LOCKED) != 0 && (flags & SDF_LOCK_OWNER) == 0;
  };
  if (locked(analog_) || (has_lines() && locked(digital_))) {
    return "another program has locked its outputs";
  }
  if (has_lines() && !do_bits(0, 0)) {
    return fmt::format("digital lines do not answer: {}", std::strerror(errno));
  }
  return {};
}

void ComediOutputs::still_heartbeat() HAPTIC_REALTIME {
  static_cast<void>(write_lines(heartbeat_, 0));
}

bool ComediOutputs::make_safe() HAPTIC_REALTIME {
  enable_dropped_ = write_lines(enable_ | brake_, bits(false, false, false));
  bool all = enable_dropped_;
  lsampl_t code = 0;
  comedi_insn instruction{};
  instruction.data = &code;
  instruction.insn = INSN_WRITE;
  instruction.n = 1;
  instruction.subdev = analog_;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    code = scales_[i].zero();
    instruction.chanspec = specs_[i];
    all = comedi_do_insn(handle_.get(), &instruction) >= 0 && all;
  }
  return all;
}

bool ComediOutputs::lock() HAPTIC_REALTIME {
  const bool outputs = comedi_lock(handle_.get(), analog_) >= 0;
  return (!has_lines() || comedi_lock(handle_.get(), digital_) >= 0) && outputs;
}

void ComediOutputs::unlock() HAPTIC_REALTIME {
  comedi_unlock(handle_.get(), analog_);
  if (has_lines()) comedi_unlock(handle_.get(), digital_);
}

unsigned ComediOutputs::subdevice(std::optional<unsigned> given, int type, const char* key,
                                  const char* words) const {
  const auto fits = [type](int found) {
    if (found == type) return true;
    // Lines of one direction do for what needs no other.
    return type == COMEDI_SUBD_DIO && (found == COMEDI_SUBD_DO || found == COMEDI_SUBD_DI);
  };
  const int count = comedi_get_n_subdevices(handle());
  for (int i = 0; i < count; ++i) {
    if (given && static_cast<unsigned>(i) != *given) continue;
    if (fits(comedi_get_subdevice_type(handle(), static_cast<unsigned>(i)))) {
      return static_cast<unsigned>(i);
    }
  }
  throw InputError(settings_.source, key,
                   given ? fmt::format("found subdevice {} of {}", *given, title_)
                         : fmt::format("found {}, which has none", title_),
                   fmt::format("a subdevice of type {}", words));
}

void ComediOutputs::require_channels(unsigned subdevice, const std::vector<unsigned>& channels,
                                     const char* key) const {
  const int count = comedi_get_n_channels(handle(), subdevice);
  for (const unsigned channel : channels) {
    if (static_cast<int>(channel) < count) continue;
    throw InputError(
        settings_.source, key, fmt::format("found channel {}", channel),
        fmt::format("one of the {} channels of subdevice {} of {}", count, subdevice, title_));
  }
}

unsigned ComediOutputs::find_range(unsigned subdevice, unsigned channel,
                                   const BoardAnalogOutput& output) const {
  std::string ranges;
  const int count = comedi_get_n_ranges(handle(), subdevice, channel);
  for (int i = 0; i < count; ++i) {
    const comedi_range* range =
        comedi_get_range(handle(), subdevice, channel, static_cast<unsigned>(i));
    if (range == nullptr) continue;
    if (std::abs(range->min - output.minimum_volts) < 1e-3 &&
        std::abs(range->max - output.maximum_volts) < 1e-3) {
      return static_cast<unsigned>(i);
    }
    ranges += fmt::format("{}{:g} to {:g} V", ranges.empty() ? "" : ", ", range->min, range->max);
  }
  throw InputError(settings_.source, "board.output_range",
                   fmt::format("found {:g} to {:g} V", output.minimum_volts, output.maximum_volts),
                   fmt::format("a range of channel {} of subdevice {} of {}: {}", channel,
                               subdevice, title_, ranges));
}

}  // namespace haptic

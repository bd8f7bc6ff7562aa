#include "tests/rt/device/comedi/emulated_comedi.h"

#include <comedi.h>
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace haptic {
namespace {

EmulatedComedi* board = nullptr;

// Made before any loop runs: what runs in a watched one must not allocate.
const EmulatedComedi::Channel kAlike;

constexpr unsigned kInputs = 0, kOutputs = 1, kLines = 2, kCounters = 3;
// Where a range type keeps whose ranges it means: 0 all channels', else the number of an output
// + 1.
constexpr unsigned kTypeOfChannel = 24;
constexpr std::uint32_t kMaxCode = 0x3FFF, kMaxCount = 0xFFFFFF;

int fail(int reason) {
  errno = reason;
  return -1;
}

void describe(comedi_subdinfo* info, unsigned type, unsigned channels, unsigned flags,
              std::uint32_t maxdata, unsigned range) {
  info->type = type;
  info->n_chan = channels;
  info->subd_flags = flags;
  info->maxdata = maxdata;
  info->range_type = range;
}

}  // namespace

EmulatedComedi::EmulatedComedi(std::filesystem::path node)
    : node_(std::move(node)), own_node_(node_.empty()) {
  if (own_node_) {
    std::string name = std::filesystem::temp_directory_path() / "comedi-XXXXXX";
    close(mkstemp(name.data()));
    node_ = name;
  }
  board = this;
}

EmulatedComedi::~EmulatedComedi() {
  board = nullptr;
  if (own_node_) std::filesystem::remove(node_);
}

bool EmulatedComedi::owns(int fd, unsigned long request) {
  if (fd < 0 || static_cast<std::size_t>(fd) >= kDescriptors) return false;
  std::atomic<bool>& ours = ours_[static_cast<std::size_t>(fd)];
  // What libcomedi asks of every descriptor before anything else.
  if (static_cast<std::uint32_t>(request) == COMEDI_DEVINFO) {
    struct stat here {
    }, there{};
    ours = fstat(fd, &here) == 0 && stat(node_.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  }
  return ours;
}

int EmulatedComedi::answer(int fd, unsigned long request, void* argument) {
  if (gone) return fail(ENODEV);
  const unsigned subdevices = kCounters + (is_ni ? static_cast<unsigned>(gpct.size()) : 1);
  switch (request) {
    case COMEDI_DEVINFO: {
      auto* info = static_cast<comedi_devinfo*>(argument);
      *info = {};
      info->n_subdevs = subdevices;
      std::strcpy(info->driver_name, is_ni ? "ni_pcimio" : "s626");
      std::strcpy(info->board_name, is_ni ? "pci-6289" : "s626");
      info->read_subdevice = info->write_subdevice = -1;
      return 0;
    }
    case COMEDI_SUBDINFO: {
      auto* info = static_cast<comedi_subdinfo*>(argument);
      std::memset(info, 0, subdevices * sizeof *info);
      const unsigned volts = 1, none = 0;  // ranges in each
      describe(info + kInputs, COMEDI_SUBD_AI, 4, SDF_READABLE, kMaxCode, volts);
      const unsigned own = channels.empty() ? 0 : SDF_MAXDATA | SDF_RANGETYPE;
      describe(info + kOutputs, COMEDI_SUBD_AO, outputs_there, SDF_WRITABLE | own, kMaxCode, volts);
      describe(info + kLines, COMEDI_SUBD_DIO, 16, SDF_READABLE | SDF_WRITABLE, 1, none);
      if (locked_by >= 0) {
        info[kOutputs].subd_flags |= SDF_LOCKED | (locked_by == fd ? SDF_LOCK_OWNER : 0);
      }
      if (is_ni) {
        for (std::size_t i = 0; i < gpct.size(); ++i) {
          describe(info + kCounters + i, COMEDI_SUBD_COUNTER, 3,
                   SDF_READABLE | SDF_WRITABLE | SDF_LSAMPL, gpct[i].most, none);
        }
        return 0;
      }
      describe(info + kCounters, COMEDI_SUBD_COUNTER, 6, SDF_READABLE | SDF_LSAMPL, kMaxCount,
               none);
      return 0;
    }
    case COMEDI_CHANINFO:
      return channel_info(*static_cast<const comedi_chaninfo*>(argument));
    case COMEDI_RANGEINFO: {
      const auto* asked = static_cast<const comedi_rangeinfo*>(argument);
      if (RANGE_LENGTH(asked->range_type) == 0) return 0;
      auto* range =
          static_cast<comedi_krange*>(static_cast<comedi_rangeinfo*>(argument)->range_ptr);
      const unsigned channel = asked->range_type >> kTypeOfChannel & 0xFF;
      if (channel == 0) {
        *range = {-10'000'000, 10'000'000, UNIT_volt};
        return 0;
      }
      for (const auto& [lowest, highest] : channels.at(channel - 1).ranges) {
        *range++ = {lowest, highest, UNIT_volt};
      }
      return 0;
    }
    case COMEDI_LOCK:
      if (locked_by >= 0 && locked_by != fd) return fail(EBUSY);
      locked_by = fd;
      return 0;
    case COMEDI_UNLOCK:
      if (locked_by != fd) return fail(EACCES);
      locked_by = -1;
      return 0;
    case COMEDI_INSN:
      ++singles;
      return instruction(fd, argument);
    case COMEDI_INSNLIST: {
      auto* list = static_cast<comedi_insnlist*>(argument);
      ++lists;
      instructions = list->n_insns;
      if (before_list) before_list();
      for (unsigned i = 0; i < list->n_insns; ++i) {
        const int done =
            static_cast<int>(i) == fail_instruction ? fail(EIO) : instruction(fd, list->insns + i);
        if (done < 0) return counts_completed ? static_cast<int>(i) : -1;
      }
      return static_cast<int>(list->n_insns);
    }
    default:
      return fail(EIO);
  }
}

int EmulatedComedi::channel_info(const comedi_chaninfo& asked) const {
  if (asked.subdev != kOutputs) return 0;
  for (unsigned i = 0; i < outputs_there; ++i) {
    if (asked.maxdata_list != nullptr) asked.maxdata_list[i] = channels.at(i).most;
    if (asked.rangelist != nullptr) {
      const auto count = static_cast<unsigned>(channels.at(i).ranges.size());
      asked.rangelist[i] = (i + 1) << kTypeOfChannel | count;
    }
  }
  return 0;
}

double EmulatedComedi::volts(unsigned at) const {
  const Channel channel = channels.empty() ? Channel{} : channels.at(at);
  const auto& [lowest, highest] = channel.ranges.at(range_used.at(at));
  return 1e-6 * (lowest + static_cast<double>(highest - lowest) * output.at(at) / channel.most);
}

int EmulatedComedi::instruction(int fd, void* pointer) {
  const auto* insn = static_cast<const comedi_insn*>(pointer);
  const unsigned channel = CR_CHAN(insn->chanspec);
  if (insn->insn == INSN_GTOD) return 2;  // the library asks for the time to see what is supported
  if (is_ni && insn->subdev >= kCounters && insn->subdev < kCounters + gpct.size()) {
    return gpct[insn->subdev - kCounters].instruction(*insn);
  }
  const bool locked = locked_by >= 0 && locked_by != fd;
  if (locked && (insn->subdev == kOutputs || insn->subdev == kLines)) return fail(EACCES);
  if (insn->subdev == kOutputs && insn->insn == INSN_WRITE) {
    if (static_cast<int>(channel) == fail_output) return fail(EIO);
    if (channel >= outputs_there) return fail(EINVAL);
    const Channel& what = channels.empty() ? kAlike : channels.at(channel);
    if (insn->data[0] > what.most || CR_RANGE(insn->chanspec) >= what.ranges.size()) {
      return fail(EINVAL);
    }
    output[channel] = insn->data[0];
    range_used[channel] = CR_RANGE(insn->chanspec);
    return 1;
  }
  if (insn->subdev == kInputs && insn->insn == INSN_READ) {
    insn->data[0] = output[channel];
    return 1;
  }
  if (insn->subdev == kLines && insn->insn == INSN_BITS) {
    const std::uint32_t before = lines_out;
    lines_out = (lines_out & ~insn->data[0]) | (insn->data[1] & insn->data[0]);
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i] += (before ^ lines_out) >> i & 1U;
    insn->data[1] = (lines_out & direction) | (lines_in & ~direction);
    return 2;
  }
  if (insn->subdev == kLines && insn->insn == INSN_CONFIG) {
    if (insn->data[0] == INSN_CONFIG_DIO_OUTPUT) direction |= 1U << channel;
    if (insn->data[0] == INSN_CONFIG_DIO_INPUT) direction &= ~(1U << channel);
    return 1;
  }
  if (insn->subdev == kCounters && insn->insn == INSN_READ) {
    insn->data[0] = counter[channel];
    return 1;
  }
  if (insn->subdev == kCounters && insn->insn == INSN_CONFIG && insn->n == 1) {
    presets.push_back(insn->data[0]);
    counter[channel] = insn->data[0] == INSN_CONFIG_RESET ? 0 : insn->data[0];
    return 1;
  }
  return fail(EINVAL);
}

}  // namespace haptic

// Symbols of the program come before the C library's, for libcomedi, too.
extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (_IOC_TYPE(request) == CIO && haptic::board != nullptr && haptic::board->owns(fd, request)) {
    // libcomedi keeps requests in an int: the sign of a read has spread over the upper half.
    return haptic::board->answer(fd, static_cast<std::uint32_t>(request), argument);
  }
  using Ioctl = int (*)(int, unsigned long, ...);
  static const auto real = reinterpret_cast<Ioctl>(dlsym(RTLD_NEXT, "ioctl"));
  return real(fd, request, argument);
}

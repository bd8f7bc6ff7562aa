#pragma once

#include <comedi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "tests/rt/device/comedi/emulated_gpct.h"

namespace haptic {

/// How the tests wire a board like the Sensoray 626: the code for 0 V, and the digital lines.
inline constexpr std::uint32_t kZero = 8191, kEnable = 1, kStop = 1U << 8, kButton = 1U << 9;

/// The kernel's side of a comedi board for the real libcomedi of this process: the test program's
/// own `ioctl` answers comedi's calls on descriptors of one ordinary file, and passes on all
/// others. A board like the Sensoray 626: 4 analog outputs and 4 inputs (looped back) of 14 bits,
/// 16 digital lines, 6 counters of 24 bits; or like one of National Instruments, with three
/// general-purpose counters, a subdevice each, instead. One at a time.
class EmulatedComedi {
 public:
  /// On a new node, a file in the folder for temporary files, or on an existing one.
  explicit EmulatedComedi(std::filesystem::path node = {});
  ~EmulatedComedi();
  EmulatedComedi(const EmulatedComedi&) = delete;
  EmulatedComedi& operator=(const EmulatedComedi&) = delete;

  const std::filesystem::path& node() const { return node_; }

  /// What a channel of the outputs can do, where the channels are not alike: `most` is its largest
  /// code, `ranges` its own list of ranges [uV].
  struct Channel {
    std::uint32_t most = 0x3FFF;
    std::vector<std::array<int, 2>> ranges{{-10'000'000, 10'000'000}};
  };
  std::vector<Channel>
      channels;  ///< of the outputs; empty: all with the defaults of `Channel`; before opening
  std::array<unsigned, 4> range_used{};  ///< index of the range of an output's last write
  double volts(unsigned output) const;   ///< at its terminal, by the range it was written with

  unsigned outputs_there = 4;
  std::array<std::uint32_t, 4> output{12345, 12345, 12345, 12345};  ///< left by somebody before us
  std::uint32_t lines_out = 0, lines_in = 0, direction = 0;
  std::array<unsigned, 16> edges{};  ///< of every line that is written
  std::array<std::uint32_t, 6> counter{};
  bool is_ni = false;  ///< to be set before it is opened
  std::array<EmulatedGpct, 3> gpct;
  int fail_instruction = -1;  ///< this one of every list ends in EIO, those before it have taken
  int fail_output = -1;       ///< writing this output ends in EIO
  std::atomic<bool> gone{false};       ///< every call ends in ENODEV
  bool counts_completed = false;       ///< a failed list returns what it did, as some emulations do
  unsigned lists = 0, singles = 0;     ///< calls of each kind
  unsigned instructions = 0;           ///< of the last list
  std::vector<std::uint32_t> presets;  ///< INSN_CONFIG values counters were given
  int locked_by = -1;                  ///< descriptor that holds comedi's lock of the outputs
  std::function<void()> before_list;   ///< whatever moves the counters

  /// The kernel's answer. @returns what ioctl returns; errno is set
  int answer(int fd, unsigned long request, void* argument);
  /// Whether `fd` is one of ours. A loop's call must find that out without a system call: only the
  /// first on a descriptor looks.
  bool owns(int fd, unsigned long request);

 private:
  int instruction(int fd, void* insn);
  int channel_info(const comedi_chaninfo& asked) const;

  static constexpr std::size_t kDescriptors = 1024;
  std::filesystem::path node_;
  bool own_node_;
  std::array<std::atomic<bool>, kDescriptors> ours_{};
};

}  // namespace haptic

#pragma once

#include <comedi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace haptic {

/// A general-purpose counter of a National Instruments board, as the kernel's ni_tio driver shows
/// it: a subdevice of three channels (the count, two load registers) and the configuration
/// instructions of docs/methods/devices.md, "Encoder counters", each of the length the kernel
/// demands. It counts edges only when it has been told all of it.
class EmulatedGpct {
 public:
  std::uint32_t most = 0xFFFFFF;  ///< 24 or 32 bits

  /// One instruction. @returns the number of data taken or -1, errno set
  int instruction(const comedi_insn& insn);
  /// The encoder moves by so many of its four edges per line.
  void turn(std::int64_t edges);

  bool counts() const;
  std::uint32_t count() const { return count_; }
  /// What it was told, in order: "reset", "write 0", "gate 1", "source A", "mode", "arm".
  const std::vector<std::string>& told() const { return told_; }
  /// Selected source of the encoder's A, B, Z; -1 before it is told.
  const std::array<int, 3>& lines() const { return lines_; }

 private:
  int configure(const comedi_insn& insn);

  std::uint32_t count_ = 0, mode_ = 0;
  std::array<bool, 2> gate_off_{};
  std::array<int, 3> lines_{-1, -1, -1};
  bool armed_ = false;
  std::vector<std::string> told_;
};

}  // namespace haptic

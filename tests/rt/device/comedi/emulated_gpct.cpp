#include "tests/rt/device/comedi/emulated_gpct.h"

#include <cerrno>

namespace haptic {
namespace {

int invalid() {
  errno = EINVAL;
  return -1;
}

}  // namespace

int EmulatedGpct::instruction(const comedi_insn& insn) {
  const unsigned channel = CR_CHAN(insn.chanspec);
  if (channel > 2) return invalid();
  switch (insn.insn) {
    case INSN_CONFIG:
      return configure(insn);
    case INSN_WRITE:
      if (insn.n != 1 || insn.data[0] > most) return invalid();
      told_.push_back("write " + std::to_string(channel));
      if (channel == 0) count_ = insn.data[0];
      return 1;
    case INSN_READ:
      if (channel != 0) return invalid();
      insn.data[0] = count_;
      return 1;
    default:
      return invalid();
  }
}

int EmulatedGpct::configure(const comedi_insn& insn) {
  switch (insn.data[0]) {
    case INSN_CONFIG_RESET: {
      if (insn.n != 1) return invalid();
      const std::uint32_t width = most;
      *this = EmulatedGpct();
      most = width;
      told_.push_back("reset");
      return 1;
    }
    case INSN_CONFIG_SET_GATE_SRC:
      if (insn.n != 3 || insn.data[1] > 1) return invalid();
      gate_off_[insn.data[1]] = insn.data[2] == NI_GPCT_DISABLED_GATE_SELECT;
      told_.push_back("gate " + std::to_string(insn.data[1]));
      return 3;
    case INSN_CONFIG_SET_OTHER_SRC: {
      const unsigned which = insn.data[1] - NI_GPCT_SOURCE_ENCODER_A;
      if (insn.n != 3 || which > 2) return invalid();
      // libcomedi 0.11 sends this one twice.
      if (lines_[which] < 0) told_.push_back(std::string("source ") + "ABZ"[which]);
      lines_[which] = static_cast<int>(insn.data[2]);
      return 3;
    }
    case INSN_CONFIG_SET_COUNTER_MODE:
      if (insn.n != 2) return invalid();
      mode_ = insn.data[1];
      told_.push_back("mode");
      return 2;
    case INSN_CONFIG_ARM:
      if (insn.n != 2 || insn.data[1] != NI_GPCT_ARM_IMMEDIATE) return invalid();
      armed_ = true;
      told_.push_back("arm");
      return 2;
    default:
      return invalid();
  }
}

bool EmulatedGpct::counts() const {
  const bool quadrature =
      (mode_ & NI_GPCT_COUNTING_MODE_MASK) == NI_GPCT_COUNTING_MODE_QUADRATURE_X4_BITS &&
      (mode_ & NI_GPCT_COUNTING_DIRECTION_MASK) == NI_GPCT_COUNTING_DIRECTION_HW_UP_DOWN_BITS;
  return armed_ && quadrature && gate_off_[0] && gate_off_[1] && lines_[0] >= 0 && lines_[1] >= 0;
}

void EmulatedGpct::turn(std::int64_t edges) {
  if (counts()) count_ = static_cast<std::uint32_t>(count_ + edges) & most;
}

}  // namespace haptic

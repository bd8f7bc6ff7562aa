// A Velleman K8055 that is a program, for the stock vmk80xx driver: two analog outputs, eight
// digital ones, two 16-bit counters that the outputs move. Test-only; its plug can be pulled.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>

#include "tests/machine/gadget/functionfs.h"
#include "tests/machine/gadget/gadget_state.h"

namespace haptic::machine {
namespace {

/// Commands of the board: first byte of its 8-byte packets.
constexpr std::uint8_t kReset = 0x00, kResetCounter1 = 0x03, kResetCounter2 = 0x04, kWrite = 0x05;

struct Board {
  std::mutex mutex;
  std::array<int, 3> outputs{};  // two converters, digital lines
  std::array<double, 2> counters{};
  std::uint64_t advanced = monotonic_ns();

  /// Counters run at a hundred counts a second at full output: the driver of Linux 6.1 hands on
  /// only their low byte, which must not wrap between two looks.
  void advance() {
    const std::uint64_t now = monotonic_ns();
    for (std::size_t i = 0; i < 2; ++i)
      counters[i] += outputs[i] / 255.0 * 100.0 * static_cast<double>(now - advanced) * 1e-9;
    advanced = now;
  }
};

void from_host(Board& board, GadgetState& state, int file) {
  // One packet, no more: a full packet does not end a longer read.
  std::array<std::uint8_t, 8> data{};
  while (true) {
    const ssize_t got = read(file, data.data(), data.size());
    if (got < 4) {
      usleep(2000);
      continue;
    }
    const std::lock_guard lock(board.mutex);
    board.advance();
    if (data[0] == kReset) board.outputs = {};
    if (data[0] == kResetCounter1) board.counters[0] = 0;
    if (data[0] == kResetCounter2) board.counters[1] = 0;
    if (data[0] == kWrite) board.outputs = {data[2], data[3], data[1]};
    note_outputs(state, board.outputs.data(), 3);
  }
}

void to_host(Board& board, int file) {
  while (true) {
    std::array<std::uint8_t, 8> packet{};
    {
      const std::lock_guard lock(board.mutex);
      board.advance();
      packet[1] = 1;                                            // the card's address
      packet[2] = static_cast<std::uint8_t>(board.outputs[0]);  // inputs wired to the outputs
      packet[3] = static_cast<std::uint8_t>(board.outputs[1]);
      for (std::size_t i = 0; i < 2; ++i) {
        const auto n = static_cast<std::uint16_t>(board.counters[i]);
        packet[4 + 2 * i] = static_cast<std::uint8_t>(n & 0xff);
        packet[5 + 2 * i] = static_cast<std::uint8_t>(n >> 8);
      }
    }
    if (write(file, packet.data(), packet.size()) < 0) usleep(2000);
  }
}

}  // namespace

int run(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: daq_gadget FUNCTIONFS STATE_FILE\n", stderr);
    return 2;
  }
  GadgetState& state = *create_state(argv[2]);
  FunctionFs function(argv[1], FunctionFs::Transfer::kInterrupt, 8);
  static Board board;
  std::puts("ready");
  std::fflush(stdout);
  std::thread([&] { from_host(board, state, function.out()); }).detach();
  std::thread([&] { to_host(board, function.in()); }).detach();
  function.serve([](const usb_ctrlrequest&, std::uint8_t*, std::size_t&) { return false; },
                 [&](bool enabled) { state.enabled = enabled ? 1 : 0; });
  std::_Exit(0);
}

}  // namespace haptic::machine

int main(int argc, char** argv) {
  return haptic::machine::run(argc, argv);
}

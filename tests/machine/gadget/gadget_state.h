#pragma once

#include <atomic>
#include <cstdint>

namespace haptic::machine {

/// What an emulated device shows a test, in a file that both map: the newest values, no history.
/// Times are CLOCK_MONOTONIC [ns]; 0: not so now.
struct GadgetState {
  static constexpr std::uint64_t kMagic = 0x3174656764616748;  // "HgadgetS1"
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint64_t> commands;         ///< packets that changed or repeated the outputs
  std::atomic<std::uint64_t> last_command_ns;  ///< when the newest of them came
  std::atomic<std::uint64_t> safe_since_ns;    ///< all outputs at zero since
  std::atomic<std::uint64_t> unsafe_since_ns;  ///< some output not at zero since
  std::atomic<std::uint64_t> enabled;          ///< the host has configured the device
  std::atomic<std::uint64_t> firmware;         ///< Falcon: 0 boot loader, 1 firmware runs
  std::atomic<std::uint64_t> homed;            ///< Falcon: bit per axis
  std::atomic<std::uint64_t> broken_packets;   ///< packets of the host that made no sense
  std::atomic<std::int64_t> outputs[4];        ///< motor units or converter codes
  std::atomic<double> position[3];             ///< Falcon: of the grip [m]
};

/// CLOCK_MONOTONIC [ns].
std::uint64_t monotonic_ns();

/// The state in a separate file, created or reset.
GadgetState* create_state(const char* path);

/// Takes note of the outputs' new values: stamps the change to all zero and the one away from it.
void note_outputs(GadgetState& state, const int* outputs, int count);

}  // namespace haptic::machine

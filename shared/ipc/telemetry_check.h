#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "shared/ipc/telemetry_layout.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Names a telemetry segment in messages.
struct TelemetrySource {
  std::string title;    ///< of the file
  std::string section;  ///< of the file; may be empty
  /// @throws InputError
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
};

/// Checks the numbers that determine where bodies and blocks are.
/// @param size  of the segment, in bytes @throws InputError
void check_counts(const TelemetrySource& source, const TelemetryHeader& header, std::size_t size);

/// Checks the other positions, which follow from the blocks, and the rate. @throws as check_counts
void check_places(const TelemetrySource& source, const TelemetryHeader& header,
                  const StateLayout& state, std::size_t size);

/// Reads the state blocks described by the `count` records at `at`.
/// @throws InputError if they are invalid
StateLayout read_blocks(const TelemetrySource& source, const std::byte* at, std::uint32_t count);

/// Sets the last character of a text field to zero.
template <std::size_t N>
void terminate(char (&field)[N]) {
  field[N - 1] = '\0';
}

}  // namespace haptic

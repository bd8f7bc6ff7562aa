#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

enum class ColumnType : std::uint8_t { kFloat64, kUint32, kUint64, kInt64 };

/// One column of a log: a dataset with a row a cycle. The writer, the reader and the docs follow
/// this table; a column is part of SampleRecord at a fixed offset.
struct LogColumn {
  std::string_view name;     ///< HDF5 path; a unit in the name where it is a quantity
  std::string_view unit;     ///< attribute "unit"
  std::string_view meaning;  ///< attribute "description"
  ColumnType type;
  std::uint32_t width;  ///< numbers a row; 1: a one-dimensional dataset
  std::size_t offset;   ///< into SampleRecord
  bool later = false;   ///< missing in logs of earlier versions
};

/// Data of a cycle: the same in the log of a daemon and in an offline log.
std::span<const LogColumn> sample_columns();
/// Times of a cycle: only the log of a daemon has these.
std::span<const LogColumn> timing_columns();

/// Of each row of /display: the cycles in which its values were taken.
inline constexpr const char* kFirstDisplayCycle = "/display_cycles/first";
inline constexpr const char* kLastDisplayCycle = "/display_cycles/last";

/// Of each gap in the cycles of a daemon's log: the first cycle after it, and how many are missing.
inline constexpr const char* kGapCycle = "/gaps/cycle";
inline constexpr const char* kGapLost = "/gaps/lost";

}  // namespace haptic

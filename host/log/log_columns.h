#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "shared/ipc/record_fields.h"

namespace haptic {

/// One column of a log: a dataset with a row per cycle or event, from a field of SampleRecord or
/// EventRecord (shared/records.h).
struct LogColumn {
  std::string name;          ///< HDF5 path; a unit in the name where it is a quantity
  std::string_view unit;     ///< attribute "unit"
  std::string_view frame;    ///< "-": none
  std::string_view meaning;  ///< attribute "description"
  FieldType type;            ///< of a number, or kText
  std::size_t width;         ///< numbers a row; 1: a one-dimensional dataset
  std::size_t offset, size;  ///< bytes, in the record
  bool later = false;        ///< missing in logs of earlier versions
};

/// Data of a cycle: the same in the log of a daemon and in an offline log.
std::span<const LogColumn> sample_columns();
/// Times of a cycle: only the log of a daemon has these.
std::span<const LogColumn> timing_columns();
/// Of an event: one number or text. Only the log of a daemon has these.
std::span<const LogColumn> event_columns();

/// Of each row of /display: the cycles in which its values were taken.
inline constexpr const char* kFirstDisplayCycle = "/display_cycles/first";
inline constexpr const char* kLastDisplayCycle = "/display_cycles/last";

/// Of each gap in the cycles of a daemon's log: the first cycle after it, and how many are missing.
inline constexpr const char* kGapCycle = "/gaps/cycle";
inline constexpr const char* kGapLost = "/gaps/lost";

}  // namespace haptic

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "host/artifact/hdf5_handle.h"
#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// One column of a log's group /events: a part of EventRecord at a fixed offset. The writer and the
/// reader follow this table.
struct EventColumn {
  std::string_view name;  ///< HDF5 path
  std::string_view unit;
  std::string_view meaning;
  enum class Type : unsigned char { kUint32, kUint64, kInt64, kFloat64, kText } type;
  std::size_t size;    ///< bytes
  std::size_t offset;  ///< into EventRecord
  bool later = false;  ///< missing in logs of earlier versions
};

std::span<const EventColumn> event_columns();

/// The column's element, in the file and in memory.
Hdf5Handle event_type(const EventColumn& column);

}  // namespace haptic

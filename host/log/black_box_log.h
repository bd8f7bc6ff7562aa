#pragma once

#include <filesystem>

#include "host/artifact/hdf5_handle.h"
#include "host/log/black_box.h"
#include "host/log/telemetry_log.h"

namespace haptic {

/// Writes the log that `haptic record --from-oldest` would have written of the daemon when it wrote
/// the black box `box`. @throws as read_black_box, claim_log and LogWriter
RecordedFile record_black_box(const std::filesystem::path& box, const std::filesystem::path& path,
                              ExistingLog existing = ExistingLog::kRefused);

/// The log of a black box as an open HDF5 file in memory. @throws as above
Hdf5Handle open_black_box(const std::filesystem::path& box);
/// The log of a black box that was read already, as an open HDF5 file in memory.
Hdf5Handle log_of(BlackBox& box, const std::filesystem::path& path);

}  // namespace haptic

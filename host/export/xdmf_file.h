#pragma once

#include <cstdint>
#include <filesystem>

#include "host/export/row_choice.h"

namespace haptic {

/// Writes an XDMF 3 file for ParaView beside the log of an unreduced run (`haptic simulate
/// --unreduced
/// --save-every`): the mesh of the model and a time step for each chosen snapshot, whose
/// displacements stay in the log. Without the model the vertices are points without elements.
/// Source: https://www.xdmf.org/index.php/XDMF_Model_and_Format
/// @returns the number of time steps
/// @throws InputError if the file is no log of a run or has no snapshots in the time
std::uint64_t write_xdmf(const std::filesystem::path& log, const RowChoice& choice,
                         const std::filesystem::path& path);

}  // namespace haptic

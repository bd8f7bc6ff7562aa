#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "host/export/row_choice.h"
#include "host/log/log_description.h"

namespace haptic {

struct XdmfOutcome {
  std::uint64_t steps = 0;       ///< time steps written
  std::string without_elements;  ///< why the vertices are points; empty: they have elements
};

/// The model of an unreduced run (`haptic simulate --unreduced --save-every`), named "model".
/// @throws InputError if the file is no log of a run
LogBody model_of_run(const std::filesystem::path& log);

/// Writes an XDMF 3 file for ParaView beside the log of an unreduced run: the mesh of the model and
/// a time step for each chosen snapshot, whose displacements stay in the log.
/// Source: https://www.xdmf.org/index.php/XDMF_Model_and_Format
/// @param any_model  take the model as it is now; points without elements if it does not fit
/// @throws InputError if the file is no log of a run or has no snapshots in the time; unless
///         any_model, also if the model cannot be read or is not the one that ran
XdmfOutcome write_xdmf(const std::filesystem::path& log, const RowChoice& choice,
                       const std::filesystem::path& path, bool any_model);

}  // namespace haptic

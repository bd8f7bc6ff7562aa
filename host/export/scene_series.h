#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "host/export/row_choice.h"
#include "host/log/log_reader.h"
#include "shared/progress.h"

namespace haptic {

/// What write_scene_series wrote.
struct SceneSeries {
  std::uint64_t frames = 0;
  std::string without_contact_points;  ///< why, where it has the sum of the forces alone
};

/// Writes the deformed bodies of a log for ParaView: NAME.pvd and, in the folder NAME beside it,
/// for each chosen row a file with the surfaces of all bodies (arrays "displacement" [m], from the
/// rest shape at the body's pose, and "body", the index) and one with the contact points. The
/// folder gets its name when it is complete, and the .pvd after it.
/// @param progress told the fraction of the frames
/// @throws InputError if the folder exists or a model cannot be read; OperationError if a file
///         cannot be written
SceneSeries write_scene_series(const LogReader& log, const RowChoice& choice,
                               const std::filesystem::path& pvd, const Progress& progress = {});

}  // namespace haptic

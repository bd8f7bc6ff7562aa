#pragma once

#include <optional>
#include <string>

#include "shared/artifact/model_file.h"

namespace haptic {

/// Mean edge of the elements of the simulation mesh [m]; 0 for a model without one.
double element_length(const ModelFile& model);

/// A line where the elements of a deformable body are larger than the tool that touches it. A ball
/// of radius R that is pressed in by d touches within about sqrt(R d) (Hertz); even at d = R that
/// is less than an element, over which the mesh spreads the force, so that the body feels too
/// stiff. An estimate on the safe side: of a tool with edges or tips only the whole size counts.
/// @param body         its name in the scene
/// @param tool_radius  half the extent of the tool [m]
std::optional<std::string> coarse_mesh_warning(const std::string& body, const ModelFile& model,
                                               double tool_radius);

}  // namespace haptic

#pragma once

#include <string>
#include <vector>

#include "host/bake/recipe.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Values of a recipe that a lab hardly means, one line each (shared/config/plausible_range.h):
/// material of every group, damping ratios, mass of a cloth.
std::vector<std::string> implausible_values(const Recipe& recipe);

/// The same of the size of its surface in metres, which a file in millimetres makes a thousand
/// times too large where the recipe gives no length.
std::vector<std::string> implausible_size(const Recipe& recipe, const TriangleMesh& surface);

}  // namespace haptic

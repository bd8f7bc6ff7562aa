#pragma once

#include <string>
#include <vector>

#include "host/artifact/model_attributes.h"

namespace haptic {

/// The figures of /body in words, for `haptic bake`, `verify` and `inspect`: extent, mass, centre
/// and inertia of the body that moves beside those of its surface, voxels through its thinnest
/// wall, first frequencies, stiffness at the softest place. Nothing of a file without them.
std::vector<std::string> body_lines(const ModelAttributes& attributes);

}  // namespace haptic

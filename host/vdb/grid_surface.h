#pragma once

#include <openvdb/openvdb.h>

#include "host/vdb/volume_surface.h"

namespace haptic {

/// Surface value = iso of a grid, by volumeToMesh; for this folder only.
/// @param adaptivity 0 to 1: how readily flat parts become larger faces
VolumeSurface grid_surface(const openvdb::FloatGrid& grid, double iso, double adaptivity);

}  // namespace haptic

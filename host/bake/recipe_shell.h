#pragma once

#include <cstdint>

#include "host/sampling/point_shell_builder.h"

namespace haptic {

/// [shell]: the points by which a body touches others; absent: no points.
struct ShellRecipe {
  PointShellSettings sampling;
  bool area_weights = false;  ///< write /shell/weights

  /// The offset route (Barbic 2007, section 3.8.1, thin shells), for both shell and field.
  bool offset = false;                  ///< also for a closed mesh
  double offset_voxels = 1.4;           ///< iso value in voxels of the unsigned field
  std::uint32_t offset_resolution = 0;  ///< of that field; 0: as [field], or 128
};

}  // namespace haptic

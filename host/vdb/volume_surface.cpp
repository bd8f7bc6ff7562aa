#include "host/vdb/volume_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

#include "host/vdb/grid_surface.h"

namespace haptic {

VolumeSurface volume_surface(const std::array<std::uint32_t, 3>& counts,
                             std::span<const float> values, float background, double iso) {
  const auto top = [&](std::size_t axis) { return static_cast<int>(counts[axis]) - 1; };
  const openvdb::CoordBBox box(openvdb::Coord(0), openvdb::Coord(top(0), top(1), top(2)));
  // LayoutXYZ: x fastest, as here; the tool only reads.
  const openvdb::tools::Dense<float, openvdb::tools::LayoutXYZ> dense(
      box, const_cast<float*>(values.data()));
  const auto grid = openvdb::FloatGrid::create(background);
  openvdb::tools::copyFromDense(dense, *grid, 0.0F, false);
  return grid_surface(*grid, iso, 0.0);
}

}  // namespace haptic

#include "host/vdb/volume_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>
#include <openvdb/tools/VolumeToMesh.h>

namespace haptic {
namespace {

template <class To, class From>
std::vector<To> as_arrays(const std::vector<From>& tuples) {
  std::vector<To> arrays(tuples.size());
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    for (std::size_t k = 0; k < arrays[i].size(); ++k) {
      arrays[i][k] = tuples[i][static_cast<int>(k)];
    }
  }
  return arrays;
}

}  // namespace

VolumeSurface volume_surface(const std::array<std::uint32_t, 3>& counts,
                             std::span<const float> values, float background, double iso) {
  const auto top = [&](std::size_t axis) { return static_cast<int>(counts[axis]) - 1; };
  const openvdb::CoordBBox box(openvdb::Coord(0), openvdb::Coord(top(0), top(1), top(2)));
  // LayoutXYZ: x fastest, as here; the tool only reads.
  const openvdb::tools::Dense<float, openvdb::tools::LayoutXYZ> dense(
      box, const_cast<float*>(values.data()));
  const auto grid = openvdb::FloatGrid::create(background);
  openvdb::tools::copyFromDense(dense, *grid, 0.0F, false);

  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*grid, points, triangles, quads, iso, 0.0);
  return {as_arrays<std::array<float, 3>>(points),
          as_arrays<std::array<std::uint32_t, 3>>(triangles),
          as_arrays<std::array<std::uint32_t, 4>>(quads)};
}

}  // namespace haptic

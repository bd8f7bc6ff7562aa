#include "host/vdb/grid_surface.h"

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

VolumeSurface grid_surface(const openvdb::FloatGrid& grid, double iso, double adaptivity) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(grid, points, triangles, quads, iso, adaptivity);
  return {as_arrays<std::array<float, 3>>(points),
          as_arrays<std::array<std::uint32_t, 3>>(triangles),
          as_arrays<std::array<std::uint32_t, 4>>(quads)};
}

}  // namespace haptic

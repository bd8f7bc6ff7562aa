#include "host/vdb/level_set_union.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/MeshToVolume.h>

#include "host/vdb/grid_surface.h"

namespace haptic {
namespace {

constexpr double kAdaptivity = 0.02;

openvdb::FloatGrid::Ptr level_set(const ClosedPart& part) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  points.reserve(part.points.size());
  triangles.reserve(part.triangles.size());
  for (const auto& [x, y, z] : part.points) points.emplace_back(x, y, z);
  for (const auto& [i, j, k] : part.triangles) triangles.emplace_back(i, j, k);
  const auto voxels = openvdb::math::Transform::createLinearTransform(1.0);
  return openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*voxels, points, triangles);
}

}  // namespace

VolumeSurface union_surface(std::span<const ClosedPart> parts) {
  const openvdb::FloatGrid::Ptr all = level_set(parts.front());
  for (const ClosedPart& part : parts.subspan(1)) {
    const openvdb::FloatGrid::Ptr grid = level_set(part);
    if (part.is_cavity) {
      openvdb::tools::csgDifference(*all, *grid);
    } else {
      openvdb::tools::csgUnion(*all, *grid);
    }
  }
  return grid_surface(*all, 0.0, kAdaptivity);
}

}  // namespace haptic

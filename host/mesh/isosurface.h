#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/mesh/mesh_report.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// View on samples at the nodes of a regular grid: value (i,j,k) at (k*counts[1] + j)*counts[0] +
/// i, at origin + spacing * (i,j,k).
struct GridSamples {
  std::array<std::uint32_t, 3> counts = {0, 0, 0};  ///< nodes along x, y, z, each >= 2
  Vector3 origin = Vector3::Zero();                 ///< m
  double spacing = 0.0;                             ///< m
  std::span<const float> values;
};

struct Isosurface {
  TriangleMesh mesh;
  MeshReport report;    ///< closed_manifold() says whether the grid allowed a clean surface
  bool capped = false;  ///< a sample on the grid's border lies below the iso value
};

struct VolumeSurface;

/// The triangles of a surface on a grid, quads split along the shorter diagonal.
TriangleMesh triangles_on_grid(const VolumeSurface& surface, const Vector3& origin, double spacing);

/// Surface value = iso of a sampled scalar, triangles outward (towards larger values).
///
/// OpenVDB's volumeToMesh (dual contouring, no adaptivity), quads split along the shorter diagonal.
/// Beyond the grid counts as above `iso`: what reaches the border is capped within a cell of it.
/// Where two sheets meet in one cell the surface may be non-manifold; see the report.
/// @throws InputError if counts, spacing or the number of values are wrong, or a value is not
/// finite
/// @throws OperationError if no surface exists at this value
Isosurface isosurface(const GridSamples& samples, double iso);

}  // namespace haptic

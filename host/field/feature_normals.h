#pragma once

#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Angle-weighted pseudonormals of the faces, edges and vertices of a triangle mesh: the sum of
/// the face normals around a feature, each weighted by the angle of its face there (Baerentzen &
/// Aanaes 2005). Unit, outward if the mesh is oriented outward; zero where undefined.
struct FeatureNormals {
  std::vector<Vector3> face;    ///< per triangle; zero for a triangle without area
  std::vector<Vector3> edge;    ///< 3 per triangle: edges (0,1), (1,2), (2,0)
  std::vector<Vector3> vertex;  ///< per vertex

  /// Features about which the surface is not one fan of triangles with areas: boundary, touching
  /// sheets, slivers. There the pseudonormal does not distinguish inside from outside.
  std::vector<bool> edge_ambiguous;
  std::vector<bool> vertex_ambiguous;
};

FeatureNormals feature_normals(const TriangleMesh& mesh);

}  // namespace haptic

#pragma once

#include <cstdint>
#include <vector>

#include "host/field/surface_distance.h"

namespace haptic {

/// Points of a surface in no particular order, with the triangles that give their normals.
struct UnorderedSamples {
  std::vector<Vector3> points;           ///< [m]
  std::vector<std::uint32_t> triangles;  ///< of the surface, nearest to each point
};

/// Ways to sample a surface that particle repulsion is compared with (Barbic 2007, Section
/// 3.8.2). None is uniform: vertices follow the mesh, voxel centres form two layers and steps, ray
/// points cluster where the three bundles coincide.

/// Every vertex that a triangle uses.
UnorderedSamples vertex_samples(const SurfaceDistance& surface);

/// Centres of the voxels of edge `spacing` [m] whose closed cube meets a triangle (VPS).
/// @throws InputError if there would be more than four million
UnorderedSamples voxel_samples(const SurfaceDistance& surface, double spacing);

/// Layered depth cube: where the rays of three bundles along x, y and z, `spacing` [m] apart, meet
/// the surface. Every place of the surface is within about spacing * sqrt(3)/2 of one. Exact: a ray
/// through an edge meets one of its two triangles.
/// @throws InputError if there would be more than four million
UnorderedSamples layered_depth_samples(const SurfaceDistance& surface, double spacing);

}  // namespace haptic

#pragma once

#include <string>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Closed outward box, 8 vertices, 12 triangles.
TriangleMesh box_mesh(const Vector3& lower, const Vector3& upper);

/// Closed outward sphere about the origin: an octahedron, each triangle split into 4^subdivisions.
TriangleMesh sphere_mesh(double radius, int subdivisions);

/// Merges vertices at the same position.
void weld(TriangleMesh& mesh);

/// Puts a vertex on one edge of a unit box's mesh: one neighbour is split there, the other closes
/// the gap with a triangle that has no area.
void insert_sliver(TriangleMesh& unit_box);

/// Reads NAME from the folder of real meshes (environment variable HAPTIC_MESHES, else the folder
/// next to the source tree) and cleans it. @returns false if there is no such folder
bool load_real_mesh(const char* name, TriangleMesh& mesh);

/// The mesh's file name without its ending, as a part of a test's name ("rocker_arm").
std::string test_name(const std::string& mesh_file);

}  // namespace haptic

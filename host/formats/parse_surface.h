#pragma once

#include <string>
#include <string_view>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A surface as it was read.
struct SurfaceFile {
  TriangleMesh mesh;  ///< in the file's unit
  /// Difference of neighbouring values that the file can give at its largest coordinate.
  double last_digit = 0.0;
};

/// How far vertices of open edges may lie apart that are one [unit of the file]: by what the file's
/// digits or a CAD program's arithmetic (1e-7 of the longest side) do not distinguish; at most 1e-3
/// of the longest side.
double joining_tolerance(const SurfaceFile& surface);

/// Reads a surface from the bytes of an OBJ, STL or PLY file, in double precision.
///
/// Vertices at exactly the same position are merged, so that the connectivity is correct for STL
/// and across texture seams; they are numbered in the order of first use by a triangle. Polygons
/// are cut into triangles; unused vertices are left out. The mesh is not cleaned or re-oriented:
/// see clean_mesh.
/// @param extension ".obj", ".stl" or ".ply"
/// @param file      what messages name
/// @throws InputError (place in the file named) if it is invalid (polygon_soup.h), without
///         triangles or without extent
SurfaceFile parse_surface(std::string_view bytes, std::string_view extension,
                          const std::string& file);

}  // namespace haptic

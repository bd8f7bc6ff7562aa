#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A hole of a surface [unit of the mesh].
struct HoleReport {
  Vector3 centre = Vector3::Zero();  ///< of its box
  double size = 0.0;                 ///< longest side of its box
};

/// One of several components of a surface, before any is left out [unit of the mesh].
struct ComponentReport {
  std::size_t triangles = 0;
  BoundingBox box;
  double volume = 0.0;  ///< negative if it is inside out
  bool closed = false;  ///< its volume is meaningful
  bool kept = true;     ///< by CleaningSettings
  std::string summary() const;
};

/// Which components of a surface are wanted, and which gaps are closed.
struct CleaningSettings {
  double joining = 0.0;                  ///< join_open_edges within this [unit of the mesh]
  double close_holes = 0.0;              ///< largest hole that is closed, over the longest side
  bool keep_largest = false;             ///< only the component of the largest area
  std::vector<std::uint32_t> keep = {};  ///< only these components, from 1; empty: all
};

/// Properties of a surface and the changes made by clean_mesh.
struct MeshReport {
  std::size_t vertices = 0;             ///< after cleaning
  std::size_t triangles = 0;            ///< after cleaning
  std::size_t components = 0;           ///< connected through shared edges
  std::size_t boundary_edges = 0;       ///< edges of exactly one triangle
  std::size_t non_manifold_edges = 0;   ///< edges of three or more triangles
  std::size_t inconsistent_edges = 0;   ///< edges whose two triangles still disagree on the outside
  std::size_t degenerate_dropped = 0;   ///< triangles that named a vertex twice
  std::size_t duplicates_dropped = 0;   ///< triangles on the same three vertices as another one
  std::size_t vertices_joined = 0;      ///< across gaps of open edges
  double joined_within = 0.0;           ///< tolerance of that [unit of the mesh before scaling]
  std::size_t components_turned = 0;    ///< closed components that were inside out
  std::size_t components_left_out = 0;  ///< closed components inside the material of another one
  std::size_t triangles_flipped =
      0;                      ///< orientation reversed, to agree with neighbours or to be outward
  std::size_t zero_area = 0;  ///< slivers of zero area; kept, they close the surface
  bool inside_out = false;    ///< closed, and the orientation of all triangles was reversed
  std::vector<HoleReport> closed_holes;
  std::vector<HoleReport> open_holes;  ///< what is larger
  std::vector<ComponentReport> parts;  ///< where there is more than one component
  double area = 0.0;                   ///< m^2
  double volume = 0.0;                 ///< signed volume [m^3]; meaningful if closed

  /// No boundary: every edge has two triangles, or an even number where sheets touch.
  bool closed = false;
  /// Closed, two triangles at every edge, consistently oriented.
  bool closed_manifold() const {
    return closed && non_manifold_edges == 0 && inconsistent_edges == 0;
  }
  /// One line, e.g. "closed, 2930 vertices, 5856 triangles, 1 component".
  std::string summary() const;
};

/// CleaningSettings::close_holes that closes every open hole, rounded up to a hundredth; nothing if
/// there is none, or if one is as large as the surface, as the rim of a plate is.
/// @param side longest side of the mesh
std::optional<double> closing_all_holes(const MeshReport& report, double side);

/// Counts everything above without changing the mesh.
MeshReport inspect_mesh(const TriangleMesh& mesh);

/// Prepares the surface for baking: drops triangles that use a vertex twice, duplicate triangles
/// (of opposite ones both), components that are not wanted and unused vertices, joins vertices of
/// open edges (join_open_edges.h), orients triangles so that neighbours agree (orientable
/// components only), closes holes with triangles (surface_holes.h), and orients closed components
/// so that together they bound the union of what they enclose (nested_components.h).
/// @throws InputError if a component that is wanted does not exist
MeshReport clean_mesh(TriangleMesh& mesh, const CleaningSettings& settings = {});

}  // namespace haptic

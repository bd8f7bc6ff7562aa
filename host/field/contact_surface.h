#pragma once

#include <cstdint>
#include <string>

#include "host/mesh/mesh_report.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

struct ContactSurfaceSettings {
  std::uint32_t resolution = 128;  ///< of the unsigned field of the offset route, voxels a side
  double expansion = 1.5;          ///< edge of its box over that of the tight cube, > 1
  double offset_voxels = 1.4;      ///< iso value c in voxels of that field
  bool force_offset = false;       ///< use the offset route for a closed mesh too
};

/// How a contact surface was made.
enum class ContactSurfaceRoute : std::uint8_t { kClosedMesh, kOffset };

/// The closed surface of a body for contact, outward by the right hand. Where two sheets of an
/// isosurface touch, an edge may have four triangles; all others have two.
struct ContactSurface {
  TriangleMesh mesh;  ///< model frame [m]
  ContactSurfaceRoute route = ContactSurfaceRoute::kClosedMesh;
  double offset = 0.0;           ///< distance of the surface from the input's [m]
  double voxel = 0.0;            ///< voxel edge of the offset field [m]; 0 for a closed mesh
  std::uint32_t components = 1;  ///< kept
  std::uint32_t dropped_components = 0;  ///< lay inside another component
  MeshReport report;                     ///< of `mesh`

  /// One line, e.g. "offset by 0.0033 m (1.4 voxels of 128^3), 1 component, 2 dropped".
  std::string summary() const;
};

/// A closed manifold mesh as it is (turned outward if its volume is negative); any other by the
/// offset route: unsigned field, isosurface at c, components inside another component removed
/// (docs/methods/contact-and-coupling.md, "Contact surface").
/// @throws InputError if a setting is out of range or the mesh has no area;
///         OperationError if the isosurface comes out open
ContactSurface make_contact_surface(const TriangleMesh& mesh,
                                    const ContactSurfaceSettings& settings = {});

}  // namespace haptic

#include "host/field/contact_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/field/distance_field_builder.h"
#include "host/field/surface_distance.h"
#include "host/field/surface_parts.h"
#include "host/mesh/isosurface.h"
#include "host/mesh/winding_number.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// Whether at least two of three vertices of `inner` lie inside `outer`. For disjoint closed
/// surfaces all three agree; the majority handles surfaces that touch.
bool lies_inside(const TriangleMesh& inner, const TriangleMesh& outer) {
  int votes = 0;
  const std::size_t n = inner.vertices.size();
  for (const std::size_t v : {std::size_t{0}, n / 3, 2 * n / 3}) {
    // A cavity's surface is oriented the other way round, hence the magnitude.
    if (std::abs(winding_number(outer, inner.vertices[v])) > 0.5) ++votes;
  }
  return votes >= 2;
}

/// Keeps the pieces that lie in no other one.
TriangleMesh outermost(const TriangleMesh& mesh, ContactSurface& result) {
  const std::vector<TriangleMesh> pieces = split_parts(mesh);
  std::vector<BoundingBox> boxes;
  for (const TriangleMesh& piece : pieces) boxes.push_back(bounding_box(piece));
  TriangleMesh kept;
  result.components = 0;
  result.dropped_components = 0;
  for (std::size_t a = 0; a < pieces.size(); ++a) {
    bool inside = false;
    for (std::size_t b = 0; b < pieces.size() && !inside; ++b) {
      inside = a != b && boxes[b].contains(boxes[a]) && lies_inside(pieces[a], pieces[b]);
    }
    if (inside) {
      ++result.dropped_components;
    } else {
      ++result.components;
      kept = merged(std::move(kept), pieces[a]);
    }
  }
  return kept;
}

void offset_route(const TriangleMesh& mesh, const ContactSurfaceSettings& settings,
                  ContactSurface& result) {
  const SurfaceDistance surface(mesh);
  const double voxel = settings.expansion * bounding_box(mesh).longest_side() / settings.resolution;
  const double offset = settings.offset_voxels * voxel;
  // The isosurface reads the corners of the cells it crosses: exact within a cell's diagonal of c.
  const DistanceGrid grid =
      build_unsigned_band(surface, {settings.resolution, settings.expansion}, offset + 2.0 * voxel);
  if (!(grid.boundary_min > offset + voxel)) {
    throw InputError("contact surface", "expansion", fmt::format("found {}", settings.expansion),
                     "a box that contains the offset surface, 1.1 or more");
  }
  const std::uint32_t corners = grid.resolution + 1;
  GridSamples samples;
  samples.counts = {corners, corners, corners};
  samples.origin = grid.origin;
  samples.spacing = grid.spacing;
  samples.values = grid.values;
  const Isosurface iso = isosurface(samples, offset);
  if (!iso.report.closed || iso.report.inconsistent_edges != 0) {
    throw OperationError("contact surface: the offset surface did not come out closed (" +
                         iso.report.summary() + ")");
  }
  result.route = ContactSurfaceRoute::kOffset;
  result.voxel = voxel;
  result.offset = offset;
  result.mesh = outermost(iso.mesh, result);
}

}  // namespace

std::string ContactSurface::summary() const {
  if (route == ContactSurfaceRoute::kClosedMesh) {
    return fmt::format("the closed mesh itself, {} component{}", components,
                       components == 1 ? "" : "s");
  }
  return fmt::format("offset by {:.3g} m ({:.3g} voxels of {:.3g} m), {} component{}, {} dropped",
                     offset, offset / voxel, voxel, components, components == 1 ? "" : "s",
                     dropped_components);
}

ContactSurface make_contact_surface(const TriangleMesh& mesh,
                                    const ContactSurfaceSettings& settings) {
  if (!(settings.offset_voxels >= 0.9 && settings.offset_voxels <= 8.0)) {
    throw InputError("contact surface", "offset_voxels",
                     fmt::format("found {}", settings.offset_voxels), "a number from 0.9 to 8");
  }
  const MeshReport found = inspect_mesh(mesh);
  if (mesh.triangles.empty() || !(found.area > 0.0)) {
    throw InputError("contact surface", "", "found a mesh without area", "a surface");
  }
  ContactSurface result;
  if (found.closed_manifold() && found.volume != 0.0 && !settings.force_offset) {
    result.mesh = mesh;
    result.components = static_cast<std::uint32_t>(found.components);
    if (found.volume < 0.0) {
      for (auto& t : result.mesh.triangles) std::swap(t[1], t[2]);
    }
  } else {
    offset_route(mesh, settings, result);
  }
  result.report = inspect_mesh(result.mesh);
  return result;
}

}  // namespace haptic

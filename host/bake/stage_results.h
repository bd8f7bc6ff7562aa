#pragma once

#include "host/bake/stage_archive.h"
#include "host/field/contact_surface.h"
#include "host/field/distance_field_builder.h"
#include "host/mesh/mesh_report.h"
#include "host/mesh/rigid_body.h"
#include "host/mesh/voxel_mesh.h"
#include "host/mesh/wall_thickness.h"
#include "host/reduction/basis_builder.h"
#include "host/reduction/reduced_polynomials.h"
#include "host/sampling/modal_blocks.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"

/// How the results of stages that are types of other folders turn into bytes (stage_archive.h).
namespace haptic {

template <class Archive>
void archive(Archive& a, TriangleMesh& m) {
  a(m.vertices, m.triangles);
}

template <class Archive>
void archive(Archive& a, MeshReport& r) {
  a(r.vertices, r.triangles, r.components, r.boundary_edges, r.non_manifold_edges,
    r.inconsistent_edges, r.degenerate_dropped, r.duplicates_dropped, r.vertices_joined,
    r.joined_within, r.components_turned, r.components_left_out, r.triangles_flipped, r.zero_area,
    r.inside_out, r.area, r.volume, r.closed);
}

template <class Archive>
void archive(Archive& a, RigidProperties& r) {
  a(r.mass, r.centre, r.inertia);
}

template <class Archive>
void archive(Archive& a, ThinnestPlace& p) {
  a(p.thickness, p.place);
}

template <class Archive>
void archive(Archive& a, VoxelReport& r) {
  a(r.surface_voxels, r.filled_voxels, r.components, r.dropped_voxels);
}

template <class Archive>
void archive(Archive& a, VoxelMesh& m) {
  a(m.edge, m.vertices, m.elements, m.origin, m.dims, m.element_of_cell, m.cell_of_element,
    m.report);
}

template <class Archive>
void archive(Archive& a, LinearModes& m) {
  a(m.eigenvalues, m.shapes, m.solves);
}

template <class Archive>
void archive(Archive& a, BasisModes& m) {
  a(m.all, m.first, m.count);
}

template <class Archive>
void archive(Archive& a, ModalDerivatives& d) {
  a(d.shapes, d.norms, d.ordered);
}

template <class Archive>
void archive(Archive& a, ReducedPolynomials& p) {
  a(p.dimension, p.quadratic, p.cubic, p.quartic);
}

template <class Archive>
void archive(Archive& a, ViscousGram& g) {
  a(g.dimension, g.linear, g.mixed, g.quadratic);
}

template <class Archive>
void archive(Archive& a, ContactSurface& s) {
  a(s.mesh, s.route, s.offset, s.voxel, s.components, s.dropped_components, s.report);
}

template <class Archive>
void archive(Archive& a, DistanceGrid& g) {
  a(g.resolution, g.origin, g.spacing, g.boundary_min, g.values);
}

template <class Archive>
void archive(Archive& a, SpacingStatistics& s) {
  a(s.mean, s.minimum, s.coefficient_of_variation);
}

template <class Archive>
void archive(Archive& a, SampledShell& s) {
  a(s.points, s.normals, s.level_end, s.area, s.spacing);
}

template <class Archive>
void archive(Archive& a, ModalBlocks& b) {
  a(b.displacement, b.normal_correction);
}

template <class Archive>
void archive(Archive& a, BuiltTree& t) {
  a(t.level_begin, t.point, t.child_begin, t.child_count, t.radius, t.modal_radius);
}

}  // namespace haptic

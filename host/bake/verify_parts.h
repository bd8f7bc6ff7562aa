#pragma once

#include <vector>

#include "host/artifact/model_attributes.h"
#include "host/bake/verify.h"
#include "host/mesh/triangle_mesh.h"
#include "shared/artifact/model_file.h"

namespace haptic {

using VerifiedFigures = std::vector<VerifiedFigure>;

// `progress` is told the fraction of the part that is done; may be empty.

/// Figures of /mesh and /reduced.
void verify_reduction(const ModelFile& model, VerifiedFigures& figures, const Progress& progress);
/// Figures of /reduced/inertia against the mesh and the basis.
void verify_inertia(const ModelFile& model, VerifiedFigures& figures);
/// Figures of /reduced/groups: the rows against the coefficients and the mass they add up to.
void verify_groups(const ModelFile& model, VerifiedFigures& figures);
/// Figures of /reduced/viscous.
void verify_viscosity(const ModelFile& model, VerifiedFigures& figures);
/// Figures of /condensed: identities of the compliance, the modes and the embedding.
void verify_condensed(const ModelFile& model, VerifiedFigures& figures, const Progress& progress);
/// Figures of /cloth against the surface.
void verify_cloth(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures);
/// Figures of /shell and its tree: normals, place on the surface, levels, spheres.
void verify_shell(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures, const Progress& progress);
/// Figures of /field, and of /shell against it.
void verify_field(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures, const Progress& progress);
/// Sections /surface/vertices and /surface/triangles, checked.
TriangleMesh surface_of(const ModelFile& model);
/// Figures of /field/sparse against the surface.
void verify_sparse_field(const ModelFile& model, const ModelAttributes& attributes,
                         VerifiedFigures& figures);
/// Whether the field has an inside behind the surface, whatever its layout.
void verify_sight(const ModelFile& model, VerifiedFigures& figures);
/// Figures of /field/proxies.
void verify_proxies(const ModelFile& model, VerifiedFigures& figures);
/// Figures of /rigid.
void verify_rigid(const ModelFile& model, VerifiedFigures& figures);

}  // namespace haptic

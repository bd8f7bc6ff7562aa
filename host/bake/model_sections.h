#pragma once

#include "host/artifact/model_writer.h"
#include "host/bake/elastic_body.h"
#include "host/bake/touch_surface.h"

namespace haptic {

/// The sections of docs/artifact.md from the results of the stages.
void write_surface_sections(ModelWriter& writer, const TriangleMesh& mesh);
/// /mesh and /material of a deformable body.
void write_mesh_sections(ModelWriter& writer, const Recipe& recipe, const BodyMesh& body);
void write_elastic_sections(ModelWriter& writer, const Recipe& recipe, const ElasticBody& body);
/// @param r reduced coordinates, 0 for a rigid body
void write_touch_sections(ModelWriter& writer, const TouchSurface& touch, std::uint64_t r);
void write_rigid_sections(ModelWriter& writer, const RigidProperties& rigid);

}  // namespace haptic

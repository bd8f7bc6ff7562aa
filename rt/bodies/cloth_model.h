#pragma once

#include <string>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A cloth of particles and springs: the sections /cloth of a model file, and its surface
/// (docs/artifact.md). Each vertex of the surface is a particle.
struct ClothModel {
  ClothMesh mesh;              ///< at rest, model frame
  std::vector<double> masses;  ///< of the particles [kg], > 0
  Springs springs;
};

/// Cost O(n log n) in particles, triangles and springs.
/// @throws InputError (file, section, found, expected) if a section is missing, sizes disagree, a
///         mass is not > 0, a spring has an index out of range or not the smaller one first, a rest
///         length that is not > 0, an unknown kind, one after an interlaced spring, a negative
///         constant or what add_plate_stiffness refuses, two springs join the same particles, the
///         quads of a grid are not its cells, or the mesh is not what check_cloth_mesh accepts
ClothModel read_cloth_model(const ModelFile& model);

/// For a body of a kind of world that has no cloths.
/// @param source  scene file, for the message @param body  its name
/// @throws InputError if the model is a cloth
void require_no_cloth(const ModelFile& model, const std::string& source, const std::string& body);

}  // namespace haptic

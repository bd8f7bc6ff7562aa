#pragma once

#include <cstdint>
#include <vector>

#include "host/bake/ranks.h"
#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// What [constraints] hold of a body.
struct FixedPlaces {
  std::vector<std::uint32_t> vertices;  ///< ascending
  std::vector<double> held;  ///< fraction of each cell; empty: regions end at planes of the grid
};

template <class Archive>
void archive(Archive& a, FixedPlaces& f) {
  a(f.vertices, f.held);
}

/// Vertices in the regions of the recipe, and the fraction of each cut cell's material in them
/// (held_fraction.h).
/// Collective: rank 0 reads the constraint file.
/// @param surface what the regions count from
/// @throws InputError naming recipe and key
FixedPlaces find_fixed(const Recipe& recipe, const SolidBody& solid, const TriangleMesh& surface,
                       const Ranks& ranks);

}  // namespace haptic

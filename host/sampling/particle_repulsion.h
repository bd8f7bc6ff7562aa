#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/field/surface_distance.h"

namespace haptic {

/// The level set that particles are kept on.
struct ParticleSurface {
  const SurfaceDistance& surface;  ///< S, closed, outward: particles are drawn and move on it
  /// Given for an offset surface: each level's particles end where the distance to `source` is
  /// `offset`, which S only approximates; nullptr: S is the level set.
  const SurfaceDistance* source = nullptr;
  double offset = 0.0;  ///< c [m]
};

struct RepulsionSettings {
  std::uint64_t seed = 1;
  double radius = 1.7;      ///< R of the first level, in sqrt(area / its points); halves per level
  double step = 0.1;        ///< eta, in R
  double tolerance = 0.01;  ///< a level has converged when no particle moves more than this, in R
  int max_iterations = 300;
};

/// Statistics of one level.
struct RepulsionLevel {
  std::uint32_t points = 0;  ///< new ones
  double radius = 0.0;       ///< R [m]
  int iterations = 0;
  double largest_move = 0.0;     ///< in the last iteration, in R
  std::uint32_t reinjected = 0;  ///< could not be projected to the level set and were drawn again
  double seconds = 0.0;
};

struct RepelledParticles {
  std::vector<Vector3> points;  ///< level by level; each coordinate is a float's value
  std::vector<RepulsionLevel> levels;
};

/// Fraction done, 0..1.
using RepulsionProgress = std::function<void(double)>;

/// Nested levels (docs/methods/contact-and-coupling.md, "Particle repulsion"): every level's new
/// particles, drawn by area, repel each other and are repelled by those of the coarser levels,
/// which stay. So the particles of levels 1..k sample the surface evenly for every k.
///
/// A particle at x moves by eta * sum over neighbours (2t^3 - 3t^2 + 1) (x - y)/|x - y|, t =
/// |x - y| / R < 1, at most R/2, and back to the nearest point of the surface; all move at once,
/// so the result has the same bits for every number of threads. Coincident particles separate in
/// random directions. With an offset, a particle that cannot be projected to the level set (at the
/// medial axis of the source) is drawn again.
/// @param level_end number of particles of levels <= i, strictly increasing
/// @throws InputError if a setting is out of range; OperationError if particles cannot be put on
///         the level set
RepelledParticles repel_particles(const ParticleSurface& on,
                                  std::span<const std::uint32_t> level_end,
                                  const RepulsionSettings& settings,
                                  const RepulsionProgress& progress = {});

}  // namespace haptic

#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Ends of a tube: how the first and the last ring are treated.
enum class RingEnds : std::uint8_t {
  kOpen,    ///< not closed
  kCyclic,  ///< the last ring joins the first
};

/// Surface through rings of equally many points, ring i joined to ring i + 1.
TriangleMesh joined_rings(const std::vector<std::vector<Vector3>>& rings, RingEnds ends);

/// One cross-section of a tube: centre [m] and radius [m].
struct TubeSection {
  Vector3 centre;
  double radius;
};

enum class TubeEnds : std::uint8_t { kFlat, kRound };

/// Solid round tube through the sections (at least two), closed by flat or half-spherical ends.
/// Rings follow the path by parallel transport, so that the surface does not twist.
TriangleMesh solid_tube(std::vector<TubeSection> sections, std::uint32_t segments, TubeEnds ends);

/// Hollow tube: outer and inner radius per section, annular ends. Topologically a torus.
TriangleMesh hollow_tube(const std::vector<TubeSection>& outer,
                         const std::vector<double>& inner_radius, std::uint32_t segments);

}  // namespace haptic

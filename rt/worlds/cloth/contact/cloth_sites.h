#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Point of a cloth: the weighted mean of one to three particles.
struct ClothSite {
  std::array<std::uint32_t, 3> particles{};
  std::array<double, 3> weights{1.0, 0.0, 0.0};
  std::uint32_t count = 1;
};

/// The points of a cloth that are tested against bodies: every particle, and points on edges and
/// inside triangles, so that a small body does not pass between the particles.
///
/// Each site belongs to one triangle that has it, so that a search by triangles meets it once.
class ClothSites {
 public:
  /// @param x        positions at rest [m], 3 values a particle
  /// @param spacing  largest distance of neighbouring sites at rest [m], > 0; infinity: particles
  /// @param most     bound of the number of sites; where they do not suffice, the spacing is
  ///                 raised. Particles are always sites
  ClothSites(std::span<const TriangleCorners> triangles, std::span<const double> x,
             double spacing = std::numeric_limits<double>::infinity(), std::size_t most = 1 << 16);

  std::size_t size() const HAPTIC_REALTIME { return sites_.size(); }
  const ClothSite& site(std::size_t k) const HAPTIC_REALTIME { return sites_[k]; }
  std::size_t triangles() const HAPTIC_REALTIME { return first_.size() - 1; }
  /// Sites of a triangle: first_site() to first_site(triangle + 1).
  std::uint32_t first_site(std::size_t triangle) const HAPTIC_REALTIME { return first_[triangle]; }
  Vector3 at_site(std::size_t k, std::span<const double> vectors) const HAPTIC_REALTIME;
  /// Area of the cloth at rest that a site stands for [m^2]; their sum is that of the triangles.
  double area(std::size_t k) const HAPTIC_REALTIME { return areas_[k]; }

  double spacing() const { return spacing_; }  ///< m, that there is
  /// A line for the operator if the spacing is larger than asked for; empty otherwise.
  std::string warning() const;

 private:
  void make(std::span<const TriangleCorners> triangles, std::span<const double> x);
  void add(ClothSite site);

  double asked_, spacing_;
  std::vector<ClothSite> sites_;
  std::vector<double> areas_;
  std::vector<std::uint32_t> first_;
};

}  // namespace haptic::cloth

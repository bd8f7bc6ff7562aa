#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/cloth_springs.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Keeps springs within shares of their rest lengths by moving their ends (inverse dynamics).
///
/// For each spring with l > s_max r, or l < s_min r, in turn: its ends move along it until l is the
/// limit, by the shares w_i / (w_i + w_j) and w_j / (w_i + w_j), which keeps their centre of mass;
/// a fixed end does not move, one in a plane or on a line only there. After all sweeps, particles
/// that moved get v = (x - x_before) / dt.
///   Provot 1995               s_min = 0, one sweep, springs in their order, structural and shear
///   Desbrun et al. 1999       several sweeps
///   Kang et al. 2000          springs that are stretched most first
///   Fuhrmann et al. 2003      s_min > 0, edges without forces (SpringTopology::kEdges)
/// Source: docs/methods/cloth.md, "Inverse dynamics".
class StrainLimiter {
 public:
  enum class Order : std::uint8_t { kOfSprings, kMostStretchedFirst };
  struct Settings {
    double most = 1.1;       ///< s_max, >= 1
    double least = 0.0;      ///< s_min, 0 to 1
    std::size_t sweeps = 1;  ///< >= 1
    Order order = Order::kOfSprings;
    std::size_t buckets = 64;  ///< >= 1: classes of stretch by which springs are ordered
  };

  /// Takes the structural, shear and sequential springs.
  /// @throws InputError if a setting is out of its range
  StrainLimiter(const ClothSystem& system, Settings settings);

  /// @param before  positions before the step [m], 3n values
  /// @param dt      length of the step [s]
  void apply(const ParticleConstraints& constraints, std::span<const double> before, double dt,
             ClothState& state) HAPTIC_REALTIME;

  /// Springs in the order of the next sweep over these positions: their places in `springs`.
  /// Ordered by l / r in classes of equal width, so time is proportional to their number.
  std::span<const std::uint32_t> ordered(std::span<const double> x) HAPTIC_REALTIME;

  /// Largest l / r of the springs that are limited; 0 without any.
  double largest_stretch(std::span<const double> x) const HAPTIC_REALTIME;
  std::size_t size() const HAPTIC_REALTIME { return first_.size(); }

 private:
  double stretch(std::size_t spring, std::span<const double> x) const HAPTIC_REALTIME;
  void limit(std::size_t spring, const ParticleConstraints& constraints,
             std::span<double> x) HAPTIC_REALTIME;

  Settings settings_;
  std::vector<std::uint32_t> first_, second_;
  std::vector<double> rest_;
  std::vector<std::uint32_t> order_, bucket_of_, bucket_end_;
  std::vector<double> stretch_;
  std::vector<unsigned char> moved_;  // n
};

}  // namespace haptic::cloth

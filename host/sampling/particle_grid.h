#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Spatial hash of particles: cells of one interaction radius, hashed by their coordinates modulo
/// powers of two, so that neighbouring cells of a row stay neighbours in memory. Cells that share a
/// slot lie four cells apart at least, farther than any interaction.
///
/// The order of the particles in a cell is that of their indices, so a sum over neighbours has the
/// same bits on every thread.
class ParticleGrid {
 public:
  struct Particle {
    Vector3 position;
    std::uint32_t index;
  };

  /// @param radius interaction radius [m], > 0
  ParticleGrid(std::size_t expected, double radius);

  /// Sorts the particles again; positions[i] belongs to particle i.
  void fill(std::span<const Vector3> positions);

  /// All particles, in the order of the cells: neighbours in space are mostly neighbours here.
  std::span<const Particle> particles() const { return particles_; }

  /// Calls visit(particle, p - position, squared distance) for every particle nearer to p than the
  /// radius, in an order that depends on the set of particles alone.
  template <typename Visit>
  void for_each_near(const Vector3& p, const Visit& visit) const;

 private:
  std::uint32_t along(double x) const {
    // A negative cell wraps like any other: two's complement keeps it modulo the mask.
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(x * inverse_cell_)));
  }
  std::size_t slot(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
    return (static_cast<std::size_t>(k & mask_) << (2 * bits_)) |
           (static_cast<std::size_t>(j & mask_) << bits_) | (i & mask_);
  }
  template <typename Visit>
  void visit_slots(std::size_t first, std::size_t last, const Vector3& p, const Visit& visit) const;

  double radius2_;
  double inverse_cell_;
  std::uint32_t bits_;  // of a coordinate
  std::uint32_t mask_;
  std::vector<std::uint32_t> begin_;  // per slot, first particle; one more at the end
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<Particle> particles_;
};

template <typename Visit>
void ParticleGrid::visit_slots(std::size_t first, std::size_t last, const Vector3& p,
                               const Visit& visit) const {
  for (std::uint32_t at = begin_[first]; at < begin_[last + 1]; ++at) {
    const Vector3 difference = p - particles_[at].position;
    const double d2 = difference.squaredNorm();
    if (d2 < radius2_) visit(particles_[at].index, difference, d2);
  }
}

template <typename Visit>
void ParticleGrid::for_each_near(const Vector3& p, const Visit& visit) const {
  const std::uint32_t i = along(p.x()), j = along(p.y()), k = along(p.z());
  const bool wraps = (i & mask_) == 0 || (i & mask_) == mask_;
  for (std::uint32_t dk = 0; dk < 3; ++dk) {
    for (std::uint32_t dj = 0; dj < 3; ++dj) {
      const std::uint32_t row = j + dj - 1, layer = k + dk - 1;
      if (!wraps) {
        visit_slots(slot(i - 1, row, layer), slot(i + 1, row, layer), p, visit);
        continue;
      }
      for (std::uint32_t di = 0; di < 3; ++di) {
        const std::size_t cell = slot(i + di - 1, row, layer);
        visit_slots(cell, cell, p, visit);
      }
    }
  }
}

}  // namespace haptic

#include "host/sampling/particle_grid.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>

namespace haptic {

ParticleGrid::ParticleGrid(std::size_t expected, double radius)
    : radius2_(radius * radius), inverse_cell_(1.0 / radius) {
  // A few slots per particle, so that most contain one cell only, but few enough for the cache.
  const auto total = static_cast<std::uint32_t>(std::bit_width(4 * expected));
  bits_ = std::clamp<std::uint32_t>(total / 3, 2, 7);
  mask_ = (1U << bits_) - 1;
  begin_.resize((std::size_t{1} << (3 * bits_)) + 1);
}

void ParticleGrid::fill(std::span<const Vector3> positions) {
  slot_of_.resize(positions.size());
  particles_.resize(positions.size());
  tbb::parallel_for(std::size_t{0}, positions.size(), [&](std::size_t p) {
    const Vector3& x = positions[p];
    slot_of_[p] = static_cast<std::uint32_t>(slot(along(x.x()), along(x.y()), along(x.z())));
  });
  std::fill(begin_.begin(), begin_.end(), 0);
  for (const std::uint32_t s : slot_of_) ++begin_[s + 1];
  for (std::size_t s = 1; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
  next_.assign(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t p = 0; p < positions.size(); ++p) {
    particles_[next_[slot_of_[p]]++] = {positions[p], p};
  }
}

}  // namespace haptic

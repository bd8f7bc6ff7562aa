#include "rt/worlds/cloth/particle_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/worlds/cloth/particle_graph.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/assert.h"

namespace haptic::cloth {
ParticleMatrix::ParticleMatrix(std::size_t particles, std::span<const std::uint32_t> first,
                               std::span<const std::uint32_t> second)
    : first_(first.begin(), first.end()),
      second_(second.begin(), second.end()),
      place_(particles),
      column_(particles),
      row_end_(particles),
      ordered_(3 * particles) {
  HAPTIC_DEMAND(first.size() == second.size());
  const std::vector<std::uint32_t> order = ParticleGraph(particles, first, second).banded_order();
  for (std::uint32_t k = 0; k < particles; ++k) place_[order[k]] = column_[k] = k;
  for (std::size_t p = 0; p < first_.size(); ++p) {
    const auto [low, high] = std::minmax(place_[first_[p]], place_[second_[p]]);
    column_[high] = std::min(column_[high], low);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < particles; ++i) {
    count += i - column_[i] + 1;
    row_end_[i] = count - 1;
  }
  values_.resize(count);
}

bool ParticleMatrix::factor(std::span<const double> own, std::span<const double> weights,
                            std::span<const double> free) HAPTIC_REALTIME {
  HAPTIC_ASSERT(own.size() == size() && weights.size() == first_.size() && free.size() == size());
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    row(place_[i])[place_[i]] = free[i] != 0.0 ? own[i] : 1.0;
  }
  for (std::size_t p = 0; p < first_.size(); ++p) {
    const std::size_t a = place_[first_[p]], b = place_[second_[p]];
    const bool a_free = free[first_[p]] != 0.0, b_free = free[second_[p]] != 0.0;
    if (a_free) row(a)[a] += weights[p];
    if (b_free) row(b)[b] += weights[p];
    if (a_free && b_free) row(std::max(a, b))[std::min(a, b)] -= weights[p];
  }
  for (std::size_t i = 0; i < size(); ++i) {
    double* const of_i = row(i);
    double pivot = of_i[i];
    for (std::size_t j = column_[i]; j < i; ++j) {
      const double* const of_j = row(j);
      const std::size_t begin = std::max(column_[i], column_[j]);
      double sum = of_i[j];
      for (std::size_t k = begin; k < j; ++k) sum -= of_i[k] * of_j[k];
      of_i[j] = sum / of_j[j];
      pivot -= of_i[j] * of_i[j];
    }
    if (!(pivot > 0.0)) return false;
    of_i[i] = std::sqrt(pivot);
  }
  return true;
}

void ParticleMatrix::solve(std::span<double> vectors) HAPTIC_REALTIME {
  HAPTIC_ASSERT(vectors.size() == ordered_.size());
  for (std::size_t i = 0; i < size(); ++i) at(ordered_, place_[i]) = at(vectors, i);
  for (std::size_t i = 0; i < size(); ++i) {
    const double* const of = row(i);
    Vector3 sum = at(ordered_, i);
    for (std::size_t k = column_[i]; k < i; ++k) sum -= of[k] * at(ordered_, k);
    at(ordered_, i) = sum / of[i];
  }
  for (std::size_t i = size(); i-- > 0;) {
    const double* const of = row(i);
    const Vector3 found = at(ordered_, i) / of[i];
    at(ordered_, i) = found;
    for (std::size_t k = column_[i]; k < i; ++k) at(ordered_, k) -= of[k] * found;
  }
  for (std::size_t i = 0; i < size(); ++i) at(vectors, i) = at(ordered_, place_[i]);
}

}  // namespace haptic::cloth

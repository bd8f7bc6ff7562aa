#include "rt/worlds/cloth/particle_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/assert.h"

namespace haptic::cloth {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// Breadth-first order from `start`, neighbours of few neighbours first; appends to `order`.
void append_levels(const Neighbours& of, std::uint32_t start, std::vector<bool>& seen,
                   std::vector<std::uint32_t>& order) {
  std::size_t next = order.size();
  order.push_back(start);
  seen[start] = true;
  for (; next < order.size(); ++next) {
    const std::size_t begin = order.size();
    for (const std::uint32_t other : of[order[next]]) {
      if (seen[other]) continue;
      seen[other] = true;
      order.push_back(other);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(), [&](auto a, auto b) {
      return std::pair(of[a].size(), a) < std::pair(of[b].size(), b);
    });
  }
}

/// Reverse Cuthill-McKee: each component from a particle at one of its ends.
std::vector<std::uint32_t> banded_order(const Neighbours& of) {
  const std::size_t size = of.size();
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(size, false);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (seen[i]) continue;
    std::uint32_t start = i;
    for (int k = 0; k < 2; ++k) {  // the last of a breadth-first order is far from its start
      std::vector<bool> tried = seen;
      std::vector<std::uint32_t> levels;
      append_levels(of, start, tried, levels);
      start = levels.back();
    }
    append_levels(of, start, seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

ParticleMatrix::ParticleMatrix(std::size_t particles, std::span<const std::uint32_t> first,
                               std::span<const std::uint32_t> second)
    : first_(first.begin(), first.end()),
      second_(second.begin(), second.end()),
      place_(particles),
      column_(particles),
      row_end_(particles),
      ordered_(3 * particles) {
  HAPTIC_DEMAND(first.size() == second.size());
  Neighbours neighbours(particles);
  for (std::size_t p = 0; p < first_.size(); ++p) {
    HAPTIC_DEMAND(first_[p] < particles && second_[p] < particles && first_[p] != second_[p]);
    neighbours[first_[p]].push_back(second_[p]);
    neighbours[second_[p]].push_back(first_[p]);
  }
  const std::vector<std::uint32_t> order = banded_order(neighbours);
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

#include "rt/worlds/cloth/cloth_preconditioner.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace haptic::cloth {
namespace {

/// As many groups as each has particles: factoring them costs about what a product with H does.
std::size_t group_count(std::size_t particles) {
  return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(particles))));
}

}  // namespace

ClothPreconditioner::ClothPreconditioner(const Springs& springs, std::size_t particles)
    : aggregates_(particles, springs.first, springs.second, group_count(particles)),
      first_(springs.first),
      second_(springs.second),
      springs_begin_(particles + 1),
      springs_of_(2 * springs.size()),
      coarse_(aggregates_.first_neighbour),
      blocks_(particles),
      small_(3 * aggregates_.size()) {
  const std::vector<std::uint32_t>& of = aggregates_.of;
  for (std::uint32_t s = 0; s < springs.size(); ++s) {
    ++springs_begin_[first_[s] + 1];
    ++springs_begin_[second_[s] + 1];
    if (of[first_[s]] != of[second_[s]]) crossing_.push_back(s);
  }
  std::partial_sum(springs_begin_.begin(), springs_begin_.end(), springs_begin_.begin());
  std::vector<std::uint32_t> next(springs_begin_.begin(), springs_begin_.end() - 1);
  for (std::uint32_t s = 0; s < springs.size(); ++s) {
    springs_of_[next[first_[s]]++] = s;
    springs_of_[next[second_[s]]++] = s;
  }
  std::ranges::sort(crossing_, {}, [&](std::uint32_t s) {
    const auto [low, high] = std::minmax(of[first_[s]], of[second_[s]]);
    return std::tuple(high, low, s);
  });
}

/// S B S in the space of a particle's constraint.
Matrix3 ClothPreconditioner::allowed(std::size_t particle,
                                     const Matrix3& block) const HAPTIC_REALTIME {
  Matrix3 result = block;
  for (int k = 0; k < 3; ++k) {
    constraints_->filter(particle, Eigen::Map<Vector3>(result.col(k).data()));
  }
  return result;
}

/// A block of H between two particles that are held or free, added to that of their groups.
void ClothPreconditioner::add_block(std::size_t i, std::size_t j,
                                    const Matrix3& block) HAPTIC_REALTIME {
  const Matrix3 left = allowed(i, block);
  const Matrix3 both = allowed(j, left.transpose()).transpose();
  const std::size_t a = aggregates_.of[i], b = aggregates_.of[j];
  if (a > b) {
    coarse_.add(a, b, both);
  } else if (b > a) {
    coarse_.add(b, a, both.transpose());
  } else {
    coarse_.add(a, a, i == j ? both : Matrix3(both + both.transpose()));
  }
}

void ClothPreconditioner::add_spring(std::uint32_t spring) HAPTIC_REALTIME {
  const Matrix3 block = A_->block(spring);
  const std::size_t i = first_[spring], j = second_[spring];
  add_block(i, i, block);
  add_block(j, j, block);
  add_block(i, j, -block);
}

void ClothPreconditioner::set(const SpringOperator& A,
                              const ParticleConstraints& constraints) HAPTIC_REALTIME {
  using Hold = ParticleConstraints::Hold;
  A_ = &A;
  constraints_ = &constraints;
  coarse_.clear();
  const std::vector<std::uint32_t>& of = aggregates_.of;
  const auto free = [&](std::size_t i)
                        HAPTIC_REALTIME { return constraints.hold(i) == Hold::kFree; };
  for (std::size_t k = 0; k < crossing_.size();) {
    const auto [b, a] = std::minmax(of[first_[crossing_[k]]], of[second_[crossing_[k]]]);
    Matrix3 sum = Matrix3::Zero();
    for (; k < crossing_.size(); ++k) {
      const std::uint32_t s = crossing_[k], i = first_[s], j = second_[s];
      if (std::max(of[i], of[j]) != a || std::min(of[i], of[j]) != b) break;
      if (free(i) && free(j)) sum += A.block(s);
    }
    coarse_.add(a, b, -sum);
    coarse_.add(a, a, sum);
    coarse_.add(b, b, sum);
  }
  std::fill(small_.begin(), small_.end(), 0.0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    blocks_[i] = A.diagonal_block(i);
    if (free(i)) {
      small_[of[i]] += A.own(i);
      if (A.has_wind()) coarse_.add(of[i], of[i], A.wind(i));
      continue;
    }
    add_block(i, i, A.own(i) * Matrix3::Identity());
    if (A.has_wind()) add_block(i, i, A.wind(i));
    for (std::uint32_t k = springs_begin_[i]; k < springs_begin_[i + 1]; ++k) {
      const std::uint32_t s = springs_of_[k];
      const std::uint32_t other = first_[s] == i ? second_[s] : first_[s];
      if (free(other) || other > i) add_spring(s);  // once of two that are held
    }
  }
  for (std::size_t a = 0; a < coarse_.size(); ++a) {
    coarse_.add(a, a, small_[a] * Matrix3::Identity());
  }
}

void ClothPreconditioner::add(std::span<const std::uint32_t> particles,
                              std::span<const double> weights, const Matrix3& K) HAPTIC_REALTIME {
  bool joined = true;  // by springs, so that the envelope has their groups
  double sum = 0.0;
  for (std::size_t a = 0; a < particles.size(); ++a) {
    blocks_[particles[a]] += weights[a] * weights[a] * K;
    sum += weights[a];
    for (std::size_t b = 0; b < a; ++b) {
      joined = joined && coarse_.has(aggregates_.of[particles[a]], aggregates_.of[particles[b]]);
    }
  }
  for (std::size_t a = 0; a < particles.size(); ++a) {
    if (!joined) {  // an upper bound without the blocks between groups
      add_block(particles[a], particles[a], sum * weights[a] * K);
      continue;
    }
    for (std::size_t b = 0; b <= a; ++b) {
      add_block(particles[a], particles[b], weights[a] * weights[b] * K);
    }
  }
}

std::size_t ClothPreconditioner::parts(std::span<const std::uint32_t> particles) const
    HAPTIC_REALTIME {
  bool joined = true;
  std::size_t groups = 0;
  for (std::size_t a = 0; a < particles.size(); ++a) {
    bool first = true;
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t of_a = aggregates_.of[particles[a]], of_b = aggregates_.of[particles[b]];
      first = first && of_a != of_b;
      joined = joined && coarse_.has(of_a, of_b);
    }
    groups += first;
  }
  return joined ? 1 : groups;
}

void ClothPreconditioner::add(std::span<const std::uint32_t> particles,
                              std::span<const Matrix3> gradients, const Matrix3& K,
                              std::size_t parts) HAPTIC_REALTIME {
  for (std::size_t a = 0; a < particles.size(); ++a) {
    const Matrix3 left = gradients[a] * K;
    blocks_[particles[a]] += left * gradients[a].transpose();
    for (std::size_t b = 0; b <= a; ++b) {
      if (parts > 1 && aggregates_.of[particles[a]] != aggregates_.of[particles[b]]) continue;
      add_block(particles[a], particles[b],
                static_cast<double>(parts) * left * gradients[b].transpose());
    }
  }
}

void ClothPreconditioner::factor() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (constraints_->hold(i) != ParticleConstraints::Hold::kFree) {
      const Matrix3 S = allowed(i, Matrix3::Identity());
      blocks_[i] = S * blocks_[i] * S + blocks_[i].trace() * (Matrix3::Identity() - S);
    }
    blocks_[i] = blocks_[i].inverse().eval();
  }
  coarse_.factor();
}

void ClothPreconditioner::solve_coarse(std::span<const double> r) HAPTIC_REALTIME {
  std::fill(small_.begin(), small_.end(), 0.0);
  const std::vector<std::uint32_t>& of = aggregates_.of;
  // Particles in a row are often of one group: their sum does not wait for memory.
  for (std::size_t i = 0; i < blocks_.size();) {
    const std::uint32_t group = of[i];
    Vector3 sum = at(r, i);
    for (++i; i < blocks_.size() && of[i] == group; ++i) sum += at(r, i);
    at(small_, group) += sum;
  }
  coarse_.solve(small_);
}

void ClothPreconditioner::apply(std::span<const double> from,
                                std::span<double> to) HAPTIC_REALTIME {
  solve_coarse(from);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    at(to, i) = blocks_[i] * at(from, i) + at(small_, aggregates_.of[i]);
  }
  constraints_->filter(to);
}

void ClothPreconditioner::correct(std::span<const double> r, std::span<double> z) HAPTIC_REALTIME {
  solve_coarse(r);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Vector3 change = at(small_, aggregates_.of[i]);
    if (constraints_->hold(i) != ParticleConstraints::Hold::kFree) {
      constraints_->filter(i, Eigen::Map<Vector3>(change.data()));
    }
    at(z, i) += change;
  }
}

}  // namespace haptic::cloth

#include "rt/worlds/cloth/strain_limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

void check_limits(const StrainLimiter::Settings& settings) {
  if (!std::isfinite(settings.most) || settings.most < 1.0) {
    throw InputError("", "largest stretch", fmt::format("{}", settings.most), "a number >= 1");
  }
  if (!(settings.least >= 0.0 && settings.least <= 1.0)) {
    throw InputError("", "least stretch", fmt::format("{}", settings.least),
                     "a number from 0 to 1");
  }
  if (settings.sweeps == 0) throw InputError("", "sweeps", "0", "an integer >= 1");
  if (settings.buckets == 0) throw InputError("", "buckets", "0", "an integer >= 1");
}

}  // namespace

StrainLimiter::StrainLimiter(const ClothSystem& system, Settings settings)
    : settings_(settings), bucket_end_(settings.buckets), moved_(system.size()) {
  check_limits(settings);
  const Springs& springs = system.springs().springs();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const SpringKind kind = springs.kind[s];
    if (kind == SpringKind::kBend || kind == SpringKind::kInterlaced) continue;
    first_.push_back(springs.first[s]);
    second_.push_back(springs.second[s]);
    rest_.push_back(springs.rest[s]);
  }
  order_.resize(size());
  bucket_of_.resize(size());
  stretch_.resize(size());
  std::iota(order_.begin(), order_.end(), 0u);
}

double StrainLimiter::stretch(std::size_t spring, std::span<const double> x) const HAPTIC_REALTIME {
  const Vector3 d = at(x, first_[spring]) - at(x, second_[spring]);
  return std::sqrt(d.squaredNorm()) / rest_[spring];
}

double StrainLimiter::largest_stretch(std::span<const double> x) const HAPTIC_REALTIME {
  double most = 0.0;
  for (std::size_t s = 0; s < size(); ++s) most = std::max(most, stretch(s, x));
  return most;
}

std::span<const std::uint32_t> StrainLimiter::ordered(std::span<const double> x) HAPTIC_REALTIME {
  if (settings_.order == Order::kOfSprings || size() == 0) return order_;
  double least = HUGE_VAL, most = 0.0;
  for (std::size_t s = 0; s < size(); ++s) {
    stretch_[s] = stretch(s, x);
    least = std::min(least, stretch_[s]);
    most = std::max(most, stretch_[s]);
  }
  // All of one stretch, or one that is not finite: a single class, in the order of the springs.
  const double width = (most - least) / static_cast<double>(settings_.buckets);
  const std::size_t last = settings_.buckets - 1;
  std::fill(bucket_end_.begin(), bucket_end_.end(), 0u);
  for (std::size_t s = 0; s < size(); ++s) {
    const double from_top = (most - stretch_[s]) / width;
    const bool known = from_top >= 0.0 && from_top < static_cast<double>(settings_.buckets);
    bucket_of_[s] = static_cast<std::uint32_t>(known ? static_cast<std::size_t>(from_top) : last);
    ++bucket_end_[bucket_of_[s]];
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : bucket_end_) {
    const std::uint32_t count = end;
    end = begin;
    begin += count;
  }
  for (std::size_t s = 0; s < size(); ++s) {
    order_[bucket_end_[bucket_of_[s]]++] = static_cast<std::uint32_t>(s);
  }
  return order_;
}

void StrainLimiter::limit(std::size_t spring, const ParticleConstraints& constraints,
                          std::span<double> x) HAPTIC_REALTIME {
  const std::size_t i = first_[spring], j = second_[spring];
  const std::span<const double> w = constraints.inverse_masses();
  const double both = w[i] + w[j];
  if (both == 0.0) return;
  const Vector3 d = at(x, j) - at(x, i);
  const double length = std::sqrt(d.squaredNorm());
  const double wanted =
      std::clamp(length, settings_.least * rest_[spring], settings_.most * rest_[spring]);
  if (wanted == length || length == 0.0) return;
  const Vector3 along = (length - wanted) / length * d;
  Vector3 move_i = w[i] / both * along, move_j = -w[j] / both * along;
  constraints.filter(i, Eigen::Map<Vector3>(move_i.data()));
  constraints.filter(j, Eigen::Map<Vector3>(move_j.data()));
  at(x, i) += move_i;
  at(x, j) += move_j;
  moved_[i] = moved_[i] != 0 || w[i] != 0.0 ? 1 : 0;
  moved_[j] = moved_[j] != 0 || w[j] != 0.0 ? 1 : 0;
}

void StrainLimiter::apply(const ParticleConstraints& constraints, std::span<const double> before,
                          double dt, ClothState& state) HAPTIC_REALTIME {
  std::fill(moved_.begin(), moved_.end(), static_cast<unsigned char>(0));
  for (std::size_t k = 0; k < settings_.sweeps; ++k) {
    for (const std::uint32_t s : ordered(state.x)) limit(s, constraints, state.x);
  }
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (moved_[i] != 0) at(state.v, i) = (at(state.x, i) - at(before, i)) / dt;
  }
}

}  // namespace haptic::cloth

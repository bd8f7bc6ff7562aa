#include "rt/geometry/field_proxies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Smallest ratio of det F to the cube of its RMS column length; below it, the inverse is too
/// inaccurate.
constexpr double kMinVolume = 1e-3;

/// Upper bound of the spectral norm: trace((A^T A)^32)^(1/64), at most 3^(1/64) = 1.0174 times it.
double norm_bound(const Matrix3& A) HAPTIC_REALTIME {
  Matrix3 M = A.transpose() * A;
  const double trace = M.trace();
  M /= trace;
  for (int squared = 0; squared < 5; ++squared) M = Matrix3(M * M);
  double root = M.trace();
  for (int halved = 0; halved < 5; ++halved) root = std::sqrt(root);
  return std::sqrt(trace * root) * (1.0 + 1e-12);
}

void require_numbers(std::span<const double> values, std::size_t expected, std::string_view section,
                     std::string_view source) {
  if (values.size() != expected) {
    throw InputError(source, section, fmt::format("found {} numbers", values.size()),
                     fmt::format("{}", expected));
  }
  for (const double value : values) {
    if (std::isfinite(value)) continue;
    throw InputError(source, section, fmt::format("found {}", value), "finite numbers");
  }
}

}  // namespace

FieldProxies::FieldProxies(const ProxyData& data, std::uint32_t domains, std::string_view source)
    : dimension_(data.dimension), count_(static_cast<std::uint32_t>(data.points.size() / 3)) {
  constexpr std::string_view kDomain = "/field/proxies/domain";
  const std::size_t P = count_, r = dimension_;
  require_numbers(data.points, 3 * P, "/field/proxies/points", source);
  require_numbers(data.displacement, 3 * P * r, "/field/proxies/displacement", source);
  require_numbers(data.gradients, 9 * P * r, "/field/proxies/gradients", source);
  if (!data.domain.empty() && data.domain.size() != P) {
    throw InputError(source, kDomain, fmt::format("found {} numbers", data.domain.size()),
                     fmt::format("one for each of {} proxies", P));
  }
  begin_.assign(domains + 1, 0);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint32_t d = data.domain.empty() ? 0 : data.domain[i];
    if (d < last || d >= domains) {
      throw InputError(source, kDomain, fmt::format("found {} after {}", d, last),
                       fmt::format("ascending numbers below {}", domains));
    }
    last = d;
    ++begin_[d + 1];
  }
  for (std::uint32_t d = 0; d < domains; ++d) {
    if (begin_[d + 1] == 0 || begin_[d + 1] > kMaxProxies) {
      throw InputError(source, kDomain,
                       fmt::format("found {} proxies in domain {}", begin_[d + 1], d),
                       fmt::format("1 to {}", kMaxProxies));
    }
    begin_[d + 1] += begin_[d];
  }

  proxies_.resize(P);
  state_.resize(12 * P);
  modes_.resize(12 * P * r);
  motion_.assign(r, 0.0);
  for (std::size_t i = 0; i < P; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) proxies_[i].rest[axis] = data.points[3 * i + axis];
    proxies_[i].rest[3] = proxies_[i].position[3] = 0.0;
    for (std::size_t j = 0; j < r; ++j) {
      double* column = &modes_[12 * P * j];
      for (std::size_t a = 0; a < 3; ++a)
        column[a * P + i] = data.displacement[(3 * i + a) * r + j];
      for (std::size_t a = 0; a < 9; ++a) {
        column[(3 + a) * P + i] = data.gradients[(9 * i + a) * r + j];
      }
    }
  }
  deform(std::vector<double>(r, 0.0));
}

bool FieldProxies::deform(std::span<const double> q) HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == dimension_);
  const std::size_t P = count_, rows = 12 * P;
  std::fill(state_.begin(), state_.end(), 0.0);
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double* column = modes_.data() + rows * j;
    for (std::size_t row = 0; row < rows; ++row) state_[row] += q[j] * column[row];
  }
  bool changed = false;
  for (std::size_t i = 0; i < P; ++i) {
    Proxy& proxy = proxies_[i];
    Matrix3 F;
    for (std::size_t a = 0; a < 9; ++a) {
      proxy.F[a] = state_[(3 + a) * P + i] + (a % 4 == 0 ? 1.0 : 0.0);
      F(static_cast<int>(a / 3), static_cast<int>(a % 3)) = proxy.F[a];
    }
    const double volume = F.determinant(), length = std::sqrt(F.squaredNorm() / 3.0);
    const bool before = proxy.position[0] != kFarAway;
    const bool use = volume > kMinVolume * length * length * length;  // false for a NaN
    changed = changed || use != before;
    if (!use) {
      for (std::size_t axis = 0; axis < 3; ++axis) proxy.position[axis] = kFarAway;
      continue;
    }
    for (std::size_t a = 0; a < 3; ++a) proxy.position[a] = proxy.rest[a] + state_[a * P + i];
    const Matrix3 inverse = F.inverse();
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) proxy.inverse[4 * column + row] = inverse(row, column);
      proxy.inverse[4 * column + 3] = 0.0;
    }
    proxy.stretch = norm_bound(inverse);
  }
  return changed;
}

void FieldProxies::add_force(std::uint32_t proxy, const Vector3& f, double weight,
                             std::span<double> out) const HAPTIC_REALTIME {
  const std::size_t P = count_;
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double* column = modes_.data() + 12 * P * j + proxy;
    out[j] += weight * (column[0] * f.x() + column[P] * f.y() + column[2 * P] * f.z());
  }
}

void FieldProxies::set_reach(double reach) {
  const std::size_t P = count_;
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double* column = modes_.data() + 12 * P * j;
    for (std::size_t i = 0; i < P; ++i) {
      double u2 = 0.0, f2 = 0.0;
      for (std::size_t a = 0; a < 3; ++a) u2 += column[a * P + i] * column[a * P + i];
      for (std::size_t a = 3; a < 12; ++a) f2 += column[a * P + i] * column[a * P + i];
      const double away = reach + Vector3(proxies_[i].rest).norm();
      motion_[j] = std::max(motion_[j], std::sqrt(u2) + std::sqrt(f2) * away);
    }
  }
}

double FieldProxies::motion_bound(std::span<const double> dq) const HAPTIC_REALTIME {
  double bound = 0.0;
  for (std::size_t j = 0; j < dimension_; ++j) bound += motion_[j] * std::abs(dq[j]);
  return bound;
}

}  // namespace haptic

#include "rt/worlds/cloth/spring_operator.h"

#include <algorithm>

#include "shared/assert.h"
#include "shared/math/double4.h"

namespace haptic::cloth {

using simd::Double4;
using simd::load4;
using simd::multiply_add;
using simd::store4;

SpringOperator::Blocks::Blocks(std::size_t count)
    : x(count), y(count), z(count), across(count), along(count), elastic(count) {}

void SpringOperator::Blocks::set(std::size_t k, const SpringForces::Gradient& gradient,
                                 Scales scales) HAPTIC_REALTIME {
  x[k] = gradient.u.x(), y[k] = gradient.u.y(), z[k] = gradient.u.z();
  across[k] = scales.stiffness * gradient.across;
  elastic[k] = scales.stiffness * (gradient.along - gradient.across);
  along[k] = elastic[k] + scales.damping * gradient.damping;
}

SpringOperator::SpringOperator(const Springs& springs, std::size_t particles)
    : first_(springs.first),
      second_(springs.second),
      bands_(springs, particles),
      in_bands_(bands_.slots()),
      loose_(bands_.loose().size()),
      loose_place_(springs.size()),
      own_(particles),
      anchored_(particles),
      wind_(particles),
      diagonal_(particles),
      beside_(particles),
      z_(particles),
      plus_(particles),
      minus_(particles) {
  for (std::size_t k = 0; k < bands_.loose().size(); ++k) {
    loose_place_[bands_.loose()[k]] = static_cast<std::uint32_t>(k);
  }
}

void SpringOperator::set(const ClothSystem& system, std::span<const double> x, Scales scales,
                         std::span<const unsigned char> left_out) HAPTIC_REALTIME {
  HAPTIC_ASSERT(left_out.empty() || left_out.size() == first_.size());
  const AirSettings& air = system.surroundings().air;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    anchored_[i] = scales.stiffness * system.constraints().turning_stiffness(i);
    own_[i] = scales.mass * system.masses()[i] + scales.damping * air.drag_of(system.masses()[i]) +
              anchored_[i];
  }
  for (const TargetSpring& spring : system.tethers().springs()) {
    anchored_[spring.particle] += scales.stiffness * spring.stiffness;
    own_[spring.particle] += scales.damping * spring.damping + scales.stiffness * spring.stiffness;
  }
  set_wind(system, scales);
  set_bands(system.springs(), x, scales);
  for (std::size_t k = 0; k < bands_.loose().size(); ++k) {
    loose_.set(k, system.springs().gradient(x, bands_.loose()[k]), scales);
  }
  // The bending of a fabric is positive only as a whole, so all of it stays.
  const auto leave_out = [&](Blocks& blocks, std::size_t k, std::size_t s) HAPTIC_REALTIME {
    blocks.across[k] = scales.stiffness * system.springs().plate(s);
    blocks.along[k] = blocks.elastic[k] = 0.0;
  };
  for (std::size_t s = 0; s < left_out.size(); ++s) {
    if (left_out[s] != 0 && bands_.slot(s) != SpringBands::kLoose) {
      leave_out(in_bands_, bands_.slot(s), s);
    }
  }
  for (std::size_t k = 0; !left_out.empty() && k < bands_.loose().size(); ++k) {
    const std::uint32_t s = bands_.loose()[k];
    if (left_out[s] != 0) leave_out(loose_, k, s);
  }
  set_diagonal();
}

void SpringOperator::set_wind(const ClothSystem& system, Scales scales) HAPTIC_REALTIME {
  // Left out, it changes what a velocity gains in a step by a hundredth at most.
  constexpr double kNegligible = 0.01;
  const std::span<const SymmetricBlock> damping = system.wind_damping();
  has_wind_ = false;
  for (std::size_t i = 0; i < damping.size() && !has_wind_; ++i) {
    const SymmetricBlock& of = damping[i];
    has_wind_ = scales.damping * (of.xx + of.yy + of.zz) > kNegligible * own_[i];
  }
  for (std::size_t i = 0; has_wind_ && i < damping.size(); ++i) {
    const SymmetricBlock& of = damping[i];
    const double s = scales.damping;
    wind_[i] = {s * of.xx, s * of.yy, s * of.zz, s * of.yz, s * of.xz, s * of.xy};
  }
}

void SpringOperator::set_bands(const SpringForces& forces, std::span<const double> x,
                               Scales scales) HAPTIC_REALTIME {
  Blocks& of = in_bands_;
  HAPTIC_ASSERT(forces.bands().slots() == bands_.slots());
  forces.gradients(x, {of.x, of.y, of.z, of.along, of.across, of.elastic});
  for (std::size_t k = 0; k < of.x.size(); ++k) {
    const double damping = of.elastic[k];
    of.elastic[k] = scales.stiffness * (of.along[k] - of.across[k]);
    of.across[k] *= scales.stiffness;
    of.along[k] = of.elastic[k] + scales.damping * damping;
  }
}

void SpringOperator::set_diagonal() HAPTIC_REALTIME {
  const auto add = [](Double4 value, double* to) HAPTIC_REALTIME { store4(load4(to) + value, to); };
  const auto gather = [&](CoordinateArrays& to, auto part) HAPTIC_REALTIME {
    plus_.clear();
    minus_.clear();
    bands_.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
      const Double4 ux = load4(&in_bands_.x[slot]), uy = load4(&in_bands_.y[slot]),
                    uz = load4(&in_bands_.z[slot]), b = load4(&in_bands_.along[slot]),
                    a = load4(&in_bands_.across[slot]);
      Double4 x, y, z;
      part(ux, uy, uz, a, b, x, y, z);
      add(x, &plus_.x[i]), add(y, &plus_.y[i]), add(z, &plus_.z[i]);
      add(x, &minus_.x[j]), add(y, &minus_.y[j]), add(z, &minus_.z[j]);
    });
    for (std::size_t i = 0; i < own_.size(); ++i) {
      to.x[i] = plus_.x[i] + minus_.x[i];
      to.y[i] = plus_.y[i] + minus_.y[i];
      to.z[i] = plus_.z[i] + minus_.z[i];
    }
  };
  gather(diagonal_, [](Double4 ux, Double4 uy, Double4 uz, Double4 a, Double4 b, Double4& x,
                       Double4& y, Double4& z) HAPTIC_REALTIME {
    x = multiply_add(b * ux, ux, a);
    y = multiply_add(b * uy, uy, a);
    z = multiply_add(b * uz, uz, a);
  });
  gather(beside_, [](Double4 ux, Double4 uy, Double4 uz, Double4, Double4 b, Double4& x, Double4& y,
                     Double4& z) HAPTIC_REALTIME {
    x = b * uy * uz;
    y = b * ux * uz;
    z = b * ux * uy;
  });
  for (std::size_t i = 0; i < own_.size(); ++i) {
    diagonal_.x[i] += own_[i];
    diagonal_.y[i] += own_[i];
    diagonal_.z[i] += own_[i];
    if (!has_wind_) continue;
    const SymmetricBlock& of = wind_[i];
    diagonal_.x[i] += of.xx, diagonal_.y[i] += of.yy, diagonal_.z[i] += of.zz;
    beside_.x[i] += of.yz, beside_.y[i] += of.xz, beside_.z[i] += of.xy;
  }
  for (const std::uint32_t s : bands_.loose()) {
    const Matrix3 part = block(s);
    for (const std::uint32_t i : {first_[s], second_[s]}) {
      diagonal_.x[i] += part(0, 0), diagonal_.y[i] += part(1, 1), diagonal_.z[i] += part(2, 2);
      beside_.x[i] += part(1, 2), beside_.y[i] += part(0, 2), beside_.z[i] += part(0, 1);
    }
  }
}

Matrix3 SpringOperator::diagonal_block(std::size_t i) const HAPTIC_REALTIME {
  Matrix3 result;
  result << diagonal_.x[i], beside_.z[i], beside_.y[i],  //
      beside_.z[i], diagonal_.y[i], beside_.x[i],        //
      beside_.y[i], beside_.x[i], diagonal_.z[i];
  return result;
}

Matrix3 SpringOperator::block(std::size_t spring) const HAPTIC_REALTIME {
  const std::uint32_t slot = bands_.slot(spring);
  const bool in_band = slot != SpringBands::kLoose;
  const Blocks& of = in_band ? in_bands_ : loose_;
  const std::size_t k = in_band ? slot : loose_place_[spring];
  const Vector3 u(of.x[k], of.y[k], of.z[k]);
  Matrix3 result = of.along[k] * u * u.transpose();
  result.diagonal().array() += of.across[k];
  return result;
}

void SpringOperator::multiply(std::span<const double> own,
                              const AlignedVector<double> Blocks::*along, std::span<const double> z,
                              std::span<double> y) const HAPTIC_REALTIME {
  z_.load(z);
  plus_.clear();
  minus_.clear();
  const double* const of_along = (in_bands_.*along).data();
  // Forces on i and on j in arrays of their own: with a small offset, vectors that were stored just
  // before would overlap those that are loaded.
  bands_.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
    const Double4 ux = load4(&in_bands_.x[slot]), uy = load4(&in_bands_.y[slot]),
                  uz = load4(&in_bands_.z[slot]), a = load4(&in_bands_.across[slot]);
    const Double4 dx = load4(&z_.x[i]) - load4(&z_.x[j]);
    const Double4 dy = load4(&z_.y[i]) - load4(&z_.y[j]);
    const Double4 dz = load4(&z_.z[i]) - load4(&z_.z[j]);
    const Double4 b = load4(of_along + slot) * multiply_add(uz, dz, multiply_add(uy, dy, ux * dx));
    const Double4 px = multiply_add(b, ux, a * dx), py = multiply_add(b, uy, a * dy),
                  pz = multiply_add(b, uz, a * dz);
    store4(load4(&plus_.x[i]) + px, &plus_.x[i]);
    store4(load4(&plus_.y[i]) + py, &plus_.y[i]);
    store4(load4(&plus_.z[i]) + pz, &plus_.z[i]);
    store4(load4(&minus_.x[j]) + px, &minus_.x[j]);
    store4(load4(&minus_.y[j]) + py, &minus_.y[j]);
    store4(load4(&minus_.z[j]) + pz, &minus_.z[j]);
  });
  for (std::size_t i = 0; i < own.size(); ++i) {
    y[3 * i] = own[i] * z[3 * i] + (plus_.x[i] - minus_.x[i]);
    y[3 * i + 1] = own[i] * z[3 * i + 1] + (plus_.y[i] - minus_.y[i]);
    y[3 * i + 2] = own[i] * z[3 * i + 2] + (plus_.z[i] - minus_.z[i]);
  }
  for (std::size_t k = 0; k < bands_.loose().size(); ++k) {
    const std::size_t i = first_[bands_.loose()[k]], j = second_[bands_.loose()[k]];
    const Vector3 u(loose_.x[k], loose_.y[k], loose_.z[k]), apart = at(z, i) - at(z, j);
    const Vector3 part = loose_.across[k] * apart + (loose_.*along)[k] * u.dot(apart) * u;
    at(y, i) += part;
    at(y, j) -= part;
  }
}

void SpringOperator::multiply(std::span<const double> z,
                              std::span<double> y) const HAPTIC_REALTIME {
  multiply(own_, &Blocks::along, z, y);
  for (std::size_t i = 0; has_wind_ && i < wind_.size(); ++i) {
    const SymmetricBlock& of = wind_[i];
    const double* const p = &z[3 * i];
    y[3 * i] += of.xx * p[0] + of.xy * p[1] + of.xz * p[2];
    y[3 * i + 1] += of.xy * p[0] + of.yy * p[1] + of.yz * p[2];
    y[3 * i + 2] += of.xz * p[0] + of.yz * p[1] + of.zz * p[2];
  }
}

void SpringOperator::multiply_stiffness(std::span<const double> z,
                                        std::span<double> y) const HAPTIC_REALTIME {
  multiply(anchored_, &Blocks::elastic, z, y);
}

}  // namespace haptic::cloth

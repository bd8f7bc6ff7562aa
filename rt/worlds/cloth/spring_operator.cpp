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
      own_(particles),
      anchored_(particles),
      diagonal_(particles),
      z_(particles),
      plus_(particles),
      minus_(particles) {}

void SpringOperator::set(const ClothSystem& system, std::span<const double> x, Scales scales,
                         std::span<const unsigned char> left_out) HAPTIC_REALTIME {
  HAPTIC_ASSERT(left_out.empty() || left_out.size() == first_.size());
  const double of_drag = scales.damping * system.surroundings().air.drag;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    own_[i] = scales.mass * system.masses()[i] + of_drag;
    anchored_[i] = 0.0;
  }
  for (const TargetSpring& spring : system.tethers().springs()) {
    anchored_[spring.particle] += scales.stiffness * spring.stiffness;
    own_[spring.particle] += scales.damping * spring.damping + scales.stiffness * spring.stiffness;
  }
  set_bands(system.springs(), x, scales);
  for (std::size_t k = 0; k < bands_.loose().size(); ++k) {
    loose_.set(k, system.springs().gradient(x, bands_.loose()[k]), scales);
  }
  const auto leave_out = [](Blocks& blocks, std::size_t k) HAPTIC_REALTIME {
    blocks.across[k] = blocks.along[k] = blocks.elastic[k] = 0.0;
  };
  for (std::size_t s = 0; s < left_out.size(); ++s) {
    if (left_out[s] != 0 && bands_.slot(s) != SpringBands::kLoose) {
      leave_out(in_bands_, bands_.slot(s));
    }
  }
  for (std::size_t k = 0; !left_out.empty() && k < bands_.loose().size(); ++k) {
    if (left_out[bands_.loose()[k]] != 0) leave_out(loose_, k);
  }
  set_diagonal();
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
  plus_.clear();
  bands_.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
    const Double4 mean = multiply_add(simd::all(1.0 / 3.0), load4(&in_bands_.along[slot]),
                                      load4(&in_bands_.across[slot]));
    store4(load4(&plus_.x[i]) + mean, &plus_.x[i]);
    store4(load4(&plus_.y[j]) + mean, &plus_.y[j]);
  });
  for (std::size_t i = 0; i < own_.size(); ++i) diagonal_[i] = own_[i] + (plus_.x[i] + plus_.y[i]);
  for (std::size_t k = 0; k < bands_.loose().size(); ++k) {
    const double mean = loose_.across[k] + loose_.along[k] / 3.0;
    diagonal_[first_[bands_.loose()[k]]] += mean;
    diagonal_[second_[bands_.loose()[k]]] += mean;
  }
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
}

void SpringOperator::multiply_stiffness(std::span<const double> z,
                                        std::span<double> y) const HAPTIC_REALTIME {
  multiply(anchored_, &Blocks::elastic, z, y);
}

}  // namespace haptic::cloth

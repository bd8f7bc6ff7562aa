// Springs four at a time.

#include <immintrin.h>

#include <algorithm>

#include "rt/worlds/cloth/spring_forces.h"
#include "shared/math/double4.h"

namespace haptic::cloth {

using simd::Double4;
using simd::load4;
using simd::multiply_add;
using simd::store4;

void SpringForces::set_slots() {
  for (AlignedVector<double>* of :
       {&slots_.rest, &slots_.stiffness, &slots_.damping, &slots_.resists, &slots_.plate}) {
    of->resize(bands_.slots());
  }
  for (std::size_t k = 0; k < bands_.slots(); ++k) {
    const std::uint32_t s = bands_.spring(k);
    if (s == SpringBands::kGap) continue;
    slots_.rest[k] = springs_.rest[s];
    slots_.stiffness[k] = springs_.stiffness[s];
    slots_.damping[k] = springs_.damping[s];
    slots_.plate[k] = plate(s);
    slots_.resists[k] = springs_.kind[s] == SpringKind::kSequential ? 0.0 : 1.0;
  }
}

/// As SpringForces::pull and gradient, of springs that are no strips. Where a spring has no
/// direction, u is zero and `has_direction` too.
struct SpringForces::Four {
  Double4 dx, dy, dz, ux, uy, uz, along, tension, per_length, damping;
  int has_direction;  // a bit a spring
};

SpringForces::Four SpringForces::four(std::uint32_t i, std::uint32_t j,
                                      std::uint32_t slot) const HAPTIC_REALTIME {
  constexpr double kNoDirection = 1e-12;  // as in spring_forces.cpp
  const Double4 zero = simd::all(0.0);
  const Double4 dx = load4(&x_.x[i]) - load4(&x_.x[j]);
  const Double4 dy = load4(&x_.y[i]) - load4(&x_.y[j]);
  const Double4 dz = load4(&x_.z[i]) - load4(&x_.z[j]);
  const Double4 rest = load4(&slots_.rest[slot]);
  const Double4 length = _mm256_sqrt_pd(multiply_add(dz, dz, multiply_add(dy, dy, dx * dx)));
  // Not (length <= limit), so that a number that is not finite goes on to the forces.
  const Double4 directed = _mm256_cmp_pd(length, simd::all(kNoDirection) * rest, _CMP_NLE_UQ);
  const Double4 inverse = _mm256_and_pd(directed, simd::all(1.0) / length);
  const Double4 longer = length - rest;
  const Double4 acts = _mm256_blendv_pd(simd::all(1.0), load4(&slots_.resists[slot]),
                                        _mm256_cmp_pd(longer, zero, _CMP_LT_OQ));
  Four result;
  result.dx = dx, result.dy = dy, result.dz = dz;
  result.ux = dx * inverse, result.uy = dy * inverse, result.uz = dz * inverse;
  result.along = _mm256_and_pd(directed, load4(&slots_.stiffness[slot]) * acts);
  result.damping = _mm256_and_pd(directed, load4(&slots_.damping[slot]));
  result.tension = result.along * longer;
  result.per_length = result.tension * inverse;
  result.has_direction = _mm256_movemask_pd(directed);
  return result;
}

std::size_t SpringForces::add_bands(std::span<const double> x, std::span<const double> v,
                                    std::span<double> f) const HAPTIC_REALTIME {
  if (bands_.slots() == 0) return 0;
  const std::size_t particles = bands_.particles();
  x_.load(x.first(3 * particles));
  v_.load(v.first(3 * particles));
  plus_.clear();
  minus_.clear();
  std::size_t left_out = 0;
  bands_.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
    const Four at = four(i, j, slot);
    if (at.has_direction != 0xf) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const bool directed = (at.has_direction >> k & 1) != 0;
        if (!directed && bands_.spring(slot + k) != SpringBands::kGap) ++left_out;
      }
    }
    const Double4 opening = multiply_add(at.uz, load4(&v_.z[i]) - load4(&v_.z[j]),
                                         multiply_add(at.uy, load4(&v_.y[i]) - load4(&v_.y[j]),
                                                      at.ux * (load4(&v_.x[i]) - load4(&v_.x[j]))));
    const Double4 pull = multiply_add(at.damping, opening, at.tension);
    const Double4 plate = load4(&slots_.plate[slot]);
    const Double4 px = multiply_add(plate, at.dx, pull * at.ux),
                  py = multiply_add(plate, at.dy, pull * at.uy),
                  pz = multiply_add(plate, at.dz, pull * at.uz);
    store4(load4(&minus_.x[i]) + px, &minus_.x[i]);
    store4(load4(&minus_.y[i]) + py, &minus_.y[i]);
    store4(load4(&minus_.z[i]) + pz, &minus_.z[i]);
    store4(load4(&plus_.x[j]) + px, &plus_.x[j]);
    store4(load4(&plus_.y[j]) + py, &plus_.y[j]);
    store4(load4(&plus_.z[j]) + pz, &plus_.z[j]);
  });
  for (std::size_t i = 0; i < particles; ++i) {
    f[3 * i] += plus_.x[i] - minus_.x[i];
    f[3 * i + 1] += plus_.y[i] - minus_.y[i];
    f[3 * i + 2] += plus_.z[i] - minus_.z[i];
  }
  return left_out;
}

void SpringForces::gradients(std::span<const double> x,
                             const BandGradients& out) const HAPTIC_REALTIME {
  if (bands_.slots() == 0) return;
  x_.load(x.first(3 * bands_.particles()));
  bands_.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
    const Four at = four(i, j, slot);
    store4(at.ux, &out.x[slot]);
    store4(at.uy, &out.y[slot]);
    store4(at.uz, &out.z[slot]);
    const Double4 plate = load4(&slots_.plate[slot]);
    store4(at.along + plate, &out.along[slot]);
    store4(at.damping, &out.damping[slot]);
    store4(_mm256_max_pd(at.per_length, simd::all(0.0)) + plate, &out.across[slot]);
  });
}

}  // namespace haptic::cloth

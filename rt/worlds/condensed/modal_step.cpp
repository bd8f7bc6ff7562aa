#include "rt/worlds/condensed/modal_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rt/dynamics/impulse_response.h"

namespace haptic::condensed {
namespace {

/// Of a mode under the exact step: with it a held contact damps the mode as fast as it can, by 1/3
/// a step and more. Above critical damping the slow one of the two rates counts.
double dynamic_part(double k, double d, double h) {
  const double w = std::sqrt(k);
  const double angle = w * h / std::max(1.0, 0.5 * d / w);
  const double tangent = std::tan(0.25 * angle);
  return angle < std::numbers::pi ? std::max(0.0, 1.0 - tangent * tangent) : 0.0;
}

}  // namespace

ModalStep modal_step(ModalIntegrator integrator, double k, double d, double h) {
  if (integrator == ModalIntegrator::kExact) {
    const ImpulseResponse r = impulse_response(k, d, h);
    const double part = dynamic_part(k, d, h);
    return {k, part, r.rate + d * r.y, r.y, -k * r.y, r.rate, part * r.integral, part * r.y};
  }
  // q'+ first, then q+ = q + h q'+.
  if (integrator == ModalIntegrator::kSymplectic) {
    return {k, 1.0, 1.0 - h * h * k, h * (1.0 - h * d), -h * k, 1.0 - h * d, h * h, h};
  }
  const double A = 1.0 + h * (d + h * k);
  return {k, 1.0, (1.0 + h * d) / A, h / A, -h * k / A, 1.0 / A, h * h / A, h / A};
}

}  // namespace haptic::condensed

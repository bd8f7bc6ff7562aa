#include "rt/worlds/cloth/buckling_strip.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic::cloth {
namespace {

/// Below this u^2 the closed forms lose digits to cancellation, and the series are exact.
constexpr double kSmall = 0.05;

/// sinc(u) of q = u^2, its first derivative times 2, c = (cos u - sinc u) / q, and dc/dq.
struct Sinc {
  double value, slope, curvature;

  explicit Sinc(double q) HAPTIC_REALTIME {
    if (q < kSmall) {
      value = 1.0 -
              q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0))));
      slope =
          -1.0 / 3.0 *
          (1.0 -
           q / 10.0 * (1.0 - q / 28.0 * (1.0 - q / 54.0 * (1.0 - q / 88.0 * (1.0 - q / 130.0)))));
      curvature =
          1.0 / 30.0 * (1.0 - q / 14.0 * (1.0 - q / 36.0 * (1.0 - q / 66.0 * (1.0 - q / 104.0))));
      return;
    }
    const double u = std::sqrt(q);
    value = std::sin(u) / u;
    slope = (std::cos(u) - value) / q;
    curvature = -(0.5 * value + 1.5 * slope) / q;
  }
};

constexpr int kNewtonSteps = 7;  // from 6 (1 - s), all s: docs/methods/cloth.md

}  // namespace

/// Newton's method in q = u^2, in which sinc is convex and falls: it ascends to the root from 6
/// (1 - s), which is never beyond it.
double squared_inverse_sinc(double s) HAPTIC_REALTIME {
  double q = 6.0 * (1.0 - s);
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Sinc sinc(q);
    q -= (sinc.value - s) / (0.5 * sinc.slope);
  }
  return std::max(q, 0.0);
}

BucklingStrip::BucklingStrip(double rest, double bending, double bound)
    : rest_(rest), bending_(bending), bound_(bound) {
  HAPTIC_DEMAND(rest > 0.0 && bending >= 0.0 && bound >= 0.0);
  // dE/dl - c_b (l - L) is -12 k_b / L^2 at l = L. Where the bound is soft, it holds everywhere.
  double above = rest, below = 0.0;
  const auto arc_is_less = [&](double l) { return arc(l).tension < bound_ * (l - rest_); };
  if (arc_is_less(0.0)) {
    change_length_ = -1.0;
    return;
  }
  for (int k = 0; k < 200 && above - below > 0.0; ++k) {
    const double middle = 0.5 * (above + below);
    if (middle == above || middle == below) break;
    (arc_is_less(middle) ? above : below) = middle;
  }
  change_length_ = below;
  change_energy_ = 0.5 * bound_ * (below - rest_) * (below - rest_) - arc(below).energy;
}

BucklingStrip::State BucklingStrip::arc(double length) const HAPTIC_REALTIME {
  const double q = squared_inverse_sinc(std::clamp(length / rest_, 0.0, 1.0));
  const Sinc sinc(q);
  const double per_area = bending_ / (rest_ * rest_);
  State state;
  state.tension = 4.0 * per_area / sinc.slope;
  state.stiffness =
      -8.0 * per_area / rest_ * sinc.curvature / (sinc.slope * sinc.slope * sinc.slope);
  state.energy = 2.0 * bending_ / rest_ * q;
  return state;
}

BucklingStrip::State BucklingStrip::at(double length) const HAPTIC_REALTIME {
  const double shorter = rest_ - length;
  if (shorter <= 0.0) return {};
  if (length > change_length_) {
    return {-bound_ * shorter, bound_, 0.5 * bound_ * shorter * shorter};
  }
  State state = arc(length);
  state.energy += change_energy_;
  return state;
}

}  // namespace haptic::cloth

#include "rt/dynamics/impulse_response.h"

#include <cmath>

namespace haptic {

ImpulseResponse impulse_response(double k, double c, double t) HAPTIC_REALTIME {
  const double ct = c * t, ktt = k * t * t;
  if (ct + std::abs(ktt) < 0.5) {
    // Taylor series: the u_n = y^(n)(0) t^n follow the recurrence of the equation. The closed forms
    // would suffer from cancellation. The terms decrease faster than 1 / n!.
    double before = 0.0, u = t, y = 0.0, rate = 0.0, integral = 0.0;
    double inverse_factorial = 1.0;  // of n
    for (int n = 1; n <= 20; ++n) {
      inverse_factorial /= n;
      rate += u * n * inverse_factorial;
      y += u * inverse_factorial;
      integral += u * inverse_factorial / (n + 1);
      const double next = -ct * u - ktt * before;
      before = u;
      u = next;
    }
    return {y, rate / t, integral * t};
  }
  const double discriminant = k - 0.25 * c * c;
  if (discriminant > 0.0) {
    const double s = std::sqrt(discriminant), decay = std::exp(-0.5 * ct);
    const double y = decay * std::sin(s * t) / s;
    const double rate = decay * std::cos(s * t) - 0.5 * c * y;
    return {y, rate, (1.0 - rate - c * y) / k};
  }
  // Real roots -r1, -r2 with r1 <= r2; (d/dt + r1) y = e^{-r2 t} and (d/dt + r2) y = e^{-r1 t}.
  const double s = std::sqrt(-discriminant), r2 = 0.5 * c + s, r1 = k / r2;
  const double slow = std::exp(-r1 * t);
  const double y = slow * (s > 0.0 ? -std::expm1(-2.0 * s * t) / (2.0 * s) : t);
  const double rate = std::exp(-r2 * t) - r1 * y;
  const double of_slow = r1 != 0.0 ? -std::expm1(-r1 * t) / r1 : t;
  return {y, rate, (of_slow - y) / r2};
}

}  // namespace haptic

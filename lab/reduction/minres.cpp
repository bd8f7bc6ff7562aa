#include "lab/reduction/minres.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic::lab {

MinresResult minres(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& multiply,
                    const Eigen::Ref<const Eigen::VectorXd>& diagonal,
                    const Eigen::Ref<const Eigen::VectorXd>& b, double tolerance,
                    int max_iterations) {
  MinresResult result;
  result.x = Eigen::VectorXd::Zero(b.size());
  if (b.norm() == 0.0) return result;
  // Lanczos vectors r, their preconditioned images y, and the columns w of the solution's update.
  Eigen::VectorXd r_before = b, r = b, y = b.cwiseQuotient(diagonal);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(b.size()), w_before = w;
  const double first = std::sqrt(r.dot(y));
  double beta = first, beta_before = 0.0, delta_bar = 0.0, epsilon = 0.0, phi_bar = first;
  double cosine = -1.0, sine = 0.0;
  while (phi_bar > tolerance * first) {
    if (result.iterations == max_iterations || !std::isfinite(phi_bar)) {
      throw OperationError(
          fmt::format("MINRES: relative residual {:.2e} after {} iterations, "
                      "expected {:.1e}",
                      phi_bar / first, result.iterations, tolerance));
    }
    ++result.iterations;
    const Eigen::VectorXd v = y / beta;
    y = multiply(v);
    if (result.iterations > 1) y -= (beta / beta_before) * r_before;
    const double alpha = v.dot(y);
    y -= (alpha / beta) * r;
    r_before = r;
    r = y;
    y = r.cwiseQuotient(diagonal);
    beta_before = beta;
    beta = std::sqrt(std::max(0.0, r.dot(y)));

    const double epsilon_before = epsilon;
    const double delta = cosine * delta_bar + sine * alpha;
    const double gamma_bar = sine * delta_bar - cosine * alpha;
    epsilon = sine * beta;
    delta_bar = -cosine * beta;
    const double gamma = std::hypot(gamma_bar, beta);
    if (!(gamma > 0.0)) break;  // the Krylov space is exhausted: x is the solution
    cosine = gamma_bar / gamma;
    sine = beta / gamma;
    const Eigen::VectorXd w_next = (v - epsilon_before * w_before - delta * w) / gamma;
    w_before = w;
    w = w_next;
    result.x += cosine * phi_bar * w;
    phi_bar *= sine;
  }
  result.residual = (b - multiply(result.x)).norm() / b.norm();
  return result;
}

}  // namespace haptic::lab

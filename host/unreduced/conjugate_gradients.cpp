#include "host/unreduced/conjugate_gradients.h"

#include <fmt/format.h>

#include "shared/error.h"

namespace haptic {

ConjugateGradientResult conjugate_gradients(const LinearMap& multiply,
                                            const LinearMap& precondition,
                                            const Eigen::Ref<const Eigen::VectorXd>& b,
                                            double tolerance, int max_iterations) {
  ConjugateGradientResult result;
  result.x = Eigen::VectorXd::Zero(b.size());
  const double scale = b.norm();
  if (scale == 0.0) return result;
  Eigen::VectorXd residual = b;
  Eigen::VectorXd z = precondition(residual);
  Eigen::VectorXd direction = z;
  double rho = residual.dot(z);
  for (result.residual = 1.0; result.residual > tolerance; ++result.iterations) {
    // Negated so that NaN stops here too.
    if (result.iterations >= max_iterations || !(rho > 0.0)) {
      throw OperationError(
          fmt::format("conjugate gradients: relative residual {:.2e} after {} iterations, expected "
                      "{:.1e}",
                      result.residual, result.iterations, tolerance));
    }
    const Eigen::VectorXd image = multiply(direction);
    const double curvature = direction.dot(image);
    if (!(curvature > 0.0)) {
      result.indefinite = true;
      if (result.iterations == 0) result.x = z;
      break;
    }
    const double length = rho / curvature;
    result.x += length * direction;
    residual -= length * image;
    result.residual = residual.norm() / scale;
    z = precondition(residual);
    const double next = residual.dot(z);
    direction = z + (next / rho) * direction;
    rho = next;
  }
  return result;
}

}  // namespace haptic

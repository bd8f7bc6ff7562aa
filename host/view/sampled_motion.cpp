#include "host/view/sampled_motion.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace haptic {

SampledMotion decompose_motion(Eigen::MatrixXf& samples, double tolerance, std::size_t most) {
  SampledMotion motion;
  motion.mean = samples.rowwise().mean();
  samples.colwise() -= motion.mean;
  const Eigen::MatrixXd gram =
      (samples.transpose() * samples).cast<double>();  // n x n, of eigenvalues sigma^2
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const Eigen::Index n = samples.cols();
  const Eigen::Index limit = std::min(n, static_cast<Eigen::Index>(most));
  motion.shapes.resize(samples.rows(), limit);
  motion.weights.resize(limit, n);
  Eigen::Index used = 0;
  motion.error = samples.cwiseAbs().maxCoeff();
  while (used < limit && motion.error > tolerance) {
    const Eigen::VectorXf direction = solver.eigenvectors().col(n - 1 - used).cast<float>();
    Eigen::VectorXf shape = samples * direction;
    const float length = shape.norm();
    if (!(length > 0.0F)) break;
    shape /= length;
    motion.shapes.col(used) = shape;
    // Projected onto what is left, so that rounding in the Gram matrix is corrected by later
    // shapes.
    motion.weights.row(used) = shape.transpose() * samples;
    samples.noalias() -= shape * motion.weights.row(used);
    ++used;
    motion.error = samples.cwiseAbs().maxCoeff();
  }
  motion.shapes.conservativeResize(Eigen::NoChange, used);
  motion.weights.conservativeResize(used, Eigen::NoChange);
  return motion;
}

}  // namespace haptic

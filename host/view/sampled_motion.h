#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace haptic {

/// Vertices over time as a mean and a few shapes: x(t) = mean + shapes * weights(t). The proper
/// orthogonal decomposition of the samples, by the method of snapshots: of all sets of as many
/// shapes the one with the least mean square error.
struct SampledMotion {
  Eigen::VectorXf mean;     ///< 3v [m]
  Eigen::MatrixXf shapes;   ///< 3v x k, orthonormal columns
  Eigen::MatrixXf weights;  ///< k x samples [m]
  double error = 0.0;       ///< largest error of a coordinate in a sample [m]
};

/// The fewest shapes with which no coordinate of a sample is off by more than `tolerance`, at most
/// `most`; the error says what is left then.
/// @param samples 3v x n, n >= 1 [m]; replaced by what the shapes miss @param tolerance [m], > 0
SampledMotion decompose_motion(Eigen::MatrixXf& samples, double tolerance, std::size_t most);

}  // namespace haptic

#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace haptic {

/// Greedy, density-prioritised thinning (Barbic 2007, section 2.8.2; kernel chosen here): while two
/// samples are closer than `separation`, the sample with the highest density among those with a
/// close neighbour is removed. The density is the sum of Gaussian kernels exp(-d^2 / (2
/// separation^2)) over the remaining samples. The result covers the samples evenly, and no two are
/// closer than the separation. Deterministic: of equal densities (to 1e-12) the later sample is
/// removed.
/// @param count            samples, >= 0
/// @param squared_distance of samples i, j; symmetric, >= 0
/// @param separation       > 0
/// @returns indices kept, ascending. Costs O(count^2) distances, O(count) memory.
std::vector<int> thin_by_density(int count, const std::function<double(int, int)>& squared_distance,
                                 double separation);

/// The same for the columns of `points` in the Euclidean distance.
std::vector<int> thin_by_density(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                 double separation);

}  // namespace haptic

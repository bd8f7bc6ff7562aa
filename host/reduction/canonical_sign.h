#pragma once

#include <Eigen/Core>

namespace haptic {

/// Flips each column so that its largest component is positive. Among components that agree to 1e-6
/// in magnitude the first one counts, so that the sign on symmetric shapes does not depend on
/// rounding.
void make_largest_component_positive(Eigen::Ref<Eigen::MatrixXd> columns);

}  // namespace haptic

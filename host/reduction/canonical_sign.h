#pragma once

#include <Eigen/Core>

namespace haptic {

/// Flips each column so that its largest component is positive; among components that agree to
/// 1e-6 in magnitude the first one decides, so that rounding on symmetric shapes does not.
void make_largest_component_positive(Eigen::Ref<Eigen::MatrixXd> columns);

}  // namespace haptic

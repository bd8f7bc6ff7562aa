#pragma once

#include <Eigen/Core>

namespace haptic::lab {

/// C f, reading only the columns of C where f is not zero: the selective matrix-vector product.
/// Cost: n times the number of entries of f that are not zero.
/// Source: Bro-Nielsen & Cotin 1996; Sedaghat 2011, section 6.3.
Eigen::VectorXd selective_product(const Eigen::Ref<const Eigen::MatrixXd>& C,
                                  const Eigen::Ref<const Eigen::VectorXd>& f);

}  // namespace haptic::lab

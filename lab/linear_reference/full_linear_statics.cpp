#include "lab/linear_reference/full_linear_statics.h"

#include "lab/linear_reference/selective_product.h"

namespace haptic::lab {

ContactSolution solve_full_statics(const LinearBody& body, const ContactRows& rows,
                                   const Eigen::VectorXd& target) {
  const Eigen::MatrixXd columns = body.factor.solve(Eigen::MatrixXd(rows.transpose()));
  ContactSolution solution;
  solution.contact_force = solve_contacts(rows * columns, target);
  solution.displacement = columns * solution.contact_force;
  return solution;
}

ContactSolution solve_statics(const Eigen::MatrixXd& C, const ContactRows& rows,
                              const Eigen::VectorXd& target) {
  const Eigen::MatrixXd half = rows * C;  // c x n
  ContactSolution solution;
  solution.contact_force = solve_contacts(half * rows.transpose(), target);
  solution.displacement = selective_product(C, rows.transpose() * solution.contact_force);
  return solution;
}

}  // namespace haptic::lab

#include "lab/linear_reference/full_linear_dynamics.h"

#include "shared/assert.h"

namespace haptic::lab {
namespace {

SparseFactorization factor_step(const LinearBody& body, double h) {
  require_valid("full linear dynamics", h, body.damping);
  SparseMatrix A = (h * body.damping.beta + h * h) * body.K;
  A.diagonal() += (1.0 + h * body.damping.alpha) * body.mass;
  SparseFactorization::Options options;
  options.block = 3;
  options.name = "M + h D + h^2 K";
  return {A, options};
}

}  // namespace

FullLinearDynamics::FullLinearDynamics(const LinearBody& body, double dt)
    : body_(body),
      h_(dt),
      system_(factor_step(body, dt)),
      u_(Eigen::VectorXd::Zero(body.size())),
      v_(Eigen::VectorXd::Zero(body.size())) {}

Eigen::VectorXd FullLinearDynamics::impulse() const {
  return body_.mass.cwiseProduct(v_) - h_ * (body_.K * u_);
}

void FullLinearDynamics::step(const Eigen::VectorXd& f) {
  v_ = system_.solve(impulse() + h_ * f);
  u_ += h_ * v_;
}

Eigen::VectorXd FullLinearDynamics::step_to(const ContactRows& rows,
                                            const Eigen::VectorXd& target) {
  const Eigen::VectorXd free = system_.solve(impulse());
  const Eigen::MatrixXd columns = system_.solve(Eigen::MatrixXd(rows.transpose()));
  const Eigen::VectorXd force =
      solve_contacts(h_ * h_ * (rows * columns), target - rows * (u_ + h_ * free));
  v_ = free + h_ * (columns * force);
  u_ += h_ * v_;
  return force;
}

void FullLinearDynamics::set_state(const Eigen::VectorXd& u, const Eigen::VectorXd& velocity) {
  HAPTIC_DEMAND(u.size() == u_.size() && velocity.size() == v_.size());
  u_ = u;
  v_ = velocity;
}

}  // namespace haptic::lab

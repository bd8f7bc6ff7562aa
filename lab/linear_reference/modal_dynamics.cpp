#include "lab/linear_reference/modal_dynamics.h"

#include <utility>

#include "shared/assert.h"

namespace haptic::lab {

ModalDynamics::ModalDynamics(Eigen::MatrixXd modes, Eigen::VectorXd eigenvalues,
                             RayleighDamping damping, double dt)
    : modes_(std::move(modes)),
      lambda_(std::move(eigenvalues)),
      damping_(damping),
      h_(dt),
      q_(Eigen::VectorXd::Zero(lambda_.size())),
      v_(Eigen::VectorXd::Zero(lambda_.size())) {
  require_valid("modal dynamics", dt, damping);
  HAPTIC_DEMAND(modes_.cols() == lambda_.size());
  inverse_ = (1.0 + (h_ * damping_coefficients() + h_ * h_ * lambda_).array()).inverse();
}

Eigen::VectorXd ModalDynamics::damping_coefficients() const {
  return damping_.alpha + damping_.beta * lambda_.array();
}

void ModalDynamics::advance(const Eigen::VectorXd& modal_force) {
  v_ = inverse_.cwiseProduct(v_ + h_ * (modal_force - lambda_.cwiseProduct(q_)));
  q_ += h_ * v_;
}

void ModalDynamics::step(const Eigen::VectorXd& f) {
  advance(modes_.transpose() * f);
}

Eigen::VectorXd ModalDynamics::step_to(const ContactRows& rows, const Eigen::VectorXd& target) {
  const Eigen::MatrixXd A = rows * modes_;  // H U1, c x m
  const Eigen::VectorXd free = q_ + h_ * inverse_.cwiseProduct(v_ - h_ * lambda_.cwiseProduct(q_));
  const Eigen::MatrixXd S = h_ * h_ * A * inverse_.asDiagonal() * A.transpose();
  const Eigen::VectorXd force = solve_contacts(S, target - A * free);
  advance(A.transpose() * force);
  return force;
}

void ModalDynamics::set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& velocity) {
  HAPTIC_DEMAND(q.size() == lambda_.size() && velocity.size() == lambda_.size());
  q_ = q;
  v_ = velocity;
}

}  // namespace haptic::lab

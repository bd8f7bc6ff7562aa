#include "rt/worlds/condensed/tool_contact.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "rt/worlds/condensed/contact_axes.h"
#include "rt/worlds/condensed/turned.h"

namespace haptic::condensed {

namespace {

/// Up to this many contacts, all of them are first tried as sticking: a factorisation.
constexpr std::size_t kDirect = 8;
/// Of the sweeps over the contacts where Newton's method has not converged.
constexpr std::size_t kSweeps = 20;
/// A contact that cannot hold and has slipped by less stays where it is [m].
constexpr double kHeld = 1e-7;

}  // namespace

ToolContact::ToolContact(std::size_t capacity, bool stick)
    : capacity_(capacity),
      matrix_(9 * capacity * capacity, 0.0),
      body_matrix_(9 * capacity * capacity, 0.0),
      demand_(3 * capacity, 0.0),
      normals_(3 * capacity, 0.0),
      friction_(capacity, 0.0),
      force_(3 * capacity, 0.0),
      frame_force_(3 * capacity, 0.0),
      jacobians_(capacity, Jacobian::Zero()),
      mobilities_(capacity, Jacobian::Zero()),
      slips_(3 * capacity, 0.0),
      response_(capacity),
      newton_(capacity),
      cone_(capacity, kSweeps),
      direct_(3 * std::min(capacity, kDirect)) {
  if (stick) stick_.emplace(capacity);
}

void ToolContact::assemble(std::span<const CondensedContact> contacts,
                           const CondensedDynamics& dynamics, const Law& law) HAPTIC_REALTIME {
  const SymmetricView S = dynamics.effective_compliance();
  const std::size_t stride = 3 * capacity_;
  if (!frames_.turns.empty()) turn_body_matrix(S);
  for (std::size_t i = 0; frames_.turns.empty() && i < rows_; ++i) {
    std::copy_n(S.row(i), rows_, &body_matrix_[i * stride]);
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vector3& push = contacts[i].push;
    const Matrix3 across = law.slip * (Matrix3::Identity() - push * push.transpose());
    for (std::size_t a = 0; a < 3; ++a) {
      normals_[3 * i + a] = -push[static_cast<Eigen::Index>(a)];
      for (std::size_t b = 0; b < 3; ++b) {
        body_matrix_[(3 * i + a) * stride + 3 * i + b] +=
            across(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      }
    }
    friction_[i] = std::max(law.friction, contacts[i].least_friction);
  }
}

/// What the modes add to the compliance because their gradient turns with the shape.
double ToolContact::gradient_part(std::size_t row, std::size_t column) const HAPTIC_REALTIME {
  const std::size_t modes = frames_.response.size();
  const double* const J = frames_.gradient.data();
  const double* const P = frames_.turned_modes.data();
  double sum = 0.0;
  for (std::size_t k = 0; k < modes; ++k) {
    sum += frames_.response[k] * (J[row * modes + k] * J[column * modes + k] -
                                  P[row * modes + k] * P[column * modes + k]);
  }
  return sum;
}

/// The blocks R_i S_ij R_j^T, and the part of the gradient.
void ToolContact::turn_body_matrix(const SymmetricView& S) HAPTIC_REALTIME {
  const std::size_t stride = 3 * capacity_, count = rows_ / 3;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Matrix3 block;
      for (std::size_t a = 0; a < 3; ++a) {
        const double* const row = S.row(3 * i + a) + 3 * j;
        block.row(static_cast<Eigen::Index>(a)) << row[0], row[1], row[2];
      }
      block = frames_.turns[i] * block * frames_.turns[j].transpose();
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          const double value = block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) +
                               gradient_part(3 * i + a, 3 * j + b);
          body_matrix_[(3 * i + a) * stride + 3 * j + b] = value;
          body_matrix_[(3 * j + b) * stride + 3 * i + a] = value;
        }
      }
    }
  }
}

void ToolContact::turn_forces(std::span<const double> from, std::vector<double>& to,
                              bool into_frames) const HAPTIC_REALTIME {
  for (std::size_t i = 0; 3 * i < from.size(); ++i) {
    const Matrix3& turn = frames_.turns[i];
    const Vector3 force = into_frames ? Vector3(turn.transpose() * contact_vector(from, i))
                                      : Vector3(turn * contact_vector(from, i));
    for (std::size_t a = 0; a < 3; ++a) to[3 * i + a] = force[static_cast<Eigen::Index>(a)];
  }
}

/// matrix = body's + J A^-1 J^T.
void ToolContact::add_tool() HAPTIC_REALTIME {
  const std::size_t stride = 3 * capacity_, count = rows_ / 3;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Matrix3 block = mobilities_[i] * jacobians_[j].transpose();
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          const std::size_t row = 3 * i + a, column = 3 * j + b;
          if (column > row) continue;
          const double value = body_matrix_[row * stride + column] +
                               block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
          matrix_[row * stride + column] = value;
          matrix_[column * stride + row] = value;
        }
      }
    }
  }
}

void ToolContact::demand(std::span<const CondensedContact> contacts,
                         const CondensedDynamics& dynamics, const Vector6& tool) HAPTIC_REALTIME {
  const std::span<const double> free = dynamics.free_displacement();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vector3 unforced = frames_.free.empty() ? contact_vector(free, i) : frames_.free[i];
    const Vector3 wanted = contacts[i].target + jacobians_[i] * tool - unforced;
    for (std::size_t a = 0; a < 3; ++a) {
      demand_[3 * i + a] = wanted[static_cast<Eigen::Index>(a)];
    }
  }
}

bool ToolContact::all_stick() const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < rows_ / 3; ++i) {
    const double pressure = -contact_vector(normals_, i).dot(contact_vector(force_, i));
    const double across =
        (contact_vector(force_, i) + pressure * contact_vector(normals_, i)).norm();
    if (!(pressure >= 0.0) || !(across <= friction_[i] * pressure)) return false;
  }
  return true;
}

void ToolContact::find_forces() HAPTIC_REALTIME {
  const std::span<double> force = std::span(force_).first(rows_);
  const std::span<const double> demand = std::span(demand_).first(rows_);
  const SymmetricView matrix{matrix_.data(), rows_, 3 * capacity_};
  if (stick_) {
    residual_ =
        stick_->solve(matrix, demand, std::span<const double>(normals_).first(rows_), force);
    return;
  }
  const bool rough =
      std::any_of(friction_.begin(), friction_.begin() + static_cast<std::ptrdiff_t>(rows_ / 3),
                  [](double mu) HAPTIC_REALTIME { return mu > 0.0; });
  if (rough && rows_ <= 3 * kDirect) {
    std::array<double, 3 * kDirect> kept{};
    std::copy(force.begin(), force.end(), kept.begin());
    double scale = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) scale = std::max(scale, matrix(i, i));
    direct_.factorise(matrix, scale);
    direct_.solve(demand, force);
    residual_ = largest_residual(matrix, demand, force);
    if (all_stick()) return;
    std::copy_n(kept.begin(), rows_, force.begin());
  }
  const auto normals = std::span<const double>(normals_).first(rows_);
  const auto friction = std::span<const double>(friction_).first(rows_ / 3);
  if (rough && newton_.solve(matrix, demand, normals, friction, force)) {
    residual_ = newton_.residual();
    return;
  }
  residual_ = cone_.solve(matrix, demand, normals, friction, force).residual;
}

/// Forces and motion with the tool's matrix times `damping`. @returns the motion, model axes
Vector6 ToolContact::solve_damped(std::span<const CondensedContact> contacts,
                                  const CondensedDynamics& dynamics, const ToolSystem& tool,
                                  const Vector6& damping) HAPTIC_REALTIME {
  const Vector6 weaker = damping.cwiseInverse().cwiseSqrt();
  const Matrix6 mobility = weaker.asDiagonal() * tool.mobility * weaker.asDiagonal();
  Vector6 load = tool.load;
  if (!contacts.empty()) {
    for (std::size_t i = 0; i < contacts.size(); ++i) mobilities_[i] = jacobians_[i] * mobility;
    add_tool();
    demand(contacts, dynamics, mobility * tool.load);
    find_forces();
    load += reaction();
  }
  return mobility * load;
}

Vector6 ToolContact::reaction() const HAPTIC_REALTIME {
  Vector6 sum = Vector6::Zero();
  for (std::size_t i = 0; i < rows_ / 3; ++i) {
    sum -= jacobians_[i].transpose() * contact_vector(force_, i);
  }
  return sum;
}

void ToolContact::reset() HAPTIC_REALTIME {
  rows_ = 0;
  residual_ = 0.0;
  motion_.setZero();
  wrench_ = {};
}

void ToolContact::solve(std::span<const CondensedContact> contacts,
                        const CondensedDynamics& dynamics, const HeldBody& held,
                        const HeldBody::StepSystem& system, const Pose& body, const Law& law,
                        const Frames& frames) HAPTIC_REALTIME {
  rows_ = 3 * contacts.size();
  frames_ = frames;
  residual_ = 0.0;
  to_model_ = body.orientation.conjugate().toRotationMatrix();
  const Vector3 grasp = body.to_material(held.grasp_position());
  const Matrix6 mobility = system.matrix.llt().solve(Matrix6::Identity());
  const ToolSystem tool{turned(mobility, to_model_), turned(system.load, to_model_)};
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    jacobians_[i] << Matrix3::Identity(), -skew(contacts[i].point - grasp);
  }
  assemble(contacts, dynamics, law);
  const std::span<const double> guess = dynamics.forces();
  if (frames_.turns.empty()) {
    std::copy(guess.begin(), guess.end(), force_.begin());
  } else {
    turn_forces(guess, force_, false);
  }

  const Matrix3 to_world = to_model_.transpose();
  // A damper that keeps the hand alone at the speed limit.
  const Vector6 damping = held.excess(mobility * system.load);
  motion_ = turned(solve_damped(contacts, dynamics, tool, damping), to_world);
  const Vector6 world = turned(reaction(), to_world);
  wrench_ = {world.head<3>(), world.tail<3>()};
  if (!frames_.turns.empty()) turn_forces(forces(), frame_force_, true);
}

bool ToolContact::presses(std::size_t i) const HAPTIC_REALTIME {
  return contact_vector(normals_, i).dot(contact_vector(force_, i)) < 0.0;
}

bool ToolContact::slides(std::size_t i, const Law& law) const HAPTIC_REALTIME {
  if (law.slip > 0.0) return true;
  if (stick_) return stick_->slip(i) > kHeld;
  const double pressure = -contact_vector(normals_, i).dot(contact_vector(force_, i));
  const double across = (contact_vector(force_, i) + pressure * contact_vector(normals_, i)).norm();
  return across >= ContactResponse::kAtLimit * friction_[i] * pressure;
}

}  // namespace haptic::condensed

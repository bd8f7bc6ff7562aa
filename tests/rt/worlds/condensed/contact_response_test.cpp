#include "rt/worlds/condensed/contact_response.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

#include "rt/worlds/condensed/coulomb_newton.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A tool pressed on a random soft body: A z = K gap - J^T lambda, and the demands of its contacts.
class Tool {
 public:
  /// @param twins  whether every second contact repeats the one before: redundant
  Tool(int count, double friction, unsigned seed, bool twins = false)
      : jacobians_(static_cast<std::size_t>(count)),
        mu_(static_cast<std::size_t>(count), friction),
        newton_(static_cast<std::size_t>(count)) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    const auto random = [&] { return normal(engine); };
    RowMajor root = RowMajor::NullaryExpr(3 * count, 3 * count, random);
    normals_.resize(3 * count);
    target_ = Eigen::VectorXd::NullaryExpr(3 * count, [&] { return 2e-4 * random(); });
    for (int i = 0; i < count; ++i) {
      normals_.segment<3>(3 * i) =
          Vector3(0.2 * random(), 2.0 + 0.2 * random(), 0.2 * random()).normalized();
      const Vector3 arm(0.01 * random(), -0.01, 0.01 * random());
      jacobians_[static_cast<std::size_t>(i)] << Matrix3::Identity(), -skew(arm);
    }
    for (int i = 1; twins && i < count; i += 2) {
      root.middleRows(3 * i, 3) = root.middleRows(3 * i - 3, 3);
      normals_.segment<3>(3 * i) = normals_.segment<3>(3 * i - 3);
      target_.segment<3>(3 * i) = target_.segment<3>(3 * i - 3);
      jacobians_[static_cast<std::size_t>(i)] = jacobians_[static_cast<std::size_t>(i - 1)];
    }
    body_ = 1e-3 / (3 * count) * root * root.transpose();
    stiffness_ << Vector3::Constant(400.0), Vector3::Constant(0.5);
    mobility_ = stiffness_.cwiseInverse().asDiagonal();
    // 4 mm down, and 3 mm sideways.
    gap_ << 3e-3, -4e-3, 1e-3, 0.02, 0.01, -0.01;
    J_.resize(3 * count, 6);
    for (int i = 0; i < count; ++i)
      J_.middleRows<3>(3 * i) = jacobians_[static_cast<std::size_t>(i)];
    matrix_ = body_ + J_ * mobility_ * J_.transpose();
  }

  Eigen::VectorXd demand(const Vector6& d) const { return target_ + J_ * (gap_ + d); }
  /// Forces with the manipulandum moved by d, to rounding.
  bool solve(const Vector6& d, Eigen::VectorXd& lambda) {
    const Eigen::VectorXd wanted = demand(d);
    const auto rows = static_cast<std::size_t>(body_.rows());
    bool converged = true;
    for (int i = 0; i < 12 && converged; ++i) {
      converged =
          newton_.solve({matrix_.data(), rows, rows}, std::span(wanted.data(), rows),
                        std::span(normals_.data(), rows), mu_, std::span(lambda.data(), rows));
    }
    return converged;
  }
  /// Motion of the tool with these forces.
  Vector6 motion(const Vector6& d, const Eigen::VectorXd& lambda) const {
    return gap_ + d - mobility_ * (J_.transpose() * lambda);
  }
  double pressure(const Eigen::VectorXd& lambda, int i) const {
    return -normals_.segment<3>(3 * i).dot(lambda.segment<3>(3 * i));
  }
  /// 0: open, 1: sticks, 2: slides.
  int branch(const Eigen::VectorXd& lambda, int i) const {
    const double p = pressure(lambda, i);
    const Vector3 across = lambda.segment<3>(3 * i) + p * normals_.segment<3>(3 * i);
    if (!(p > 0.0)) return 0;
    return across.norm() >= ContactResponse::kAtLimit * mu_[static_cast<std::size_t>(i)] * p ? 2
                                                                                             : 1;
  }
  bool respond(ContactResponse& solver, const Eigen::VectorXd& lambda, HeldResponse& response) {
    const auto rows = static_cast<std::size_t>(body_.rows());
    const Eigen::VectorXd slip = demand(Vector6::Zero()) - matrix_ * lambda;
    const NoAllocation guard;
    return solver.find({.compliance = {body_.data(), rows, rows},
                        .jacobians = jacobians_,
                        .normals = std::span(normals_.data(), rows),
                        .forces = std::span(lambda.data(), rows),
                        .slips = std::span(slip.data(), rows),
                        .friction = mu_},
                       mobility_, stiffness_, Vector6::Zero(), response);
  }
  int count() const { return static_cast<int>(mu_.size()); }
  Vector6 wrench(const Eigen::VectorXd& lambda) const { return -J_.transpose() * lambda; }
  const Matrix6& mobility() const { return mobility_; }

 private:
  RowMajor body_, matrix_;
  Eigen::MatrixXd J_;
  Eigen::VectorXd normals_, target_;
  std::vector<ContactResponse::Jacobian> jacobians_;
  std::vector<double> mu_;
  Matrix6 mobility_;
  Vector6 stiffness_, gap_;
  CoulombNewton newton_;
};

// The motion of the tool and the pressure, by central differences of the whole contact problem. The
// steps are 1e-6 m and 1e-4 rad, with which hardly a contact changes its branch. The solver leaves
// up to 1e-8 of demands of 5 mm, 5e-5 of a step; curvature of the sliding direction is of the same
// order.
TEST(ContactResponse, is_the_derivative_of_the_contact_solution) {
  ContactResponse solver(20);
  int stuck = 0, slid = 0, compared = 0;
  for (const double friction : {0.0, 0.3, 0.8, 1e3}) {
    for (int count = 1; count <= 20; ++count) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        Tool tool(count, friction, 100 * seed + static_cast<unsigned>(count));
        Eigen::VectorXd lambda = Eigen::VectorXd::Zero(3 * count);
        if (!tool.solve(Vector6::Zero(), lambda)) continue;
        HeldResponse response;
        ASSERT_TRUE(tool.respond(solver, lambda, response));
        const Matrix6 Y = response.free + response.contact;
        double total = 0.0;
        for (int i = 0; i < count; ++i) total += std::max(tool.pressure(lambda, i), 0.0);
        for (int axis = 0; axis < 6; ++axis) {
          const double step = axis < 3 ? 1e-6 : 1e-4;
          const Vector6 d = step * Vector6::Unit(axis);
          Eigen::VectorXd plus = lambda, minus = lambda;
          if (!tool.solve(d, plus) || !tool.solve(-d, minus)) continue;
          bool same = true;
          double change = 0.0;
          for (int i = 0; i < count; ++i) {
            same = same && tool.branch(plus, i) == tool.branch(lambda, i) &&
                   tool.branch(minus, i) == tool.branch(lambda, i);
            change += tool.pressure(plus, i) - tool.pressure(minus, i);
          }
          if (!same) continue;
          ++compared;
          const Vector6 by_difference =
              (tool.motion(d, plus) - tool.motion(-d, minus)) / (2 * step);
          const double scale = axis < 3 ? 1.0 : 0.1;  // what a radian moves [m], or turns
          EXPECT_LT((by_difference - Y.col(axis)).head<3>().norm(), 1e-4 * scale)
              << count << " contacts, friction " << friction << ", axis " << axis;
          EXPECT_LT((by_difference - Y.col(axis)).tail<3>().norm(), 3e-4 * scale / 0.1);
          EXPECT_NEAR(response.release[axis], change / (2 * step) / total,
                      3e-4 * response.release.head<3>().norm());
        }
        for (int i = 0; i < count; ++i) {
          stuck += tool.branch(lambda, i) == 1;
          slid += tool.branch(lambda, i) == 2;
        }
        EXPECT_LT((response.pushed - tool.mobility() * tool.wrench(lambda)).norm(), 1e-15);
      }
    }
  }
  EXPECT_GT(compared, 1800);
  EXPECT_GT(stuck, 400);
  EXPECT_GT(slid, 400);
}

// Two contacts in the same place are one: the compliance has half its rank.
TEST(ContactResponse, redundant_contacts_do_not_change_it) {
  ContactResponse solver(20);
  for (const double friction : {0.0, 0.3, 1e3}) {
    for (const int count : {2, 6, 20}) {
      Tool tool(count, friction, 7, true);
      Eigen::VectorXd lambda = Eigen::VectorXd::Zero(3 * count);
      ASSERT_TRUE(tool.solve(Vector6::Zero(), lambda));
      HeldResponse twice, once;
      ASSERT_TRUE(tool.respond(solver, lambda, twice));
      // All force on one of each pair.
      for (int i = 0; i < count; i += 2) {
        lambda.segment<3>(3 * i) += lambda.segment<3>(3 * i + 3);
        lambda.segment<3>(3 * i + 3).setZero();
      }
      ASSERT_TRUE(tool.respond(solver, lambda, once));
      // What 1e-10 of the compliance makes of motions of the size of 1.
      EXPECT_LT((twice.contact - once.contact).norm(), 1e-6 * twice.contact.norm());
      EXPECT_LT((twice.release - once.release).norm(), 1e-6 * twice.release.norm());
    }
  }
}

TEST(ContactResponse, without_pressure_there_is_none) {
  ContactResponse solver(4);
  Tool tool(4, 0.5, 1);
  HeldResponse response;
  EXPECT_FALSE(tool.respond(solver, Eigen::VectorXd::Zero(12), response));
  EXPECT_FALSE(response.moves());
}

}  // namespace
}  // namespace haptic::condensed

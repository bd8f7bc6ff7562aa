#include "rt/bodies/floating_inertia.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <filesystem>
#include <random>
#include <span>

#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/free_points.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr int kModes = 5;

class FloatingInertiaTest : public ::testing::Test {
 protected:
  FloatingInertiaTest() : folder_(model_folder("floating_inertia")), body_(9, kModes, 4) {
    body_.write(folder_ / "points.h5");
  }
  ~FloatingInertiaTest() override { std::filesystem::remove_all(folder_); }

  Eigen::VectorXd random_state(double size) {
    std::normal_distribution<double> normal;
    return Eigen::VectorXd::NullaryExpr(kModes, [&] { return size * normal(random_); });
  }
  static std::span<const double> values(const Eigen::VectorXd& v) {
    return {v.data(), static_cast<std::size_t>(v.size())};
  }
  FloatingInertia inertia(std::uint32_t kept = kModes) const {
    const ModelFile model(folder_ / "points.h5");
    return FloatingInertia(model, read_rigid_mass(model), kept);
  }

  std::filesystem::path folder_;
  FreePoints body_;
  std::mt19937 random_{8};
};

TEST_F(FloatingInertiaTest, inertia_and_angular_momentum_are_the_sums_over_points) {
  FloatingInertia inertia = this->inertia();
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd q = random_state(2e-3), qdot = random_state(0.3);
    inertia.update(values(q), values(qdot));
    const Matrix3 expected = body_.inertia(q);
    EXPECT_LE((inertia.inertia() - expected).norm(), 1e-13 * expected.norm());
    const Vector3 spin = body_.spin(q, qdot);
    EXPECT_LE((inertia.spin() - spin).norm(), 1e-12 * spin.norm());
  }
}

TEST_F(FloatingInertiaTest, impulse_is_that_of_the_points_in_turning_axes) {
  FloatingInertia inertia = this->inertia();
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd q = random_state(2e-3), qdot = random_state(0.3);
    const Vector3 w = 30.0 * Vector3::Random();
    inertia.update(values(q), values(qdot));
    // Without torque and without q'': the angular momentum is constant.
    Vector3 torque = (inertia.inertia() * w + inertia.spin()).cross(w);
    for (int i = 0; i < body_.masses.size(); ++i) {
      const Vector3 p = body_.position(i, q), v = body_.velocity(i, qdot);
      torque -= body_.masses[i] * (2.0 * p.dot(v) * w - v.dot(w) * p - p.dot(w) * v);
    }
    const Vector3 acceleration = inertia.inertia().inverse() * torque;
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(kModes);
    for (int i = 0; i < body_.masses.size(); ++i) {
      const Vector3 p = body_.position(i, q), v = body_.velocity(i, qdot);
      const Vector3 a = acceleration.cross(p) + 2.0 * w.cross(v) + w.cross(w.cross(p));
      expected -= body_.masses[i] * body_.basis.middleRows(3 * i, 3).transpose() * a;
    }
    // The velocity at the middle of a step of 1e-9 s is off by |w| dt.
    const std::span<const double> impulse = inertia.impulse(w, 1e-9);
    const Eigen::VectorXd found = 1e9 * Eigen::Map<const Eigen::VectorXd>(impulse.data(), kModes);
    EXPECT_LE((found - expected).norm(), 1e-7 * expected.norm());
    EXPECT_GT(expected.norm(), 1e-3);
  }
}

// A q'' = b of all points and their rotation, without the rotation.
TEST_F(FloatingInertiaTest, mass_is_that_of_the_points_while_the_body_turns_freely) {
  FloatingInertia inertia = this->inertia();
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd q = random_state(5e-3);
    inertia.update(values(q), values(random_state(0.3)));
    const Eigen::MatrixXd A = body_.equations(Vector3::Zero(), q, Eigen::VectorXd::Zero(kModes)).A;
    const Eigen::MatrixXd C = A.topRightCorner(3, kModes),
                          turn = A.topLeftCorner<3, 3>().inverse() * C;
    EXPECT_LE((inertia.coupling() - C).norm(), 1e-10 * C.norm());
    EXPECT_LE((inertia.counter_turn() - turn).norm(), 1e-10 * turn.norm());
    const Eigen::MatrixXd expected = A.bottomRightCorner(kModes, kModes) - C.transpose() * turn;
    const Eigen::Map<const Eigen::MatrixXd> mass(inertia.mass().data(), kModes, kModes);
    EXPECT_LE((mass - expected).norm(), 1e-12);
    EXPECT_GT((mass - Eigen::MatrixXd::Identity(kModes, kModes)).norm(), 1e-4);
  }
}

// Where a stretched body is turned inside out, the exact mass is zero.
TEST_F(FloatingInertiaTest, mass_has_a_bound_where_a_body_is_turned_inside_out) {
  const FreePoints body = FreePoints::stretching(10, 1e4, 4);
  body.write(folder_ / "stretching.h5");
  const ModelFile model(folder_ / "stretching.h5");
  FloatingInertia inertia(model, read_rigid_mass(model), 6);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int limited = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::VectorXd q =
        Eigen::VectorXd::NullaryExpr(6, [&] { return 6e-3 * normal(random); });
    const Eigen::VectorXd qdot = Eigen::VectorXd::NullaryExpr(6, [&] { return normal(random); });
    inertia.update(values(q), values(qdot));
    const Eigen::Map<const Eigen::MatrixXd> mass(inertia.mass().data(), 6, 6);
    const double least =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(mass)).eigenvalues()[0];
    ASSERT_GE(least, FloatingInertia::kMinMass * (1.0 - 1e-9)) << trial;
    EXPECT_LE((inertia.coupling() * qdot - inertia.spin()).norm(), 1e-12 * inertia.spin().norm());
    const double part = inertia.spin().norm() / body.spin(q, qdot).norm();
    if (least < FloatingInertia::kMinMass * (1.0 + 1e-9)) {
      ++limited;
      EXPECT_LT(part, 1.0);
    } else {
      EXPECT_NEAR(part, 1.0, 1e-9);
    }
  }
  // Both happen.
  EXPECT_GT(limited, 10);
  EXPECT_LT(limited, 290);
}

// As an impulse it turns the velocity and keeps its length, also in long steps.
TEST_F(FloatingInertiaTest, coriolis_force_does_no_work) {
  FloatingInertia inertia = this->inertia();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(kModes);
  for (const double turn : {0.01, 0.1, 0.3}) {
    const Eigen::VectorXd qdot = random_state(0.3);
    const Vector3 w = turn / 1e-3 * Vector3(0.6, 0.0, -0.8);
    inertia.update(values(rest), values(rest));
    const std::span<const double> alone = inertia.impulse(w, 1e-3);
    const Eigen::VectorXd centrifugal = Eigen::Map<const Eigen::VectorXd>(alone.data(), kModes);
    inertia.update(values(rest), values(qdot));
    const std::span<const double> both = inertia.impulse(w, 1e-3);
    const Eigen::VectorXd after =
        qdot + (Eigen::Map<const Eigen::VectorXd>(both.data(), kModes) - centrifugal);
    EXPECT_GT((after - qdot).norm(), 0.1 * turn * qdot.norm());
    // Six iterations, each of which multiplies the error by at most `turn`.
    EXPECT_NEAR(after.norm(), qdot.norm(), 2.0 * std::pow(turn, 6) * qdot.norm() + 1e-15);
  }
}

TEST_F(FloatingInertiaTest, leading_vectors_are_those_of_a_model_with_no_others) {
  FreePoints fewer = body_;
  fewer.basis = Eigen::MatrixXd(body_.basis.leftCols(3));
  fewer.eigenvalues.resize(3);
  fewer.write(folder_ / "fewer.h5");
  const ModelFile model(folder_ / "fewer.h5");
  FloatingInertia leading = inertia(3), alone(model, read_rigid_mass(model), 3);
  const Eigen::VectorXd q = random_state(2e-3).head(3), qdot = random_state(0.3).head(3);
  leading.update(values(q), values(qdot));
  alone.update(values(q), values(qdot));
  EXPECT_EQ(leading.inertia(), alone.inertia());
  EXPECT_EQ(leading.spin(), alone.spin());
  const Vector3 w(3.0, -20.0, 5.0);
  const auto a = leading.impulse(w, 1e-3), b = alone.impulse(w, 1e-3);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST_F(FloatingInertiaTest, allocates_in_the_constructor_only) {
  FloatingInertia inertia = this->inertia();
  const Eigen::VectorXd q = random_state(2e-3), qdot = random_state(0.3);
  const NoAllocation none;
  inertia.update(values(q), values(qdot));
  (void)inertia.impulse({3.0, -20.0, 5.0}, 1e-3);
}

}  // namespace
}  // namespace haptic

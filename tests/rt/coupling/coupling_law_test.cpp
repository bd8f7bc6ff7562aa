#include "rt/coupling/coupling_law.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/rt/coupling/random_poses.h"

namespace haptic {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Central differences lose h² of truncation and 1e-16/h of rounding; 1e-5 balances the two near
// 1e-10.
constexpr double kDifference = 1e-5;

Matrix3 torque_differences(const Quaternion& q_m, const Quaternion& q_s, const SpringLaw& law) {
  Matrix3 gradient;
  for (int i = 0; i < 3; ++i) {
    const Vector3 w = kDifference * Vector3::Unit(i);
    gradient.col(i) = (coupling_torque(q_m, rotation_exponential(w) * q_s, law) -
                       coupling_torque(q_m, rotation_exponential(-w) * q_s, law)) /
                      (2.0 * kDifference);
  }
  return gradient;
}

Matrix3 force_differences(const Vector3& gap, const SpringLaw& law, double h) {
  Matrix3 gradient;  // of the force with respect to x_s, hence the minus: gap = x_m - x_s
  for (int i = 0; i < 3; ++i) {
    const Vector3 d = h * Vector3::Unit(i);
    gradient.col(i) = (coupling_force(gap - d, law) - coupling_force(gap + d, law)) / (2.0 * h);
  }
  return gradient;
}

TEST(CouplingLaw, torque_gradient_equals_central_differences) {
  RandomPoses random(40);
  for (int i = 0; i < 2000; ++i) {
    const SpringLaw law{random.number(0.1, 10.0)};
    const Quaternion q_m = random.random_sign(random.rotation());
    const Quaternion q_s = random.random_sign(random.rotation(random.number(0.0, 3.0)) * q_m);
    const Matrix3 error =
        coupling_torque_gradient(q_m, q_s, law) - torque_differences(q_m, q_s, law);
    EXPECT_LE(error.norm(), 1e-6 * law.stiffness);
  }
}

TEST(CouplingLaw, torque_does_not_see_the_sign_of_a_quaternion) {
  RandomPoses random(41);
  for (int i = 0; i < 500; ++i) {
    const SpringLaw law{2.0, random.number(0.1, 3.0)};
    const Quaternion q_m = random.rotation(), q_s = random.rotation(random.number(0.0, 3.0)) * q_m;
    const Quaternion minus_m(-q_m.w(), -q_m.x(), -q_m.y(), -q_m.z());
    const Quaternion minus_s(-q_s.w(), -q_s.x(), -q_s.y(), -q_s.z());
    const Vector3 torque = coupling_torque(q_m, q_s, law);
    EXPECT_EQ(torque, coupling_torque(minus_m, q_s, law));
    EXPECT_EQ(torque, coupling_torque(q_m, minus_s, law));
    EXPECT_EQ(torque, coupling_torque(minus_m, minus_s, law));
  }
}

TEST(CouplingLaw, clipped_torque_gradient_equals_central_differences) {
  RandomPoses random(42);
  for (int i = 0; i < 1000; ++i) {
    const SpringLaw law{2.0, 2.0 * std::sin(0.15)};  // clips from a rotation of 0.3 rad on
    const Quaternion q_m = random.rotation();
    const Quaternion q_s = random.rotation(random.number(0.31, 3.0)) * q_m;
    EXPECT_NEAR(coupling_torque(q_m, q_s, law).norm(), law.maximum, 1e-14);
    const Matrix3 error =
        coupling_torque_gradient(q_m, q_s, law) - torque_differences(q_m, q_s, law);
    EXPECT_LE(error.norm(), 1e-6 * law.stiffness);
  }
}

TEST(CouplingLaw, torque_turns_the_shorter_way) {
  // 270 degrees about z is -90 degrees; the product's scalar part is negative.
  const Quaternion q_m(std::cos(0.75 * kPi), 0.0, 0.0, std::sin(0.75 * kPi));
  const Quaternion q_s = Quaternion::Identity();
  ASSERT_LT((q_m * q_s.conjugate()).w(), 0.0);
  const Vector3 torque = coupling_torque(q_m, q_s, {2.0});
  EXPECT_NEAR(torque.z(), -2.0 * std::sin(kPi / 4.0), 1e-14);
  EXPECT_NEAR(torque.head<2>().norm(), 0.0, 1e-15);

  RandomPoses random(43);
  for (int i = 0; i < 500; ++i) {
    const Quaternion m = random.random_sign(random.rotation()),
                     s = random.random_sign(random.rotation());
    const Vector3 w = 1e-3 * coupling_torque(m, s, {2.0});
    EXPECT_LT(m.angularDistance(rotation_exponential(w) * s), m.angularDistance(s));
  }
}

TEST(CouplingLaw, torque_is_k_sin_of_half_the_angle) {
  RandomPoses random(44);
  for (int i = 0; i < 200; ++i) {
    const double angle = random.number(0.0, 3.1);
    const Quaternion q_s = random.rotation();
    const Quaternion q_m = random.rotation(angle) * q_s;
    EXPECT_NEAR(coupling_torque(q_m, q_s, {3.0}).norm(), 3.0 * std::sin(0.5 * angle), 1e-13);
  }
}

RC_GTEST_PROP(CouplingLaw, saturated_force_is_smooth_and_bounded, ()) {
  const double stiffness = 1.0 + *rc::gen::inRange(0, 100000) * 1e-1;
  const double maximum = 0.01 + *rc::gen::inRange(0, 100000) * 1e-4;
  const SpringLaw law{stiffness, maximum, 0.5};
  const double r_lin = maximum / (2.0 * stiffness);
  // Half the plateau at r_lin, and the spring's slope on both sides of it.
  RC_ASSERT(std::abs(saturated_magnitude(r_lin, law) - 0.5 * maximum) <= 1e-6 * maximum);
  const double h = 1e-9 * r_lin;  // h² f'' is far below 1e-6 of the slope
  const double above = (saturated_magnitude(r_lin * (1.0 + 1e-4) + h, law) -
                        saturated_magnitude(r_lin * (1.0 + 1e-4) - h, law)) /
                       (2.0 * h);
  // The slope falls as exp(-1e-4) over that 1e-4; rounding adds 1e-16/1e-9.
  RC_ASSERT(std::abs(above - stiffness * std::exp(-1e-4)) <= 1e-6 * stiffness);
  const double step = 1e-9 * r_lin;
  RC_ASSERT(std::abs(saturated_magnitude(r_lin + step, law) -
                     saturated_magnitude(r_lin - step, law) - 2.0 * step * stiffness) <=
            1e-6 * 2.0 * step * stiffness + 1e-15 * maximum);
  RC_ASSERT(std::abs(saturated_magnitude(1e3 * r_lin, law) - maximum) <= 1e-12 * maximum);
  double last = 0.0;
  for (double r = 0.0; r < 20.0 * r_lin; r += 0.1 * r_lin) {
    const double f = saturated_magnitude(r, law);
    RC_ASSERT(f >= last && f <= maximum);
    last = f;
  }
}

TEST(CouplingLaw, values_at_multiples_of_r_lin) {
  const SpringLaw law{500.0, 1.0, 0.5};
  const double r_lin = 1e-3;
  EXPECT_NEAR(saturated_magnitude(2 * r_lin, law), 0.816, 5e-4);
  EXPECT_NEAR(saturated_magnitude(3 * r_lin, law), 0.932, 5e-4);
  EXPECT_NEAR(saturated_magnitude(5 * r_lin, law), 0.991, 5e-4);
  EXPECT_NEAR(saturated_magnitude(10 * r_lin, law), 0.99994, 5e-6);
}

TEST(CouplingLaw, saturated_gradient_equals_central_differences) {
  RandomPoses random(45);
  for (int i = 0; i < 2000; ++i) {
    const SpringLaw law{random.number(10.0, 5000.0), random.number(0.05, 10.0), 0.5};
    const double r_lin = law.maximum / (2.0 * law.stiffness);
    double rho = random.number(0.0, 12.0);
    if (std::abs(rho - 1.0) < 1e-3) rho = 2.0;  // the second derivative jumps there
    const Vector3 gap = rho * r_lin * random.direction();
    const Matrix3 exact = coupling_force_gradient(gap, law);
    const Matrix3 differences = force_differences(gap, law, 1e-5 * r_lin);
    // The transverse stiffness f/r is the norm of the matrix, at least k / 12 here.
    EXPECT_LE((exact - differences).norm(), 1e-6 * exact.norm()) << "r / r_lin = " << rho;
  }
  EXPECT_EQ(coupling_force_gradient(Vector3::Zero(), {400.0, 1.0}),
            Matrix3(-400.0 * Matrix3::Identity()));
}

TEST(CouplingLaw, secants_reproduce_the_law_along_the_gap) {
  RandomPoses random(46);
  for (int i = 0; i < 500; ++i) {
    const SpringLaw law{500.0, 1.0, 0.5};
    const Vector3 gap = random.vector(0.02);
    EXPECT_LE((coupling_force_secant(gap, law) * -gap - coupling_force(gap, law)).norm(), 1e-13);
    const SpringLaw turn{2.0, 0.3};
    const double angle = random.number(0.0, 3.0);
    const Vector3 axis = random.direction();
    const Quaternion q_s = random.rotation(), q_m = rotation_exponential(angle * axis) * q_s;
    // A Newton step of the unclipped law is 2 tan(theta/2) about the axis, clipped or not.
    const Vector3 step =
        coupling_torque_secant(q_m, q_s, turn).lu().solve(-coupling_torque(q_m, q_s, turn));
    EXPECT_LE((step - 2.0 * std::tan(0.5 * angle) * axis).norm(), 1e-9 * (1.0 + step.norm()));
  }
}

// The default: the spring up to the largest force, and that force beyond.
TEST(CouplingLaw, a_limit_changes_nothing_below_it) {
  const SpringLaw law{500.0, 2.0};
  const Vector3 along = Vector3(1.0, 2.0, -2.0) / 3.0;
  for (const double r : {1e-6, 1e-3, 3.99e-3}) {
    EXPECT_EQ(coupling_force(r * along, law), Vector3(500.0 * (r * along)));
    EXPECT_EQ(coupling_force_gradient(r * along, law), Matrix3(-500.0 * Matrix3::Identity()));
  }
  for (const double r : {4.01e-3, 0.1, 10.0}) {
    EXPECT_LE((coupling_force(r * along, law) - 2.0 * along).norm(), 1e-14);
    EXPECT_LE((coupling_force_secant(r * along, law) + 2.0 / r * Matrix3::Identity()).norm(),
              1e-12 / r);
    // Only its direction changes.
    EXPECT_LE((coupling_force_gradient(r * along, law) * along).norm(), 1e-12 / r);
  }
}

TEST(CouplingLaw, an_infinite_plateau_is_the_linear_spring) {
  const SpringLaw law{400.0};
  const Vector3 gap(1.0, -2.0, 30.0);
  EXPECT_EQ(coupling_force(gap, law), Vector3(400.0 * gap));
  EXPECT_EQ(coupling_force_gradient(gap, law), Matrix3(-400.0 * Matrix3::Identity()));
  EXPECT_EQ(coupling_force_secant(gap, law), Matrix3(-400.0 * Matrix3::Identity()));
}

}  // namespace
}  // namespace haptic

// Free rotation of needles, bricks and plates against closed forms and an independent integration.
#include "rt/bodies/free_rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "rt/bodies/free_body.h"

namespace haptic {
namespace {

constexpr double kRates[] = {250.0, 1000.0, 4000.0};

Matrix3 inertia_of_box(const Vector3& size, double density = 1000.0) {
  const Vector3 squared = size.cwiseAbs2();
  return density * size.prod() / 12.0 *
         Matrix3((squared.sum() * Vector3::Ones() - squared).asDiagonal());
}

FreeBody thrown(const Matrix3& inertia, const Vector3& angular, double dt) {
  RigidMass mass;
  mass.mass = 0.01;
  mass.inertia = inertia;
  return FreeBody(mass, Pose{}, {Vector3::Zero(), angular}, Vector3::Zero(), dt);
}

void run(FreeBody& body, int steps) {
  for (int i = 0; i < steps; ++i) {
    (void)body.prepare();
    ASSERT_TRUE(body.complete(body.drift()));
  }
}

/// Euler's equations and the orientation by Runge-Kutta of order 4, in small steps.
struct Reference {
  Matrix3 inertia, inverse;
  Vector3 w;                                        // model axes
  Eigen::Vector4d q = Eigen::Vector4d(0, 0, 0, 1);  // x, y, z, w

  Reference(const Matrix3& I, const Vector3& angular)
      : inertia(I), inverse(I.inverse()), w(angular) {}
  void integrate(double time, int steps) {
    const auto rate = [&](const Eigen::Matrix<double, 7, 1>& s) {
      const Vector3 a = s.head<3>();
      const Quaternion turn = Quaternion(s[6], s[3], s[4], s[5]) *
                              Quaternion(0.0, 0.5 * a.x(), 0.5 * a.y(), 0.5 * a.z());
      Eigen::Matrix<double, 7, 1> d;
      d << -inverse * a.cross(inertia * a), turn.coeffs();
      return d;
    };
    Eigen::Matrix<double, 7, 1> s;
    s << w, q;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const auto k1 = rate(s), k2 = rate(s + 0.5 * h * k1), k3 = rate(s + 0.5 * h * k2),
                 k4 = rate(s + h * k3);
      s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    w = s.head<3>();
    q = s.tail<4>().normalized();
  }
  Quaternion orientation() const { return {q[3], q[0], q[1], q[2]}; }
};

/// A needle, inertia 512 : 1, that tumbles and spins: both rates are constant, so the orientation
/// is exp(t L / I) exp(t w_z (1 - I_z / I)). To the rounding of 2,000 steps and, in L_z, of 512 :
/// 1; from slow to 0.9 rad a step.
TEST(FreeRotation, a_needle_tumbles_and_spins_as_a_symmetric_top) {
  const Matrix3 inertia = inertia_of_box({0.0025, 0.0025, 0.08});
  ASSERT_GT(inertia(0, 0) / inertia(2, 2), 510.0);
  for (const double hz : kRates) {
    for (const double tumble : {0.01, 0.1, 0.3, 0.9}) {  // rad a step
      for (const double spin : {0.0, 1e-3, 20.0, 150.0}) {
        const Vector3 w(0.6 * tumble * hz, 0.8 * tumble * hz, spin);
        if (w.norm() > hz) continue;  // more than kMaxRotation
        FreeBody body = thrown(inertia, w, 1.0 / hz);
        const Vector3 momentum = body.angular_momentum();
        const double energy = body.energy();
        run(body, 2000);
        EXPECT_EQ(body.angular_momentum(), momentum);
        EXPECT_NEAR(body.energy(), energy, 1e-9 * energy);
        EXPECT_NEAR(body.angular_velocity_in_body().z(), spin, 1e-9 * w.norm());
        const double t = 2000.0 / hz, I = inertia(0, 0);
        const Quaternion expected =
            rotation_exponential(t / I * momentum) *
            rotation_exponential({0.0, 0.0, t * spin * (1.0 - inertia(2, 2) / I)});
        EXPECT_LT(rotation_logarithm(body.pose().orientation * expected.conjugate()).norm(), 1e-7)
            << hz << ' ' << tumble << ' ' << spin;
      }
    }
  }
}

/// Needles that are not quite round, bricks, plates: 1,000 steps against Euler's equations.
TEST(FreeRotation, follows_eulers_equations) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const Vector3& size : {Vector3(0.0025, 0.003, 0.08), Vector3(0.04, 0.03, 0.02),
                              Vector3(0.1, 0.06, 0.002), Vector3(0.05, 0.049, 0.051)}) {
    const Quaternion turned =
        Quaternion(normal(random), normal(random), normal(random), normal(random)).normalized();
    const Matrix3 R = turned.toRotationMatrix(), inertia = R * inertia_of_box(size) * R.transpose();
    for (const double hz : kRates) {
      for (const double speed : {0.02, 0.1}) {  // rad a step
        Vector3 w(normal(random), normal(random), normal(random));
        w *= speed * hz / w.norm();
        FreeBody body = thrown(inertia, w, 1.0 / hz);
        Reference reference(inertia, w);
        run(body, 1000);
        reference.integrate(1000.0 / hz, 200'000);
        const double error =
            rotation_logarithm(body.pose().orientation * reference.orientation().conjugate())
                .norm();
        EXPECT_LT(error, speed < 0.05 ? 2e-5 : 2e-2) << size.transpose() << ' ' << hz;
        EXPECT_LT((body.angular_velocity_in_body() - reference.w).norm(),
                  (speed < 0.05 ? 2e-5 : 2e-2) * w.norm());
      }
    }
  }
}

/// Complete elliptic integral K(m), by the arithmetic-geometric mean.
double complete_elliptic(double m) {
  double a = 1.0, b = std::sqrt(1.0 - m);
  for (int i = 0; i < 20; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 0.5 * std::numbers::pi / a;
}

/// A box that is thrown about its middle axis turns over at the times that elliptic functions give.
TEST(FreeRotation, turns_over_about_the_middle_axis_in_the_time_of_the_theory) {
  const Matrix3 inertia = inertia_of_box({0.02, 0.05, 0.08});  // I_x > I_y > I_z
  const Vector3 I = inertia.diagonal();
  for (const double hz : kRates) {
    for (const double turn : {0.01, 0.05, 0.2}) {  // rad a step
      const Vector3 w(1e-3 * turn * hz, turn * hz, 2e-3 * turn * hz);
      const double L2 = I.cwiseProduct(w).squaredNorm(), E2 = I.dot(w.cwiseAbs2());
      double least = I.z(), most = I.x();
      if (L2 < E2 * I.y()) std::swap(least, most);
      const double rate = std::sqrt((most - I.y()) * (L2 - E2 * least) / I.prod());
      const double m = (I.y() - least) * (E2 * most - L2) / ((most - I.y()) * (L2 - E2 * least));
      const double expected = 2.0 * complete_elliptic(m) / rate;
      FreeBody body = thrown(inertia, w, 1.0 / hz);
      const double energy = body.energy();
      double before = w.y(), first = -1.0, last = 0.0, worst = 0.0;
      int count = 0;
      for (int i = 1; count < 12 && i < 100'000; ++i) {
        run(body, 1);
        worst = std::max(worst, std::abs(body.energy() / energy - 1.0));
        const double now = body.angular_velocity_in_body().y();
        if (before * now < 0.0) {
          last = (i - now / (now - before)) / hz;
          if (count++ == 0) first = last;
        }
        before = now;
      }
      ASSERT_EQ(count, 12);
      EXPECT_NEAR((last - first) / 11.0, expected, (turn < 0.1 ? 1e-4 : 5e-3) * expected)
          << hz << ' ' << turn;
      EXPECT_LT(worst, turn < 0.1 ? 1e-6 : 1e-4);
    }
  }
}

/// Any inertia that a body can have, thrown at random at up to 0.3 rad a step: |L| to the bit,
/// energy to 1e-4 over 5,000 steps.
TEST(FreeRotation, keeps_momentum_and_energy_for_any_inertia) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  double worst = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Vector3 size(0.1 * std::pow(10.0, -2.0 * uniform(random)),
                       0.1 * std::pow(10.0, -2.0 * uniform(random)), 0.1);
    const double hz = kRates[i % 3];
    Vector3 w(normal(random), normal(random), normal(random));
    w *= 0.3 * uniform(random) * hz / w.norm();
    FreeBody body = thrown(inertia_of_box(size), w, 1.0 / hz);
    const Vector3 momentum = body.angular_momentum();
    const double energy = body.energy();
    for (int k = 0; k < 5000; ++k) {
      run(body, 1);
      worst = std::max(worst, std::abs(body.energy() / energy - 1.0));
    }
    EXPECT_EQ(body.angular_momentum(), momentum);
  }
  EXPECT_LT(worst, 1e-4);
  RecordProperty("energy", std::to_string(worst));
}

/// With a rotor: w = I^-1 L - spin, compared with small steps.
TEST(FreeRotation, a_rotor_turns_the_body_back) {
  const Matrix3 inertia = inertia_of_box({0.04, 0.03, 0.02});
  const Vector3 w(8.0, -5.0, 12.0), rotor = inertia * Vector3(3.0, 1.0, -2.0);
  const auto after = [&](double dt) {
    FreeBody body = thrown(inertia, w, dt);
    body.deform(inertia, rotor);
    run(body, static_cast<int>(std::lround(0.5 / dt)));
    return body.pose().orientation;
  };
  const Quaternion exact = after(1e-5);
  const auto error = [&](double dt) {
    return rotation_logarithm(after(dt) * exact.conjugate()).norm();
  };
  EXPECT_LT(error(1e-3), 1e-4);
  EXPECT_NEAR(error(4e-3) / error(2e-3), 4.0, 0.5);
}

/// More than kMaxRotation in a step is refused, also where the rotation itself would be small
/// again.
TEST(FreeRotation, a_turn_that_a_step_cannot_show_is_refused) {
  const Matrix3 inertia = inertia_of_box({0.0025, 0.0025, 0.08});
  for (const double turn : {1.1, 3.0, 6.2, 6.3, 50.0}) {
    FreeBody body = thrown(inertia, {1000.0 * turn, 0.0, 0.0}, 1e-3);
    (void)body.prepare();
    EXPECT_FALSE(body.complete(body.drift())) << turn;
  }
}

}  // namespace
}  // namespace haptic

#include "rt/device/arm/serial_link.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

// Phantom Premium 1.5, Çavuşoğlu et al. 2002 (docs/methods/devices.md, "Reference arms").
SerialLinkSettings phantom() {
  SerialLinkSettings s;
  s.joints.resize(3);
  s.joints[0].axis = {0.0, 0.0, 1.0};
  s.joints[1].axis = {0.0, -1.0, 0.0};
  s.joints[2].axis = {0.0, -1.0, 0.0};
  s.joints[2].offset = {0.215, 0.0, 0.0};
  s.joints[2].coupling = {0.0, -1.0, 1.0};
  s.tool = {0.0, 0.0, -0.170};
  return s;
}

// WoodenHaptics (haptikfabrikenapi), with its links' masses.
SerialLinkSettings wooden_haptics() {
  SerialLinkSettings s;
  s.joints.resize(3);
  s.joints[0].offset = {0.0, 0.0, 0.080};
  s.joints[1].axis = {0.0, 1.0, 0.0};
  s.joints[1].mass = 0.17;
  s.joints[1].centre = {0.0, 0.0, 0.051};
  s.joints[2].offset = {0.0, 0.0, 0.205};
  s.joints[2].axis = {0.0, 1.0, 0.0};
  s.joints[2].coupling = {0.0, -1.0, -1.0};
  s.joints[2].mass = 0.11;
  s.joints[2].centre = {0.0, 0.0, -0.091};
  s.tool = {0.0, 0.0, -0.245};
  return s;
}

SerialLinkSettings slides() {
  SerialLinkSettings s;
  s.joints.resize(3);
  for (int k = 0; k < 3; ++k) {
    s.joints[static_cast<std::size_t>(k)].slides = true;
    s.joints[static_cast<std::size_t>(k)].axis = Vector3::Unit(k);
    s.joints[static_cast<std::size_t>(k)].mass = 0.2;
  }
  return s;
}

// Six joints in general position: turning and sliding, coupled.
SerialLinkSettings six_joints() {
  SerialLinkSettings s;
  s.joints.resize(6);
  for (std::size_t k = 0; k < 6; ++k) {
    const double x = static_cast<double>(k);
    s.joints[k].slides = k == 3;
    s.joints[k].axis = {std::cos(1.3 * x), std::sin(2.1 * x + 1.0), std::cos(0.7 * x * x)};
    s.joints[k].offset = {0.05 * std::sin(x), 0.08, 0.03 * std::cos(2.0 * x)};
    s.joints[k].zero = 0.1 * x;
    s.joints[k].coupling.assign(6, 0.0);
    s.joints[k].coupling[k] = 1.0;
    if (k > 0) s.joints[k].coupling[k - 1] = -0.4;
    s.joints[k].mass = 0.05 * (1.0 + x);
    s.joints[k].centre = {0.02, -0.01 * x, 0.03};
  }
  s.tool = {0.01, 0.02, 0.05};
  return s;
}

SerialLink::Placement placed(const SerialLink& link, const std::vector<double>& q) {
  SerialLink::Placement placement;
  link.place(q, placement);
  return placement;
}

TEST(SerialLink, places_the_phantom_as_the_published_model_does) {
  const SerialLink link(phantom());
  const double degree = std::numbers::pi / 180.0;
  // 5e-7: the vectors are printed to six decimals.
  const auto expect = [&](const std::vector<double>& q, const Vector3& p) {
    EXPECT_LT((placed(link, q).position - p).cwiseAbs().maxCoeff(), 5.1e-7);
  };
  expect({0.0, 0.0, 0.0}, {0.215, 0.0, -0.17});
  expect({0.1, 0.2, 0.3}, {0.259649, 0.026052, -0.119693});
  expect({0.0, 30.0 * degree, -20.0 * degree}, {0.128052, 0.0, -0.052248});
}

TEST(SerialLink, places_wooden_haptics_as_its_published_formula_does) {
  const SerialLink link(wooden_haptics());
  const double ln = 0.080, lb = 0.205, lc = 0.245;
  for (double a = -1.0; a <= 1.0; a += 0.25) {
    for (double b = -0.9; b <= 0.9; b += 0.3) {
      for (double c = 0.3; c <= 2.5; c += 0.55) {
        const double reach = lb * std::sin(b) + lc * std::sin(c);
        const Vector3 p(std::cos(a) * reach, std::sin(a) * reach,
                        ln + lb * std::cos(b) - lc * std::cos(c));
        // 1e-15: rounding of a dozen operations on tenths of a metre.
        ASSERT_LT((placed(link, {a, b, c}).position - p).norm(), 1e-15 * 10);
      }
    }
  }
}

TEST(SerialLink, slides_along_its_axes) {
  const SerialLink link(slides());
  const SerialLink::Placement at = placed(link, {0.1, -0.2, 0.3});
  EXPECT_EQ(at.position, Vector3(0.1, -0.2, 0.3));
  EXPECT_EQ((Matrix3(at.jacobian.topRows<3>())), (Matrix3(Matrix3::Identity())));
  EXPECT_EQ((Matrix3(at.jacobian.bottomRows<3>())), (Matrix3(Matrix3::Zero())));
  // Only the third slide rises; it carries its own mass.
  EXPECT_NEAR(at.gravity[2], 0.2 * 9.80665, 1e-15);
  EXPECT_EQ(at.gravity[0], 0.0);
}

TEST(SerialLink, jacobians_are_the_derivatives_of_the_place) {
  const double h = 1e-6;
  for (const SerialLinkSettings& s : {phantom(), wooden_haptics(), slides(), six_joints()}) {
    const SerialLink link(s);
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> q(link.axes());
      for (std::size_t k = 0; k < q.size(); ++k) {
        q[k] = 0.8 * std::sin(1.7 * trial + 2.3 * static_cast<double>(k));
      }
      const SerialLink::Placement at = placed(link, q);
      for (std::size_t k = 0; k < q.size(); ++k) {
        std::vector<double> up = q, down = q;
        up[k] += h;
        down[k] -= h;
        const SerialLink::Placement above = placed(link, up), below = placed(link, down);
        Vector6 difference;
        difference << (above.position - below.position) / (2.0 * h),
            rotation_logarithm(above.orientation * below.orientation.conjugate()) / (2.0 * h);
        // Central differences: h² of truncation (1e-12) and eps/h of rounding (2e-10).
        ASSERT_LT((at.jacobian.col(static_cast<Eigen::Index>(k)) - difference).norm(), 2e-9);
      }
    }
  }
}

// Height of every mass, found by hanging the handle on it.
double potential(const SerialLinkSettings& settings, const std::vector<double>& q) {
  double energy = 0.0;
  for (std::size_t k = 0; k < settings.joints.size(); ++k) {
    SerialLinkSettings upto = settings;
    for (std::size_t j = k + 1; j < settings.joints.size(); ++j) {
      upto.joints[j].offset.setZero();
      upto.joints[j].coupling.assign(settings.joints.size(), 0.0);
      upto.joints[j].coupling[j] = 1.0;
      upto.joints[j].zero = 0.0;
    }
    std::vector<double> coordinates = q;
    for (std::size_t j = k + 1; j < q.size(); ++j) coordinates[j] = 0.0;
    upto.tool = settings.joints[k].centre;
    // Couplings of the joints kept read coordinates up to their own, or the arm is not of this
    // test.
    energy -= settings.joints[k].mass *
              settings.gravity.dot(placed(SerialLink(upto), coordinates).position);
  }
  return energy;
}

TEST(SerialLink, gravity_is_the_derivative_of_the_potential) {
  const double h = 1e-5;
  for (const SerialLinkSettings& s : {wooden_haptics(), slides(), six_joints()}) {
    const SerialLink link(s);
    std::vector<double> q(link.axes());
    for (int trial = 0; trial < 20; ++trial) {
      for (std::size_t k = 0; k < q.size(); ++k) {
        q[k] = 0.7 * std::cos(0.9 * trial + static_cast<double>(k));
      }
      const SerialLink::Placement at = placed(link, q);
      for (std::size_t k = 0; k < q.size(); ++k) {
        std::vector<double> up = q, down = q;
        up[k] += h;
        down[k] -= h;
        // Rounding of joules over 2h: 1e-16 / 2e-5, and truncation of h².
        ASSERT_NEAR(at.gravity[static_cast<Eigen::Index>(k)],
                    (potential(s, up) - potential(s, down)) / (2.0 * h), 1e-9);
      }
    }
  }
}

TEST(SerialLink, finds_the_joint_outside_its_range) {
  SerialLinkSettings s = phantom();
  s.joints[2].minimum = -1.134;  // of q3 - q2
  s.joints[2].maximum = 0.96;
  const SerialLink link(s);
  EXPECT_EQ(link.out_of_range(std::array{0.0, 1.0, 0.0}, 0.0), 3u);
  EXPECT_EQ(link.out_of_range(std::array{0.0, 1.2, 0.0}, 0.0), 2u);
  EXPECT_EQ(link.out_of_range(std::array{0.0, 1.2, 0.0}, 0.1), 3u);
}

TEST(SerialLink, refuses_impossible_chains) {
  SerialLinkSettings s = phantom();
  s.joints[1].axis.setZero();
  EXPECT_THROW(SerialLink{s}, InputError);
  s = phantom();
  s.joints[2].coupling = {0.0, 0.0, 0.0};  // nothing moves the forearm
  EXPECT_THROW(SerialLink{s}, InputError);
  s = phantom();
  s.joints[2].coupling = {0.0, 1.0};
  EXPECT_THROW(SerialLink{s}, InputError);
  s = phantom();
  s.joints[0].offset.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SerialLink{s}, InputError);
  EXPECT_THROW(SerialLink{SerialLinkSettings{}}, InputError);
}

TEST(SerialLink, places_without_allocating) {
  const SerialLink link(six_joints());
  const std::array<double, 6> q{0.1, 0.2, 0.3, 0.1, 0.5, 0.6};
  SerialLink::Placement placement;
  NoAllocation guard;
  link.place(q, placement);
  EXPECT_EQ(link.out_of_range(q, 0.0), 6u);
}

}  // namespace
}  // namespace haptic

#include "rt/geometry/point_shell.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <numbers>

#include "lab/oracle/contact_scene.h"
#include "shared/error.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kLength = 1.0, kHalfWidth = 0.05;

double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

std::vector<double> random_coordinates(Random& random, std::uint32_t r, double size) {
  std::uniform_real_distribution<double> u(-size, size);
  std::vector<double> q(r);
  for (double& value : q) value = u(random);
  return q;
}

/// Least-squares coordinates of the beam bent into a circular arc of total angle `angle` in x-z,
/// cross-sections rigid and normal to the arc.
std::vector<double> arc_coordinates(const std::vector<Mode>& modes, double angle) {
  const double curvature = angle / kLength;
  const int along = 40, across = 5;
  Eigen::MatrixXd A(3 * along * across, modes.size());
  Eigen::VectorXd b(A.rows());
  for (int i = 0; i < along; ++i) {
    for (int c = 0; c < across; ++c) {
      const Vector3 p(kLength * i / (along - 1), 0.0, kHalfWidth * (2.0 * c / (across - 1) - 1.0));
      const double t = curvature * p.x();
      const Vector3 bent(std::sin(t) / curvature - p.z() * std::sin(t), 0.0,
                         (1.0 - std::cos(t)) / curvature + p.z() * std::cos(t));
      const int row = 3 * (i * across + c);
      b.segment<3>(row) = bent - p;
      for (std::size_t j = 0; j < modes.size(); ++j) {
        A.block<3, 1>(row, static_cast<Eigen::Index>(j)) = modes[j].displacement(p);
      }
    }
  }
  const Eigen::VectorXd q = A.colPivHouseholderQr().solve(b);
  return {q.data(), q.data() + q.size()};
}

Matrix3 deformation_gradient(const std::vector<Mode>& modes, const std::vector<double>& q,
                             const Vector3& p) {
  Matrix3 F = Matrix3::Identity();
  for (std::size_t j = 0; j < modes.size(); ++j) F += q[j] * modes[j].gradient(p);
  return F;
}

TEST(PointShell, position_equals_the_full_product) {
  // Dimensions on both sides of the groups of four, and none.
  for (std::uint32_t r : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 15u, 20u, 30u, 31u}) {
    Random random(20 + r);
    ShellData data = random_beam(random, kLength, kHalfWidth, 50);
    std::uniform_real_distribution<float> u(-2.0f, 2.0f);
    data.r = r;
    data.displacement.resize(data.points.size() * r);
    data.normal_correction.resize(data.points.size() * r);
    for (float& value : data.displacement) value = u(random);
    for (float& value : data.normal_correction) value = u(random);
    const PointShell shell = data.view();
    const std::vector<double> q = random_coordinates(random, r, 1.0);
    const ModalCoordinates coordinates(q);
    for (std::uint32_t s = 0; s < shell.size(); ++s) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        long double expected = data.points[3 * s + i];
        for (std::uint32_t j = 0; j < r; ++j) {
          expected += static_cast<long double>(data.displacement[(3 * s + i) * r + j]) * q[j];
        }
        ASSERT_NEAR(shell.position(s, coordinates)[i], static_cast<double>(expected), 1e-12);
      }
    }
  }
}

TEST(PointShell, normals_of_a_bent_beam_against_the_exact_ones) {
  Random random(21);
  const std::vector<Mode> modes = bending_modes();
  ASSERT_EQ(modes.size(), 15u);
  ShellData data = random_beam(random, kLength, kHalfWidth, 5000);
  data.set_modes(modes);
  const PointShell shell = data.view();
  const std::vector<double> q = arc_coordinates(modes, std::numbers::pi / 2.0);
  const ModalCoordinates coordinates(q);
  double worst = 0.0, largest_turn = 0.0;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    const Vector3 n = shell.normal(s, coordinates), rest = shell.rest_normal(s);
    const Matrix3 F = deformation_gradient(modes, q, shell.rest_position(s));
    worst = std::max(worst, angle_between(n, F.inverse().transpose() * rest));
    largest_turn = std::max(largest_turn, angle_between(n, rest));
    ASSERT_NEAR(n.norm(), 1.0, 1e-14);
  }
  const double degrees = 180.0 / std::numbers::pi;
  RecordProperty("worst_degrees", std::to_string(worst * degrees));
  EXPECT_GT(largest_turn * degrees, 85.0);
  EXPECT_LT(worst * degrees, 5.2);  // the largest of Barbic 2007, Fig. 3.7
}

TEST(PointShell, pure_rotation_turns_normals_exactly) {
  Random random(210);
  ShellData data = random_beam(random, kLength, kHalfWidth, 500);
  data.set_modes(affine_modes());
  const PointShell shell = data.view();
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix3 R = random_pose(random, 0.0).orientation.toRotationMatrix();
    std::vector<double> q;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) q.push_back(R(i, j) - (i == j ? 1.0 : 0.0));
    }
    const ModalCoordinates coordinates(q);
    for (std::uint32_t s = 0; s < shell.size(); ++s) {
      ASSERT_LT(angle_between(shell.normal(s, coordinates), R * shell.rest_normal(s)), 1e-6);
      ASSERT_LT((shell.position(s, coordinates) - R * shell.rest_position(s)).norm(), 1e-6);
    }
  }
}

TEST(PointShell, normals_turn_continuously_with_q) {
  Random random(22);
  const std::vector<Mode> modes = bending_modes();
  ShellData data = random_beam(random, kLength, kHalfWidth, 300);
  data.set_modes(modes);
  const PointShell shell = data.view();
  const int steps = 400;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    Vector3 before = shell.rest_normal(s).normalized();
    std::vector<double> q_before(modes.size(), 0.0);
    const Eigen::Map<const Eigen::Matrix<float, 3, Eigen::Dynamic, Eigen::RowMajor>> block(
        shell.normal_correction(s), 3, static_cast<Eigen::Index>(modes.size()));
    const std::vector<double> end = arc_coordinates(modes, 2.0);
    for (int i = 1; i <= steps; ++i) {
      std::vector<double> q = end;
      double moved = 0.0;
      for (std::size_t j = 0; j < q.size(); ++j) {
        q[j] *= double(i) / steps;
        moved += (q[j] - q_before[j]) * (q[j] - q_before[j]);
      }
      const Vector3 n = shell.normal(s, ModalCoordinates(q));
      // |dn| <= |DN| |dq| / |n'|; along this sweep |n'| stays above 1/2.
      ASSERT_LE(angle_between(n, before),
                2.0 * block.cast<double>().norm() * std::sqrt(moved) + 1e-7);
      ASSERT_GT(n.dot(before), 0.99);
      before = n;
      q_before = q;
    }
  }
}

TEST(PointShell, a_vanishing_normal_falls_back_to_rest) {
  Random random(6);
  ShellData data = random_beam(random, kLength, kHalfWidth, 20);
  data.set_modes(affine_modes());
  const PointShell shell = data.view();
  // G = -I collapses the body to its origin.
  const std::vector<double> q = {-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0};
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    EXPECT_LT((shell.normal(s, ModalCoordinates(q)) - shell.rest_normal(s)).norm(), 1e-6);
  }
}

TEST(PointShell, refuses_invalid_data) {
  Random random(7);
  ShellData good = random_beam(random, kLength, kHalfWidth, 20);
  good.set_modes(bending_modes());
  EXPECT_NO_THROW(good.view());
  ShellData bad = good;
  bad.points.pop_back();
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.normals[3] *= 1.01f;
  bad.normals[4] *= 1.01f;
  bad.normals[5] *= 1.01f;
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.displacement.pop_back();
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.normal_correction.clear();
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.r = 0;  // a rigid shell with modal blocks
  EXPECT_THROW(bad.view(), InputError);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto member : {&ShellData::points, &ShellData::normals, &ShellData::displacement,
                      &ShellData::normal_correction}) {
    bad = good;
    (bad.*member)[7] = nan;
    EXPECT_THROW(bad.view(), InputError);
  }
  EXPECT_THROW(ShellData().view(), InputError);
}

}  // namespace
}  // namespace haptic

#include "rt/device/falcon/kinematics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/samples/published_kinematics.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
const FalconGeometry kFalcon;

struct GoldenPose {
  Vector3 position;
  Vector3 degrees;
  Vector3 counts;
};

// docs/methods/devices.md, "Reference positions".
const GoldenPose kGoldenPoses[] = {
    {{0, 0, .075}, {-18.319, -18.319, -18.319}, {-1463, -1463, -1463}},
    {{0, 0, .10}, {8.008, 8.008, 8.008}, {-741, -741, -741}},
    {{0, 0, .11}, {16.188, 16.188, 16.188}, {-516, -516, -516}},
    {{0, 0, .125}, {27.709, 27.709, 27.709}, {-200, -200, -200}},
    {{0, 0, .15}, {47.243, 47.243, 47.243}, {336, 336, 336}},
    {{0, 0, .17}, {66.756, 66.756, 66.756}, {872, 872, 872}},
    {{.03, 0, .11}, {26.688, -1.217, 33.966}, {-228, -994, -28}},
    {{0, .03, .11}, {-.903, 25.543, 34.775}, {-985, -260, -6}},
    {{.03, -.02, .12}, {45.947, 6.566, 34.026}, {300, -780, -27}},
    {{-.04, .03, .13}, {16.806, 64.634, 40.666}, {-499, 813, 156}},
};

// Calls f with a grid of positions in the rated workspace: 5 cm about (0, 0, .12).
template <typename F>
int over_workspace(const F& f) {
  int points = 0;
  constexpr int kSteps = 12;
  for (int i = -kSteps; i <= kSteps; ++i) {
    for (int j = -kSteps; j <= kSteps; ++j) {
      for (int k = -kSteps; k <= kSteps; ++k) {
        const Vector3 offset = 0.05 / kSteps * Vector3(i, j, k);
        if (offset.norm() > 0.05) continue;
        f(Vector3(Vector3(0, 0, 0.12) + offset));
        ++points;
      }
    }
  }
  return points;
}

TEST(FalconKinematics, golden_angles_and_counts) {
  const FalconKinematics kinematics(kFalcon);
  for (const GoldenPose& golden : kGoldenPoses) {
    Vector3 angles;
    ASSERT_TRUE(kinematics.inverse(golden.position, angles));
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(kDegrees * angles[i], golden.degrees[i], 5.1e-4);  // the table's last digit
      EXPECT_EQ(std::lround(kinematics.count(angles[i])), std::lround(golden.counts[i]));
    }
  }
}

TEST(FalconKinematics, counts_at_zero_are_13_46_cm_out) {
  const FalconKinematics kinematics(kFalcon);
  EXPECT_NEAR(kDegrees * kFalcon.radians_per_count, 0.0364347, 5e-8);
  Vector3 position{0, 0, 0.11};
  ASSERT_TRUE(kinematics.forward(Vector3::Constant(kinematics.angle(0)), position));
  EXPECT_NEAR(position.x(), 0.0, 1e-12);
  EXPECT_NEAR(position.y(), 0.0, 1e-12);
  EXPECT_NEAR(position.z(), 0.134602, 5e-7);
}

TEST(FalconKinematics, golden_jacobian_and_torques) {
  const FalconKinematics kinematics(kFalcon);
  Vector3 angles;
  Matrix3 jacobian;
  ASSERT_TRUE(kinematics.inverse({0, 0, .11}, angles, jacobian));
  const Matrix3 grip_per_joint = jacobian.inverse();
  Matrix3 golden;
  golden << .01549, -.05272, .03724, -.05194, .01256, .03938, .02418, .02418, .02418;
  EXPECT_LT((grip_per_joint - golden).cwiseAbs().maxCoeff(), 5.1e-6);  // its last digit
  const Vector3 sideways = grip_per_joint.transpose() * Vector3(8.9, 0, 0);
  EXPECT_LT((sideways - Vector3(.138, -.469, .331)).cwiseAbs().maxCoeff(), 6e-4);
  const Vector3 outwards = grip_per_joint.transpose() * Vector3(0, 0, 8.9);
  EXPECT_LT((outwards - Vector3::Constant(.215)).cwiseAbs().maxCoeff(), 6e-4);
  EXPECT_NEAR(kFalcon.radians_per_count * grip_per_joint.col(0).norm(), 37.7e-6, 0.05e-6);
}

TEST(FalconKinematics, forward_inverts_inverse_kinematics_over_the_workspace) {
  const FalconKinematics kinematics(kFalcon);
  const int points = over_workspace([&](const Vector3& p) {
    Vector3 angles, position{0, 0, 0.12};
    ASSERT_TRUE(kinematics.inverse(p, angles)) << p.transpose();
    ASSERT_TRUE(kinematics.forward(angles, position)) << p.transpose();
    // A step below 1e-10 m was the last: the error left is its square over some millimetres.
    ASSERT_LT((position - p).norm(), 1e-12) << p.transpose();
  });
  EXPECT_GT(points, 7000);
}

TEST(FalconKinematics, force_is_exact_where_the_published_formula_is_not) {
  const FalconKinematics kinematics(kFalcon);
  double worst = 0.0, published_across = 0.0, published_along = 0.0, published_leak = 0.0;
  over_workspace([&](const Vector3& p) {
    Vector3 angles;
    Matrix3 jacobian;
    ASSERT_TRUE(kinematics.inverse(p, angles, jacobian));
    const Matrix3 exact = oracle_jacobian(kFalcon, p), published = published_jacobian(kFalcon, p);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 force = Vector3::Unit(axis);
      worst = std::max(worst, (felt_force(jacobian, exact, force) - force).norm());
      const Vector3 wrong = felt_force(published, exact, force) - force;
      published_across = std::max(published_across, wrong.head<2>().norm());
      double& z = axis == 2 ? published_along : published_leak;
      z = std::max(z, std::abs(wrong.z()));
    }
  });
  RecordProperty("worst_force_error", fmt::format("{:.3g}", worst));
  RecordProperty("published_error_along_z", fmt::format("{:.3g}", published_along));
  RecordProperty("published_error_from_x_y_to_z", fmt::format("{:.3g}", published_leak));
  EXPECT_LT(worst, 1e-6);             // the contract; some 1e-9 of it is the oracle's own
  EXPECT_LT(published_across, 1e-6);  // its first two columns are right
  EXPECT_GT(published_along, 0.3);
  EXPECT_GT(published_leak, 0.3);
}

TEST(FalconKinematics, the_published_formula_fails_as_it_is_known_to) {
  // docs/methods/devices.md, "Jacobian of the legs". On the axis: newtons felt for 1 N along z.
  const auto felt = [](const Vector3& p, int axis) {
    return felt_force(published_jacobian(kFalcon, p), oracle_jacobian(kFalcon, p),
                      Vector3::Unit(axis));
  };
  EXPECT_NEAR(felt({0, 0, .11}, 2).z(), 1.34, 5e-3);
  EXPECT_NEAR(felt({0, 0, .09}, 2).z(), 1.37, 5e-3);
  EXPECT_NEAR(felt({0, 0, .15}, 2).z(), 1.18, 5e-3);
  // Off it: the vector below is what is felt along z for 1 N asked for along x, y and z. With
  // torque = J^T F the wrong third column of J^-1 spoils the third component of every force.
  const Vector3 along_z{-.295, .059, .994};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(felt({-.04, .03, .13}, axis).z(), along_z[axis], 6e-4);
  }
}

TEST(FalconKinematics, impossible_angles_are_refused_without_side_effect) {
  const FalconKinematics kinematics(kFalcon);
  Vector3 angles{1, 2, 3};
  Matrix3 jacobian = Matrix3::Constant(4.0);
  EXPECT_FALSE(kinematics.inverse({0, 0, .5}, angles, jacobian));
  EXPECT_FALSE(kinematics.inverse({0, 0, .01}, angles));
  EXPECT_FALSE(kinematics.inverse({std::nan(""), 0, .1}, angles));
  EXPECT_EQ(angles, Vector3(1, 2, 3));
  EXPECT_EQ(jacobian, Matrix3(Matrix3::Constant(4.0)));
  Vector3 position{0, 0, .12};
  EXPECT_FALSE(kinematics.forward({2.5, -1.0, 2.5}, position));
  EXPECT_FALSE(kinematics.forward({std::nan(""), 0, 0}, position));
  EXPECT_FALSE(kinematics.forward({HUGE_VAL, 0, 0}, position));
  EXPECT_EQ(position, Vector3(0, 0, .12));
}

TEST(FalconKinematics, does_not_allocate) {
  const FalconKinematics kinematics(kFalcon);
  Vector3 angles, position{0, 0, 0.11};
  Matrix3 jacobian;
  bool good = false;
  {
    NoAllocation guard;
    good = kinematics.inverse({.03, -.02, .12}, angles, jacobian) &&
           kinematics.forward(angles, position);
  }
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace haptic

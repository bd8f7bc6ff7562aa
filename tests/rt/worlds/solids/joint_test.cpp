#include "rt/worlds/solids/joint.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <functional>
#include <random>

namespace haptic::solids {
namespace {

class Joints : public ::testing::Test {
 protected:
  static constexpr JointType kTypes[] = {JointType::kBall, JointType::kHinge, JointType::kPrismatic,
                                         JointType::kOrientation};

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vector3 vector(double size) {
    return size * Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
  }
  Pose pose() { return {vector(1.0), rotation_exponential(vector(3.0))}; }
  /// A pose within `size` of another one.
  Pose near(const Pose& other, double size) {
    return {other.position + vector(size),
            (rotation_exponential(vector(size)) * other.orientation).normalized()};
  }
  JointSettings settings(JointType type, bool published = false) {
    JointSettings s;
    s.type = type;
    s.point = vector(1.0);
    s.axis = vector(1.0).normalized();
    s.published_form = published;
    return s;
  }
  static Vector6 unit(int k, double size) {
    Vector6 z = Vector6::Zero();
    z[k] = size;
    return z;
  }
  /// Central difference of a function of both motions.
  static JointRow difference(const std::function<double(const Vector6&, const Vector6&)>& f) {
    constexpr double h = 1e-6;
    JointRow row;
    const Vector6 rest = Vector6::Zero();
    row.error = f(rest, rest);
    for (int k = 0; k < 6; ++k) {
      row.first[k] = (f(unit(k, h), rest) - f(unit(k, -h), rest)) / (2.0 * h);
      row.second[k] = (f(rest, unit(k, h)) - f(rest, unit(k, -h))) / (2.0 * h);
    }
    return row;
  }
  static void expect_same(const JointRow& row, const JointRow& expected) {
    EXPECT_NEAR(row.error, expected.error, 1e-14);
    // Central differences of step 1e-6: 1e-12 of the third derivative, 1e-10 of rounding.
    EXPECT_LE((row.first - expected.first).norm(), 1e-8);
    EXPECT_LE((row.second - expected.second).norm(), 1e-8);
  }

  std::mt19937 random_{7};
};

TEST_F(Joints, rows_are_the_derivatives_of_their_errors_also_where_the_joint_is_open) {
  for (int run = 0; run < 200; ++run) {
    const JointType type = kTypes[run % 4];
    const Pose a = pose(), b = pose();
    const Joint joint(settings(type, run % 8 == 2), a, b);
    const double target = type == JointType::kOrientation ? uniform(-3.0, 3.0) : 0.0;
    const Pose open_a = near(a, 0.4), open_b = near(b, 0.4);
    const JointSide first = joint.first(open_a, vector(1.0));
    const JointSide second = joint.second(open_b, vector(1.0));
    std::array<JointRow, Joint::kMaxRows> rows;
    joint.rows(first, second, target, rows);
    for (std::uint32_t i = 0; i < joint.size(); ++i) {
      expect_same(rows[i], difference([&](const Vector6& x, const Vector6& y) {
                    std::array<double, Joint::kMaxRows> errors{};
                    joint.errors(first.moved(x), second.moved(y), target, errors);
                    return errors[i];
                  }));
    }
  }
}

TEST_F(Joints, the_coordinate_of_a_servo_has_its_derivatives) {
  for (int run = 0; run < 100; ++run) {
    const bool slides = run % 2 == 0;
    const Pose a = pose(), b = pose();
    const JointSettings s = settings(slides ? JointType::kPrismatic : JointType::kHinge);
    const Joint joint(s, a, b);
    // The angle of a hinge is that of a closed one.
    const Vector3 axis = (a.orientation * (a.orientation.conjugate() * s.axis)).eval();
    const double by = uniform(-3.0, 3.0);
    Pose moved = b;
    if (slides) {
      moved = near(b, 0.3);
    } else {
      const Quaternion turn = rotation_exponential(by * axis);
      moved.orientation = turn * b.orientation;
      moved.position = s.point + turn * (b.position - s.point);
    }
    const JointSide first = joint.first(a, vector(1.0)), second = joint.second(moved, vector(1.0));
    const JointRow row = joint.coordinate(first, second);
    expect_same(row, difference([&](const Vector6& x, const Vector6& y) {
                  return joint.coordinate(first.moved(x), second.moved(y)).error;
                }));
    if (!slides) {
      EXPECT_NEAR(row.error, by, 1e-12);
    }
  }
}

TEST_F(Joints, have_the_rank_of_their_type_and_pull_both_bodies_with_opposite_forces) {
  const int ranks[] = {3, 5, 5, 3};
  for (int run = 0; run < 80; ++run) {
    const int type = run % 4;
    const bool published = run % 8 == 2;
    const Pose a = pose(), b = pose();
    const Joint joint(settings(kTypes[type], published), a, b);
    const JointSide first = joint.first(a, a.position), second = joint.second(b, b.position);
    std::array<JointRow, Joint::kMaxRows> rows;
    joint.rows(first, second, 0.0, rows);
    Eigen::MatrixXd J(joint.size(), 12);
    for (std::uint32_t i = 0; i < joint.size(); ++i) {
      EXPECT_NEAR(rows[i].error, 0.0, 1e-14);
      J.row(i) << rows[i].first.transpose(), rows[i].second.transpose();
      // Momentum is kept, and angular momentum about any point, here the first body's.
      EXPECT_EQ(Vector3(rows[i].first.head<3>()), Vector3(-rows[i].second.head<3>()));
      const Vector3 torque = rows[i].first.tail<3>() + rows[i].second.tail<3>() +
                             (b.position - a.position).cross(rows[i].second.head<3>());
      EXPECT_LE(torque.norm(), 1e-14);
    }
    EXPECT_EQ(joint.size(), published ? 8u : static_cast<std::uint32_t>(ranks[type]));
    const Eigen::VectorXd singular = J.jacobiSvd().singularValues();
    int rank = 0;
    for (Eigen::Index i = 0; i < singular.size(); ++i) rank += singular[i] > 1e-3 ? 1 : 0;
    EXPECT_EQ(rank, ranks[type]);
  }
}

TEST_F(Joints, a_common_motion_and_one_along_the_free_directions_leave_them_closed) {
  for (int run = 0; run < 80; ++run) {
    const JointType type = kTypes[run % 4];
    Pose a = pose(), b = pose();
    const JointSettings s = settings(type, run % 8 == 2);
    const Joint joint(s, a, b);
    const double by = uniform(-2.0, 2.0);
    const Quaternion turn = rotation_exponential(
        type == JointType::kBall ? vector(2.0)
                                 : Vector3((type == JointType::kPrismatic ? 0.0 : by) * s.axis));
    b.orientation = turn * b.orientation;
    b.position = s.point + turn * (b.position - s.point);
    if (type == JointType::kPrismatic) b.position += by * s.axis;
    if (type == JointType::kOrientation) b.position += vector(1.0);
    const Pose common = pose();
    for (Pose* body : {&a, &b}) {
      body->position = common.to_world(body->position);
      body->orientation = common.orientation * body->orientation;
    }
    std::array<double, Joint::kMaxRows> errors{};
    joint.errors(joint.first(a, Vector3::Zero()), joint.second(b, Vector3::Zero()),
                 type == JointType::kOrientation ? by : 0.0, errors);
    for (std::uint32_t i = 0; i < joint.size(); ++i) EXPECT_NEAR(errors[i], 0.0, 1e-13);
  }
}

}  // namespace
}  // namespace haptic::solids

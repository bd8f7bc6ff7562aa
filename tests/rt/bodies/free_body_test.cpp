#include "rt/bodies/free_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "host/artifact/model_writer.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kStep = 1e-3;

RigidMass brick() {
  RigidMass brick;
  brick.mass = 0.3;
  brick.centre = {0.01, -0.02, 0.005};
  brick.inertia = Vector3(1e-4, 2e-4, 2.5e-4).asDiagonal();
  return brick;
}

FreeBody spinning(const RigidMass& mass, const Vector3& angular, double dt = kStep) {
  return FreeBody(mass, Pose{}, {Vector3::Zero(), angular}, Vector3::Zero(), dt);
}

void drift(FreeBody& body, int steps) {
  for (int i = 0; i < steps; ++i) {
    (void)body.prepare();
    ASSERT_TRUE(body.complete(body.drift()));
  }
}

TEST(FreeBody, falls_by_backward_euler) {
  const Vector3 g(0.0, 1.0, -9.81), v(0.2, 0.0, 1.0);
  FreeBody body(brick(), Pose{{1.0, 2.0, 3.0}, Quaternion::Identity()}, {v, Vector3::Zero()}, g,
                kStep);
  const Vector3 start = body.centre();
  drift(body, 500);
  const Vector3 fallen = start + 0.5 * v + 0.5 * 500.0 * 501.0 * kStep * kStep * g;
  EXPECT_LE((body.centre() - fallen).norm(), 1e-12);  // rounding of 500 sums
  EXPECT_LE((body.momentum() - 0.3 * (v + 0.5 * g)).norm(), 1e-12);
  EXPECT_LE((body.twist().linear - (v + 0.5 * g)).norm(), 1e-12);
}

TEST(FreeBody, turns_about_its_centre_of_mass_and_about_a_principal_axis_at_constant_speed) {
  for (const double speed : {0.1, 10.0, 500.0}) {
    FreeBody body = spinning(brick(), {0.0, speed, 0.0});
    const Vector3 centre = body.centre();
    drift(body, 1000);
    EXPECT_LE((body.centre() - centre).norm(), 1e-12);
    const Quaternion expected = rotation_exponential({0.0, speed, 0.0});
    EXPECT_LE(rotation_logarithm(body.pose().orientation * expected.conjugate()).norm(), 1e-9);
    // The model origin circles about the centre.
    const Vector3 origin = body.twist().linear;
    EXPECT_NEAR(origin.norm(), speed * std::hypot(0.01, 0.005), 1e-9 * speed);
  }
}

TEST(FreeBody, keeps_its_angular_momentum_and_over_a_long_time_its_energy) {
  // About the intermediate axis, disturbed: it turns over again and again.
  FreeBody body = spinning(brick(), {0.2, 20.0, 0.1});
  const Vector3 momentum = body.angular_momentum();
  const double energy = body.energy();
  double least_y = 1.0, worst = 0.0;
  for (int i = 0; i < 200; ++i) {
    drift(body, 100);
    worst = std::max(worst, std::abs(body.energy() / energy - 1.0));
    least_y = std::min(least_y, (body.pose().orientation * Vector3::UnitY()).y());
  }
  EXPECT_EQ((body.angular_momentum() - momentum).norm(), 0.0);  // no torque is added to it
  EXPECT_LT(least_y, -0.9);
  // (h w)^4 = 1.6e-7 of it oscillates, times the small constant of the method.
  EXPECT_LE(worst, 1e-9);
}

TEST(FreeBody, free_rotation_is_of_fourth_order) {
  const auto after = [](double dt) {
    FreeBody body = spinning(brick(), {8.0, 15.0, -6.0}, dt);
    drift(body, static_cast<int>(std::lround(0.8 / dt)));
    return body.pose().orientation;
  };
  const Quaternion exact = after(1e-4);
  const auto error = [&](double dt) {
    return rotation_logarithm(after(dt) * exact.conjugate()).norm();
  };
  const double coarse = error(0.02), fine = error(0.01);
  EXPECT_NEAR(coarse / fine, 16.0, 2.0);
  EXPECT_LT(fine, 1e-5);
}

TEST(FreeBody, a_wrench_changes_the_momenta_by_its_impulse) {
  FreeBody body = spinning(brick(), {1.0, -2.0, 3.0});
  const Vector3 before = body.angular_momentum();
  const FreeBody::StepSystem system = body.prepare();
  EXPECT_EQ((system.matrix - system.matrix.transpose()).norm(), 0.0);
  Vector6 wrench;
  wrench << 1.0, 2.0, -3.0, 0.01, 0.02, -0.03;
  const Vector6 z = system.matrix.inverse() * (system.load + wrench);
  ASSERT_TRUE(body.complete(z));
  EXPECT_LE((body.momentum() - kStep * wrench.head<3>()).norm(), 1e-15);
  // |A z| is 1e2 N·m, so rounding leaves 1e-14 N·m s.
  EXPECT_LE((body.angular_momentum() - before - kStep * wrench.tail<3>()).norm(), 1e-15);
}

TEST(FreeBody, a_step_that_is_not_finite_or_turns_too_far_changes_nothing) {
  FreeBody body = spinning(brick(), {1.0, 0.0, 0.0});
  drift(body, 10);
  (void)body.prepare();
  const Pose pose = body.pose();
  const Vector3 momentum = body.momentum(), angular = body.angular_momentum();
  Vector6 far = Vector6::Zero(), nan = Vector6::Zero();
  far[4] = 1.01 * FreeBody::kMaxRotation;
  nan[1] = std::numeric_limits<double>::quiet_NaN();
  for (const Vector6& z : {far, nan}) {
    EXPECT_FALSE(body.complete(z));
    EXPECT_EQ(body.pose().position, pose.position);
    EXPECT_EQ(body.pose().orientation.coeffs(), pose.orientation.coeffs());
    EXPECT_EQ(body.momentum(), momentum);
    EXPECT_EQ(body.angular_momentum(), angular);
  }
}

TEST(FreeBody, a_reset_gives_the_start_and_no_step_allocates) {
  FreeBody body(brick(), Pose{{1.0, 0.0, 0.0}, rotation_exponential({0.1, 0.2, 0.3})},
                {{1.0, 0.0, 0.0}, {0.0, 3.0, 0.0}}, {0.0, 0.0, -9.81}, kStep);
  const double energy = body.energy();
  NoAllocation guard;
  for (int i = 0; i < 100; ++i) {
    (void)body.prepare();
    EXPECT_TRUE(body.complete(body.drift()));
  }
  body.reset();
  EXPECT_EQ(body.pose().position, Vector3(1.0, 0.0, 0.0));
  EXPECT_EQ(body.energy(), energy);
}

TEST(FreeBody, a_mass_or_inertia_that_no_body_has_is_refused) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("haptic_free_body" + std::to_string(getpid()) + ".h5");
  const auto refusal = [&](double mass, std::vector<double> inertia) -> std::string {
    {
      ModelWriter writer(path);
      writer.add("/rigid/mass", std::vector<double>{mass}, {1});
      writer.add("/rigid/centre", std::vector<double>(3, 0.0), {3});
      writer.add("/rigid/inertia", inertia, {3, 3});
      writer.commit();
    }
    try {
      (void)read_rigid_mass(ModelFile(path));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const auto diagonal = [](double x, double y, double z) {
    return std::vector<double>{x, 0, 0, 0, y, 0, 0, 0, z};
  };
  EXPECT_EQ(refusal(0.1, diagonal(1e-5, 2e-5, 2.5e-5)), "");
  EXPECT_EQ(refusal(0.1, diagonal(1e-5, 2e-5, 3e-5)), "");  // flat
  EXPECT_EQ(refusal(1e-9, diagonal(1e-19, 1e-19, 1e-19)), "");
  for (const double mass : {0.0, -1.0}) {
    EXPECT_THAT(refusal(mass, diagonal(1, 1, 1)), testing::HasSubstr("/rigid/mass"));
  }
  for (const auto& bad : {diagonal(0, 0, 0), diagonal(1, 1, 0), diagonal(1, -1, 1),
                          diagonal(1, 2, 3.01), std::vector<double>{1, 0.1, 0, 0, 1, 0, 0, 0, 1},
                          std::vector<double>{1, 0.9, 0, 0.9, 1, 0, 0, 0, 1}}) {
    EXPECT_THAT(refusal(0.1, bad), testing::HasSubstr("/rigid/inertia")) << bad[0] << bad[4];
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace haptic

#include "rt/device/motor_stage.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<double, 1> kStanding{0.0};
constexpr double kDt = 0.001;  // s

MotorLimits torque_only(double torque) {
  MotorLimits limits;
  limits.torque = torque;
  return limits;
}

double shaped(MotorStage& stage, double torque, double velocity = 0.0, double elapsed_s = kDt) {
  std::array<double, 1> t{torque};
  const std::array<double, 1> v{velocity};
  EXPECT_EQ(stage.shape(t, v, elapsed_s), DeviceStatus::kOk);
  return t[0];
}

TEST(MotorStage, torque_within_the_limits_passes_unchanged_and_excess_is_cut) {
  const std::array<MotorLimits, 3> limits{torque_only(0.1), torque_only(0.2), torque_only(0.0)};
  MotorStage stage(limits, 0.001);
  std::array<double, 3> torque{0.05, -0.3, 1.0};
  const std::array<double, 3> velocity{1.0, 2.0, -3.0};
  EXPECT_EQ(stage.shape(torque, velocity, kDt), DeviceStatus::kOk);
  EXPECT_EQ(torque, (std::array<double, 3>{0.05, -0.2, 0.0}));
  EXPECT_TRUE(stage.limited());
  torque = {0.1, 0.2, 0.0};
  EXPECT_EQ(stage.shape(torque, velocity, kDt), DeviceStatus::kOk);
  EXPECT_FALSE(stage.limited());
}

TEST(MotorStage, slew_limits_the_change_and_zero_acts_immediately) {
  MotorLimits limits = torque_only(1.0);
  limits.slew = 100.0;
  MotorStage stage(std::span(&limits, 1), 0.001);
  for (int k = 1; k <= 10; ++k) EXPECT_NEAR(shaped(stage, 5.0), 0.1 * k, 1e-12);
  EXPECT_NEAR(shaped(stage, -5.0), 0.9, 1e-12);
  stage.zero(kDt);
  EXPECT_NEAR(shaped(stage, -5.0), -0.1, 1e-12);
}

TEST(MotorStage, power_is_limited_where_the_motor_drives_and_not_where_it_brakes) {
  MotorLimits limits = torque_only(0.5);
  limits.power = 2.0;
  MotorStage stage(std::span(&limits, 1), 0.001);
  EXPECT_EQ(shaped(stage, 0.5, 4.0), 0.5);   // 2 W exactly
  EXPECT_EQ(shaped(stage, 0.5, 10.0), 0.2);  // 2 W / 10 rad/s
  EXPECT_EQ(shaped(stage, -0.5, -10.0), -0.2);
  EXPECT_EQ(shaped(stage, -0.5, 10.0), -0.5);  // brakes
}

TEST(MotorStage, power_wins_over_slew) {
  MotorLimits limits = torque_only(0.5);
  limits.power = 1.0;
  limits.slew = 1.0;  // 0.001 N·m a step
  MotorStage stage(std::span(&limits, 1), 0.001);
  for (int k = 0; k < 500; ++k) shaped(stage, 0.5);
  EXPECT_EQ(shaped(stage, 0.5, 10.0), 0.1);
}

TEST(MotorStage, a_winding_warms_as_one_thermal_mass_does) {
  MotorLimits limits = torque_only(1.0);
  limits.torque_constant = 0.05;
  limits.resistance = 2.0;
  limits.thermal_resistance = 10.0;
  limits.thermal_time_s = 20.0;
  limits.ambient_C = 25.0;
  MotorStage stage(std::span(&limits, 1), 0.001);
  // 0.05 N·m = 1 A, 2 W at 25 °C. With R(T): tau T' = (Ta + P Rth (1 + a (T - 25))) - T, that is
  // T - 25 = B/(1 - aB) (1 - exp(-(1 - aB) t / tau)), B = P Rth = 20 K, a = 0.00393 1/K.
  const double b = 20.0, gain = 1.0 - 0.00393 * b;
  shaped(stage, 0.05);
  EXPECT_EQ(stage.temperature(0), 25.0);  // nothing has acted yet
  for (int k = 1; k <= 60'000; ++k) {
    shaped(stage, 0.05);
    if (k % 10'000 != 0) continue;
    const double exact = 25.0 + b / gain * (1.0 - std::exp(-gain * k * 0.001 / 20.0));
    EXPECT_NEAR(stage.temperature(0), exact, 1e-9);
  }
  stage.zero(0.0);
  const double hot = stage.temperature(0) - 25.0;
  for (int k = 0; k < 20'000; ++k) stage.zero(kDt);
  EXPECT_NEAR(stage.temperature(0) - 25.0, hot * std::exp(-1.0), 1e-9);
}

// The clock decides how long a torque acted, not how many outputs there were.
TEST(MotorStage, a_winding_warms_by_the_elapsed_time_after_missed_slots) {
  MotorLimits limits = torque_only(1.0);
  limits.torque_constant = 0.05;
  limits.resistance = 2.0;
  limits.thermal_resistance = 10.0;
  limits.thermal_time_s = 20.0;
  MotorStage stage(std::span(&limits, 1), kDt), one_gap(std::span(&limits, 1), kDt);
  shaped(stage, 0.05);
  shaped(one_gap, 0.05);
  double time = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double elapsed = k % 10 == 3 ? 0.057 : k % 10 == 7 ? 0.0 : 0.0011;
    time += elapsed;
    shaped(stage, 0.05, 0.0, elapsed);
  }
  shaped(one_gap, 0.05, 0.0, time);
  const double b = 20.0, gain = 1.0 - 0.00393 * b;
  const double exact = 25.0 + b / gain * (1.0 - std::exp(-gain * time / 20.0));
  EXPECT_NEAR(time, 6.58, 1e-9);  // in 1,000 outputs
  EXPECT_NEAR(stage.temperature(0), exact, 1e-9);
  EXPECT_NEAR(one_gap.temperature(0), exact, 1e-9);
}

TEST(MotorStage, a_gap_of_any_length_gives_a_finite_temperature) {
  MotorLimits limits = torque_only(1.0);
  limits.torque_constant = 0.05;
  limits.resistance = 2.0;
  limits.thermal_resistance = 10.0;
  limits.max_C = 120.0;
  for (const double torque : {0.0, 0.05, 0.5, 1.0}) {  // 1 N·m: thermal runaway
    for (const double gap : {1e-9, 1.0, 1e4, 1e9}) {
      MotorStage stage(std::span(&limits, 1), kDt);
      shaped(stage, torque);
      std::array<double, 1> out{torque};
      const DeviceStatus status = stage.shape(out, kStanding, gap);
      EXPECT_TRUE(std::isfinite(stage.temperature(0))) << torque << " for " << gap;
      EXPECT_GE(stage.temperature(0), 25.0);
      EXPECT_EQ(status == DeviceStatus::kOverheated, stage.temperature(0) > 120.0);
    }
  }
  MotorStage stage(std::span(&limits, 1), kDt);
  for (const double bad : {-1e-3, kNotANumber, kInfinity}) {
    std::array<double, 1> out{0.1};
    EXPECT_EQ(stage.shape(out, kStanding, bad), DeviceStatus::kBadValue);
    EXPECT_EQ(out[0], 0.0);
  }
}

TEST(MotorStage, a_late_output_changes_no_more_than_one_on_time) {
  MotorLimits limits = torque_only(1.0);
  limits.slew = 100.0;
  MotorStage stage(std::span(&limits, 1), kDt);
  EXPECT_NEAR(shaped(stage, 5.0, 0.0, 0.05), 0.1, 1e-12);
  EXPECT_NEAR(shaped(stage, 5.0, 0.0, 0.0005), 0.15, 1e-12);
  EXPECT_NEAR(shaped(stage, 5.0, 0.0, 0.0), 0.15, 1e-12);
}

TEST(MotorStage, too_warm_is_zero_for_every_motor_until_it_has_cooled) {
  std::array<MotorLimits, 2> limits{torque_only(1.0), torque_only(1.0)};
  limits[1].torque_constant = 0.05;
  limits[1].resistance = 2.0;
  limits[1].thermal_resistance = 10.0;
  limits[1].thermal_time_s = 1.0;
  limits[1].max_C = 80.0;
  MotorStage stage(limits, 0.001);
  const std::array<double, 2> still{0.0, 0.0};
  std::array<double, 2> torque{};
  int steps = 0;
  do {
    torque = {0.3, 0.2};  // 4 A, 32 W: 320 K above ambient and rising
    ASSERT_LT(++steps, 1000);
  } while (stage.shape(torque, still, kDt) == DeviceStatus::kOk);
  EXPECT_EQ(torque, (std::array<double, 2>{0.0, 0.0}));
  EXPECT_GT(stage.temperature(1), 80.0);
  // As above with B = 320 K, 1 - aB = -0.2576, tau = 1 s: 55 K are reached at 0.16823 s; the step
  // that crosses is the 169th, the call after it refuses.
  EXPECT_NEAR(steps, 170, 1);  // one more or less: first order in dt
  torque = {0.3, 0.2};
  while (stage.shape(torque, still, kDt) == DeviceStatus::kOverheated) {
    EXPECT_EQ(torque, (std::array<double, 2>{0.0, 0.0}));
    EXPECT_GT(stage.temperature(1), 80.0);
    torque = {0.3, 0.2};
  }
  EXPECT_LE(stage.temperature(1), 80.0);
  EXPECT_EQ(torque[0], 0.3);
}

TEST(MotorStage, a_value_that_is_not_finite_becomes_zero_and_is_reported) {
  const std::array<MotorLimits, 2> limits{torque_only(1.0), torque_only(1.0)};
  MotorStage stage(limits, 0.001);
  for (const double bad : {kNotANumber, kInfinity, -kInfinity}) {
    std::array<double, 2> torque{0.5, bad};
    const std::array<double, 2> still{0.0, 0.0};
    EXPECT_EQ(stage.shape(torque, still, kDt), DeviceStatus::kBadValue);
    EXPECT_EQ(torque, (std::array<double, 2>{0.0, 0.0}));
    torque = {0.5, 0.5};
    EXPECT_EQ(stage.shape(torque, std::array<double, 2>{bad, 0.0}, kDt), DeviceStatus::kBadValue);
    EXPECT_EQ(torque, (std::array<double, 2>{0.0, 0.0}));
  }
  std::array<double, 1> few{0.5};
  EXPECT_EQ(stage.shape(few, kStanding, kDt), DeviceStatus::kBadValue);
  EXPECT_EQ(few[0], 0.0);
}

TEST(MotorStage, refuses_invalid_limits) {
  const auto refused = [](auto change) {
    MotorLimits limits = torque_only(1.0);
    change(limits);
    EXPECT_THROW(MotorStage(std::span(&limits, 1), 0.001), InputError);
  };
  refused([](MotorLimits& m) { m.torque = -1.0; });
  refused([](MotorLimits& m) { m.torque = kNotANumber; });
  refused([](MotorLimits& m) { m.slew = 0.0; });
  refused([](MotorLimits& m) { m.power = -1.0; });
  refused([](MotorLimits& m) { m.torque_constant = 0.0; });
  refused([](MotorLimits& m) { m.thermal_time_s = 0.0; });
  refused([](MotorLimits& m) { m.max_C = 20.0; });
  const MotorLimits good = torque_only(1.0);
  EXPECT_THROW(MotorStage(std::span(&good, 1), 0.0), InputError);
}

TEST(MotorStage, with_zero_power_a_motor_brakes_and_never_drives) {
  MotorLimits limits = torque_only(0.5);
  limits.power = 0.0;
  limits.slew = 100.0;
  MotorStage stage(std::span(&limits, 1), 0.001);
  for (int k = 1; k <= 4; ++k) EXPECT_NEAR(shaped(stage, -0.5, 3.0), -0.1 * k, 1e-12);
  EXPECT_EQ(shaped(stage, -0.5, -3.0), 0.0);  // turned round: at once, whatever the slew
  EXPECT_EQ(shaped(stage, -0.5, -3.0), 0.0);
}

TEST(MotorStage, no_input_exceeds_a_limit) {
  EXPECT_TRUE(rc::check("every limit holds on any sequence", [] {
    MotorLimits limits;
    limits.torque = *rc::gen::inRange(0, 1000) * 1e-3;
    limits.slew = *rc::gen::inRange(1, 100'000) * 1e-2;
    limits.power = *rc::gen::inRange(0, 1000) * 1e-2;
    MotorStage stage(std::span(&limits, 1), 0.001);
    double last = 0.0;
    for (int k = 0; k < 50; ++k) {
      std::array<double, 1> torque{*rc::gen::arbitrary<double>()};
      const std::array<double, 1> velocity{*rc::gen::arbitrary<double>()};
      const DeviceStatus status = stage.shape(torque, velocity, kDt);
      RC_ASSERT(std::abs(torque[0]) <= limits.torque);
      if (status != DeviceStatus::kOk) {
        RC_ASSERT(torque[0] == 0.0);
      } else {
        // Rounding of one quotient and one product.
        RC_ASSERT(torque[0] * velocity[0] <= limits.power * (1.0 + 1e-12));
        // The power wins over the change: with no power allowed, a motor that would drive is at 0.
        const bool by_power =
            velocity[0] != 0.0 && torque[0] * velocity[0] >= limits.power * (1.0 - 1e-12);
        RC_ASSERT(by_power || std::abs(torque[0] - last) <= limits.slew * 0.001 + 1e-15);
      }
      last = torque[0];
    }
  }));
}

TEST(MotorStage, an_output_does_not_allocate) {
  const std::array<MotorLimits, 3> limits{torque_only(0.1), torque_only(0.1), torque_only(0.1)};
  MotorStage stage(limits, 0.001);
  std::array<double, 3> torque{0.2, 0.2, 0.2};
  const std::array<double, 3> velocity{1.0, 1.0, 1.0};
  const NoAllocation guard;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(stage.shape(torque, velocity, kDt), DeviceStatus::kOk);
    stage.zero(kDt);
  }
}

}  // namespace
}  // namespace haptic

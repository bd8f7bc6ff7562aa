#include "rt/device/comedi/analog_scale.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "rt/device/comedi/counter_unwrap.h"
#include "shared/error.h"

namespace haptic {
namespace {

TEST(AnalogScale, golden_codes_of_fourteen_bits) {
  const AnalogScale scale(-10.0, 10.0, 16383, 10.0);  // as comedi_from_phys
  EXPECT_EQ(scale.code(0.0), 8192u);
  EXPECT_EQ(scale.code(99.0), 16383u);
  EXPECT_EQ(scale.code(-99.0), 0u);
  EXPECT_EQ(scale.code(10.0), 16383u);
  EXPECT_EQ(scale.code(-10.0), 0u);
  EXPECT_EQ(scale.zero(), 8192u);
}

TEST(AnalogScale, the_626_has_its_zero_elsewhere) {
  const AnalogScale scale(-10.0, 10.0, 16383, 10.0, 8191);  // Sensoray 626
  EXPECT_EQ(scale.code(0.0), 8191u);
  EXPECT_EQ(scale.code(1e-9), 8191u);
  EXPECT_EQ(scale.code(20.0 / 16383.0), 8192u);
}

TEST(AnalogScale, refuses_a_value_that_is_not_finite) {
  const AnalogScale scale(-10.0, 10.0, 65535, 10.0);
  for (const double v :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(scale.code(v), scale.zero());
  }
}

TEST(AnalogScale, clamps_in_volts_and_codes) {
  const AnalogScale scale(-10.0, 10.0, 16383, 2.5);
  // 12.5 / 20 * 16383 = 10239.4, 7.5 / 20 * 16383 = 6143.6.
  EXPECT_EQ(scale.code(9.0), 10239u);
  EXPECT_EQ(scale.code(-9.0), 6144u);
  const AnalogScale unipolar(0.0, 5.0, 4095, 5.0);
  EXPECT_EQ(unipolar.code(-3.0), 0u);
  EXPECT_EQ(unipolar.zero(), 0u);
}

TEST(AnalogScale, every_code_is_reproduced) {
  const AnalogScale scale(-10.0, 10.0, 4095, 10.0);
  for (std::uint32_t code = 0; code <= 4095; ++code) {
    ASSERT_EQ(scale.code(scale.volts(code)), code);
  }
}

TEST(AnalogScale, refuses_ranges_without_zero_and_wrong_limits) {
  EXPECT_THROW(AnalogScale(1.0, 5.0, 4095, 5.0), InputError);
  EXPECT_THROW(AnalogScale(-10.0, 10.0, 4095, 11.0), InputError);
  EXPECT_THROW(AnalogScale(-10.0, 10.0, 4095, 0.0), InputError);
  EXPECT_THROW(AnalogScale(-10.0, 10.0, 4095, 10.0, 4096), InputError);
  EXPECT_THROW(AnalogScale(-10.0, 10.0, 0, 10.0), InputError);
}

TEST(CounterUnwrap, goes_over_both_ends) {
  CounterUnwrap counter(24);
  counter.start(0xFFFFFE);
  EXPECT_EQ(counter.advance(1), 3);
  EXPECT_EQ(counter.advance(0xFFFFFF), 1);
  EXPECT_EQ(counter.advance(0x7FFFFE), 0x800000);  // just less than half a turn
  CounterUnwrap wide(32);
  wide.start(0xFFFFFFFF);
  EXPECT_EQ(wide.advance(4), 5);
  EXPECT_EQ(wide.advance(0xFFFFFFFA), -5);
}

TEST(CounterUnwrap, follows_any_walk_of_less_than_half_its_range) {
  EXPECT_TRUE(rc::check("walks", [] {
    const auto bits = static_cast<unsigned>(*rc::gen::inRange(8, 33));
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    CounterUnwrap counter(bits);
    std::int64_t place = *rc::gen::inRange<std::int64_t>(0, 2 * half), begin = place;
    counter.start(static_cast<std::uint32_t>(place));
    for (int k = 0; k < 40; ++k) {
      place += *rc::gen::inRange<std::int64_t>(-half, half);
      RC_ASSERT(counter.advance(static_cast<std::uint32_t>(place)) == place - begin);
    }
  }));
}

}  // namespace
}  // namespace haptic

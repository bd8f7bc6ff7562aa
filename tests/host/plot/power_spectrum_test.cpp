#include "host/plot/power_spectrum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <vector>

namespace haptic {
namespace {

constexpr double kRate = 1000.0;

AmplitudeSpectrum spectrum_of(const std::vector<double>& values, std::size_t length) {
  return welch_spectrum(std::array{std::span<const double>(values)}, kRate, length);
}

double variance(const AmplitudeSpectrum& s) {
  double sum = 0.0;
  for (const double d : s.density) sum += d * d * s.frequency[0];
  return sum;
}

TEST(PowerSpectrum, a_sine_has_its_variance_at_its_frequency) {
  std::vector<double> values;
  for (int i = 0; i < 8192; ++i) {
    // 125 Hz is the middle of bin 128 of 1024 samples.
    values.push_back(40.0 + 3.0 * std::sin(2.0 * std::numbers::pi * 125.0 * i / kRate));
  }
  const AmplitudeSpectrum s = spectrum_of(values, 1024);
  EXPECT_EQ(s.segments, 15u);  // 8192 = 512 * 16
  const auto top = std::ranges::max_element(s.density) - s.density.begin();
  EXPECT_DOUBLE_EQ(s.frequency[static_cast<std::size_t>(top)], 125.0);
  EXPECT_NEAR(variance(s), 4.5, 1e-9);  // amplitude^2 / 2; a whole number of periods: exact
}

TEST(PowerSpectrum, white_noise_has_the_density_of_its_variance) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 0.2);
  std::vector<double> values(1 << 18);
  for (double& v : values) v = noise(random);
  const AmplitudeSpectrum s = spectrum_of(values, 256);
  // sigma^2 over rate / 2; the mean over 128 bins of 2047 segments has an error of about 1e-3.
  EXPECT_NEAR(variance(s), 0.04, 0.04 * 0.02);
  EXPECT_NEAR(s.density[40], 0.2 / std::sqrt(500.0), 0.2 / std::sqrt(500.0) * 0.1);
  EXPECT_EQ(s.frequency.back(), 500.0);
}

TEST(PowerSpectrum, no_segment_crosses_a_gap_or_has_a_value_that_is_not_finite) {
  std::vector<double> values(100, 1.0);
  values[70] = NAN;
  const std::span<const double> all(values);
  const AmplitudeSpectrum s = welch_spectrum(
      std::array{all.subspan(0, 40), all.subspan(40, 15), all.subspan(55, 45)}, kRate, 16);
  // 0..40: four of 16 by 8; 40..55: too short; 55..100: those that begin at 55, 63, 71, 79 but the
  // first two, which have row 70.
  EXPECT_EQ(s.segments, 4u + 2u);
  EXPECT_EQ(spectrum_of(std::vector<double>(15, 1.0), 16).segments, 0u);
}

TEST(PowerSpectrum, the_segment_length_leaves_eight_segments) {
  EXPECT_EQ(segment_length(8192), 1024u);
  EXPECT_EQ(segment_length(10), 64u);
  EXPECT_EQ(segment_length(100'000'000), 65536u);
}

}  // namespace
}  // namespace haptic

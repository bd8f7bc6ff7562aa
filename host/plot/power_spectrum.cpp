#include "host/plot/power_spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace haptic {

AmplitudeSpectrum welch_spectrum(std::span<const std::span<const double>> runs, double rate_hz,
                                 std::size_t length) {
  std::vector<double> window(length);
  double window_power = 0.0;
  for (std::size_t i = 0; i < length; ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    window[i] = 0.5 - 0.5 * std::cos(angle);
    window_power += window[i] * window[i];
  }
  Eigen::FFT<double> fft;
  std::vector<double> segment(length), power(length / 2, 0.0);
  std::vector<std::complex<double>> transformed;
  AmplitudeSpectrum spectrum;
  for (const std::span<const double> run : runs) {
    for (std::size_t first = 0; first + length <= run.size(); first += length / 2) {
      double mean = 0.0;
      for (std::size_t i = 0; i < length; ++i) mean += run[first + i];
      mean /= static_cast<double>(length);
      if (!std::isfinite(mean)) continue;
      for (std::size_t i = 0; i < length; ++i) segment[i] = window[i] * (run[first + i] - mean);
      fft.fwd(transformed, segment);
      for (std::size_t k = 1; k <= length / 2; ++k) {
        // Of the frequencies above half the rate, the conjugates; that half itself has none.
        const double sides = 2 * k == length ? 1.0 : 2.0;
        power[k - 1] += sides * std::norm(transformed[k]) / (rate_hz * window_power);
      }
      ++spectrum.segments;
    }
  }
  if (spectrum.segments == 0) return spectrum;
  for (std::size_t k = 1; k <= length / 2; ++k) {
    spectrum.frequency.push_back(rate_hz * static_cast<double>(k) / static_cast<double>(length));
    spectrum.density.push_back(std::sqrt(power[k - 1] / static_cast<double>(spectrum.segments)));
  }
  return spectrum;
}

std::size_t segment_length(std::size_t count) {
  return std::clamp<std::size_t>(std::bit_floor(std::max<std::size_t>(1, count * 2 / 9)), 64,
                                 65536);
}

}  // namespace haptic

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace haptic {

/// One-sided amplitude spectral density of evenly sampled values.
struct AmplitudeSpectrum {
  std::vector<double> frequency;  ///< Hz, without 0
  std::vector<double> density;    ///< unit / sqrt(Hz): the square root of the power density
  std::size_t segments = 0;       ///< averaged
};

/// Welch's method: segments of `length` values that overlap by half, each without its mean and
/// under a Hann window; their power densities are averaged. The integral of density^2 over the
/// frequency is the variance of the values. Source: P. D. Welch, The use of fast Fourier transform
/// for the estimation of power spectra, IEEE Trans. Audio Electroacoustics 15 (1967).
/// @param values runs of samples without a gap inside; a run shorter than a segment is left out
/// @param rate_hz > 0 @param length >= 4
/// @returns no segments if no run is long enough or a value is not finite in every segment
AmplitudeSpectrum welch_spectrum(std::span<const std::span<const double>> runs, double rate_hz,
                                 std::size_t length);

/// Segment length for `count` values: the largest power of two of which eight half-overlapping
/// segments fit, at least 64 and at most 65536.
std::size_t segment_length(std::size_t count);

}  // namespace haptic

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace haptic {

/// Rows of a log that are shown, with their place on the axis of time.
struct PlotRows {
  std::uint64_t first = 0;          ///< row of the log
  std::vector<double> time{};       ///< of each row [s]
  std::vector<std::size_t> gaps{};  ///< ascending; samples were lost before each of these rows
};

/// Lines "time value" of a curve for gnuplot. Of each bin of rows the smallest and the largest
/// value are kept, so that no peak is lost; at a gap and at a value that is not finite the line is
/// interrupted.
std::string time_curve(const PlotRows& rows, std::span<const double> values);

/// Lines "x y" of a curve for gnuplot, in the order of the rows, interrupted likewise. Points that
/// are closer to the one before than 1/4000 of the range of both are left out.
std::string phase_curve(const PlotRows& rows, std::span<const double> x, std::span<const double> y);

/// Lines "x y" of all numbers.
std::string plain_curve(std::span<const double> x, std::span<const double> y);

}  // namespace haptic

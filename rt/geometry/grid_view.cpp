#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "rt/geometry/grid_kernels.h"
#include "shared/error.h"

namespace haptic {

GridView grid_of_frame(std::uint32_t resolution, std::span<const double> frame,
                       std::string_view source) {
  constexpr std::string_view kFrame = "/field/frame";
  if (frame.size() != 5) {
    throw InputError(source, kFrame, fmt::format("found {} numbers", frame.size()), "5");
  }
  for (double number : frame) {
    if (!std::isfinite(number)) {
      throw InputError(source, kFrame, fmt::format("found {}", number), "finite numbers [m]");
    }
  }
  GridView grid;
  grid.edge = frame[3];
  grid.boundary_minimum = frame[4];
  grid.inverse_edge = 1.0 / grid.edge;
  if (!(grid.edge > 0.0) || !std::isfinite(grid.inverse_edge)) {
    throw InputError(source, kFrame, fmt::format("found voxel edge {} m", grid.edge),
                     "a length > 0");
  }
  if (!(grid.boundary_minimum > 0.0)) {
    throw InputError(source, kFrame,
                     fmt::format("found distance {} m on the box surface", grid.boundary_minimum),
                     "a value > 0 (an object that does not touch its box)");
  }
  grid.cells = resolution;
  grid.row = static_cast<std::ptrdiff_t>(resolution) + 1;
  grid.slice = grid.row * grid.row;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.lower[axis] = frame[axis];
    grid.upper[axis] = frame[axis] + grid.edge * resolution;
    if (!(grid.upper[axis] > grid.lower[axis]) || !std::isfinite(grid.upper[axis])) {
      throw InputError(
          source, kFrame,
          fmt::format("found a box from {} to {} m", grid.lower[axis], grid.upper[axis]),
          "corners that differ in double precision");
    }
  }
  const double* l = grid.lower;
  std::ranges::copy(std::initializer_list<double>{l[0], l[1], l[1], l[2]}, grid.lower_xyyz);
  // No sample exceeds the box diagonal sqrt(3) N h; the rounding error of a float is 2^-24 of it.
  grid.slack = std::sqrt(3.0) * grid.edge * (1.0 + 2.0 * std::ldexp(1.0, -24) * resolution);
  grid.margin = 1e-3 * grid.edge;
  return grid;
}

}  // namespace haptic

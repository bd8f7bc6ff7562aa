#pragma once

#include <array>
#include <cstddef>

namespace haptic {

/// The material in a cell of a grid: integrals of 1, x, y, z, xx, yy, zz, xy, xz, yz over it, in
/// the cell's frame: origin at its centre, axes of the model, edges as units. So a volume of 1 is a
/// whole cell. Rows of /mesh/moments in a model file.
using CellPart = std::array<double, 10>;

/// A cell that is full of material.
inline constexpr CellPart kWholeCell = {1.0,        0.0,        0.0, 0.0, 1.0 / 12.0,
                                        1.0 / 12.0, 1.0 / 12.0, 0.0, 0.0, 0.0};

}  // namespace haptic

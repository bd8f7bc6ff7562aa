#pragma once

#include <Eigen/Core>
#include <functional>

#include "shared/artifact/cell_part.h"

namespace haptic {

/// Fraction of a cell's material that lies in a fixed region, 0 to kMaxHeldFraction. Fixed vertices
/// hold a cell at its corners only; its stiffness divided by 1 - fraction is that of the material
/// between the region and the free corners.
/// Source: docs/methods/reduced-dynamics.md, "Fixed regions".
/// @param depth of a point of the cell's frame in the region, in edges; negative outside
double held_fraction(const CellPart& part,
                     const std::function<double(const Eigen::Vector3d&)>& depth);

/// Keeps the stiffness of a cell that lies in a region altogether finite: at most 50 times its own.
inline constexpr double kMaxHeldFraction = 0.98;

}  // namespace haptic

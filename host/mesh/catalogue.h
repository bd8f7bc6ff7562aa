#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/triangle_mesh.h"
#include "shared/progress.h"

namespace haptic {

/// One adjustable number of a shape.
struct ShapeParameter {
  std::string_view name;
  double value;             ///< default
  double minimum, maximum;  ///< inclusive
  std::string_view unit;    ///< "m", "1", "rad"
  std::string_view meaning;
};

/// One procedural shape: closed outward surface, metres, y up, long axis x.
struct ShapeInfo {
  std::string_view name;
  std::string_view description;
  std::vector<ShapeParameter> parameters;
};

/// All shapes, in the order of `haptic mesh --list`.
std::span<const ShapeInfo> catalogue();

/// Builds a shape. @param values parameter values by name; absent ones take their default
/// @param progress told the fraction done, from several threads; may be empty
/// @throws InputError for an unknown shape or parameter (naming the nearest known one), a value
///         out of range, or contradictory parameters
TriangleMesh make_shape(std::string_view name, const std::map<std::string, double>& values,
                        const Progress& progress = {});

}  // namespace haptic

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/field/distance_field_builder.h"
#include "host/mesh/triangle_mesh.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"

namespace haptic {

/// Contact points of a rigid surface, as a shell of its first levels and as the tree over them.
struct ShellLevels {
  std::vector<float> points, normals;
  BuiltTree tree_data;
  std::unique_ptr<PointShell> shell;
  std::unique_ptr<PointTree> tree;
};

/// The first `levels` levels of a sampling.
ShellLevels leading_levels(const SampledShell& sampled, std::size_t levels);

/// A distance field and the arrays that it views.
struct OwnedField {
  DistanceGrid grid;
  std::array<double, 5> frame{};
  std::unique_ptr<DistanceField> field;
};

/// @throws InputError if a setting is out of range, OperationError if the surface is not closed
OwnedField make_field(const TriangleMesh& closed, std::uint32_t resolution);

}  // namespace haptic

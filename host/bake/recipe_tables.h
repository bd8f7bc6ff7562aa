#pragma once

#include <initializer_list>
#include <string_view>

#include "host/bake/recipe.h"
#include "shared/config/toml_reader.h"

/// The larger tables of a recipe, each read in a separate file; for recipe.cpp only.
namespace haptic {

/// [reduction]; before [material], which depends on it.
void read_reduction_table(const TomlTable& table, Recipe& recipe);

/// [material], after [reduction] and [condensed], with its groups, into material, groups,
/// viscosity, editable and damping. The material may be absent if the volume mesh may contain it.
void read_material_table(const TomlTable& table, Recipe& recipe);

/// The keys of [source] that place a surface.
/// @param required whether length, unit or scale must be there
SourceFrame read_source_frame(const TomlTable& table, bool required);

/// The keys of [source] that repair a surface mesh.
SourceRepair read_source_repair(const TomlTable& table);

/// Refuses keys of [source] that have no effect. @param why e.g. "found together with \"grid\""
void refuse_source_keys(const TomlTable& table, std::initializer_list<const char*> keys,
                        std::string_view why, std::string_view expected);

/// A plane: axis, and either below or above.
PlaneConstraint read_plane(const TomlTable& table);
/// A box: min and max.
BoxConstraint read_box(const TomlTable& table);
/// @param place key of its centre
SphereConstraint read_sphere(const TomlTable& table, std::string_view place = "centre");
CylinderConstraint read_cylinder(const TomlTable& table);
/// Three numbers [m].
Vector3 read_point(const TomlTable& table, std::string_view key);

}  // namespace haptic

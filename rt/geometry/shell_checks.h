#pragma once

#include <string_view>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// What a traversal believes of a shell and its tree, checked where a model is loaded: numbers that
/// are well formed one by one can still contradict each other. Not for the loop.

/// Same reduced coordinates, and every point of the shell somewhere in the tree.
/// @throws InputError naming /shell/tree/modal_radius or /shell/tree/point
void require_belonging(const PointShell& shell, const PointTree& tree, std::string_view source);

/// Every point lies at rest in the spheres of all nodes above it (Barbic 2007, Section 3.9).
/// @throws InputError naming /shell/tree/radius
void require_points_in_spheres(const PointShell& shell, const PointTree& tree,
                               std::string_view source);

/// Normals face into the body. With the body's own field: no more than a tenth of some
/// thousands of points may have the distance grow along the normal (a sampled field is inaccurate
/// near creases). Without: a shell that is closed, so that its normals add up to nothing, must
/// enclose its volume with them and not the outside.
/// @param own_field of the same body at rest; nullptr: none
/// @throws InputError naming /shell/normals
void require_inward_normals(const PointShell& shell, const SignedField* own_field,
                            std::string_view source);

}  // namespace haptic

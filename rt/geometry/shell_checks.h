#pragma once

#include <string_view>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// Consistency checks of a shell and its tree when a model is loaded: values that are valid one by
/// one can contradict each other. Not for the loop.

/// Checks that shell and tree have the same numbers of reduced coordinates and of points, and that
/// every point of the shell is in the tree.
/// @throws InputError naming /shell/tree/modal_radius or /shell/tree/point
void require_belonging(const PointShell& shell, const PointTree& tree, std::string_view source);

/// Checks that every point lies at rest in the spheres of all its ancestors (Barbic 2007, Section
/// 3.9).
/// @throws InputError naming /shell/tree/radius
void require_points_in_spheres(const PointShell& shell, const PointTree& tree,
                               std::string_view source);

/// Checks that normals point into the body. With the field of the body: of some thousands of
/// points, the distance may increase along the normal at no more than a tenth (a sampled field is
/// inaccurate near creases). Without a field: if the normals sum to about zero, as those of a
/// closed shell do, they must not point away from the centre of the points on average.
/// @param own_field field of the same body at rest; nullptr: none
/// @throws InputError naming /shell/normals
void require_inward_normals(const PointShell& shell, const SignedField* own_field,
                            std::string_view source);

}  // namespace haptic

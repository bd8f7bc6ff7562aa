#pragma once

#include <cstddef>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "shared/artifact/model_file.h"

namespace haptic::condensed {

/// Rotations of the condensed nodes by each mode: half the curl of the mode at the node. Of an
/// element, that of the affine map nearest to the displacements of its corners; of a node, the mean
/// over the elements whose corners are all condensed or fixed, which all boundary elements are.
/// Source: Choi & Ko 2005, section 4.
/// @param file   the model, with /mesh @param model  of the same file @param modes  m, the lowest
/// @returns modes x s: 3 a node [rad kg^-1/2], mode by mode
/// @throws InputError if the elements do not belong to the condensed nodes
std::vector<double> modal_rotations(const ModelFile& file, const CondensedModel& model,
                                    std::size_t modes);

}  // namespace haptic::condensed

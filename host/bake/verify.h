#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "shared/progress.h"

namespace haptic {

/// One property of a model file, measured.
struct VerifiedFigure {
  std::string name;  ///< e.g. "mass_orthonormality"
  double value;      ///< measured
  double limit;      ///< value <= limit passes; a value that is not finite fails
  std::string unit;  ///< "1" where relative
  std::string what;  ///< one line: the compared quantities and the number of samples

  bool passes() const { return value <= limit; }
};

/// Checks a model from the file alone: hashes, U^T M U = I, reduced force against U^T f(U q),
/// stiffness and energy against differences, the compliance of a condensed body against solves,
/// masses and springs of a cloth against its mesh,
/// every subtree point inside its sphere, shell on the surface with inward normals and even levels,
/// field against the surface, shell on the field's zero level, mass properties. Figures of features
/// the file lacks are absent.
/// @param progress told the fraction done, by the estimated time of each part
/// @throws InputError if the file is damaged or a group of sections is incomplete
std::vector<VerifiedFigure> verify_model(const std::filesystem::path& path,
                                         const Progress& progress = {});

}  // namespace haptic

#pragma once

#include <vector>

#include "host/bake/elastic_body.h"

namespace haptic {

/// Result of the stages up to "basis".
struct BasisResult {
  int dimension = 0;                ///< r
  std::vector<double> basis;        ///< 3n x r, row-major [kg^-1/2]
  std::vector<double> eigenvalues;  ///< k [s^-2]
  StageDigest digest;               ///< of the basis
};

/// Stages "fem", "modes", "derivatives" and "basis", for all ranks.
BasisResult make_reduced_basis(const Recipe& recipe, const ElasticBody& body, const Stages& stages);

}  // namespace haptic

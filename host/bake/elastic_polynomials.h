#pragma once

#include <optional>
#include <vector>

#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/bake/stages.h"
#include "host/reduction/reduced_polynomials.h"

namespace haptic {

/// Reduced energy of a body and the rows that allow its material to change at run time.
struct BodyPolynomials {
  ReducedPolynomials whole;
  std::vector<ReducedPolynomials> groups;  ///< 2G rows; empty unless the material is editable
  std::vector<double> group_mass;          ///< G x C(r+1,2); likewise
  std::optional<ViscousGram> viscous;      ///< of the viscosities
};

template <class Archive>
void archive(Archive& a, BodyPolynomials& p) {
  a(p.whole, p.groups, p.group_mass, p.viscous);
}

/// Stage "polynomials"; all ranks work, rank 0 gets the result.
/// @param basis 3n x r, row-major, with its digest
BodyPolynomials make_polynomials(const Recipe& recipe, const SolidBody& solid,
                                 const StageDigest& solid_digest,
                                 const std::vector<std::uint32_t>& groups, BasisView basis,
                                 const StageDigest& basis_digest, const Stages& stages);

}  // namespace haptic

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rt/dynamics/aligned_vector.h"

namespace haptic {

class ModelFile;

/// Terms of the energy and the mass of a reduced body (Barbic 2007, section 2.11): each group of
/// elements adds  lambda_g L_g + mu_g M_g  to the energy and  rho_g Mt_g  to the mass.
struct MaterialRows {
  struct Group {
    std::string name;
    double lambda = 0.0, mu = 0.0;  ///< as baked [Pa]; both zero: anisotropic, L_g is the whole
                                    ///< energy of the group
    double density = 0.0;           ///< as baked [kg/m^3]
    bool anisotropic() const { return lambda == 0.0 && mu == 0.0; }
  };

  /// Material groups of a model; empty if it has no polynomials per group.
  static std::vector<Group> groups_of(const ModelFile& model);

  std::uint32_t dimension = 0;
  /// ReducedEnergy::layout of L_0, M_0, L_1, ...; without groups: of the whole energy.
  std::vector<AlignedVector<double>> energy;
  /// Mt_0, Mt_1, ..., r x r; empty without groups.
  std::vector<std::vector<double>> mass;
  std::vector<Group> groups;  ///< empty: the model has no polynomials per group

  /// Reads the first `dimension` coordinates of a model, with /reduced/groups/* if present.
  /// @throws InputError if sections are missing or do not add up to /reduced/quadratic, cubic,
  ///         quartic and M = I (1e-6 relative)
  static MaterialRows of_model(const ModelFile& model, std::uint32_t dimension);
};

}  // namespace haptic

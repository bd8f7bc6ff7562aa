#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/stvk_model.h"
#include "rt/dynamics/material_rows.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A posteriori error indicator of a reduced body: the fraction of its internal force outside the
/// basis,
///   eta(q) = |P (I - M U Mt^-1 U^T) R(U q)| / |P R(U q)|,   |x|^2 = sum_v |x_v|^2 / m_v,
/// over some free vertices v (P) with all of their elements, m_v the row sums of M. U^T R(U q) is
/// the reduced force of the polynomials, so that only the elements of those vertices are evaluated.
/// 0: the subspace contains the motion that follows. Near 1: the full body would leave the subspace
/// at once, so the reduced body is too stiff (docs/dynamics.md, "Error indicator"). The contact
/// force, where it is local, is part of the ratio: a body at rest under a point load has its R
/// outside span(M U), too.
class SubspaceResidual {
 public:
  static constexpr int kSamples = 64;

  /// @param model      with mesh, materials and basis
  /// @param dimension  basis vectors that take part, 1..r
  /// @param groups     present materials, as MaterialRows::groups_of names them; anisotropic ones
  ///                   with the factor of their elasticity in lambda; empty: as baked
  /// @throws InputError if a section is missing or invalid
  SubspaceResidual(const ModelFile& model, std::uint32_t dimension,
                   std::span<const MaterialRows::Group> groups = {});

  /// eta(q), 0 at rest (displacements below 1e-9 of the size) and where there is no force.
  /// @param q as many values as `dimension`
  double at(std::span<const double> q);

  int sample_count() const { return static_cast<int>(samples_.size()); }
  int element_count() const { return patch_.mesh().element_count(); }

 private:
  struct Patch;
  SubspaceResidual(const ModelFile& model, std::uint32_t dimension,
                   std::span<const MaterialRows::Group> groups, Patch patch);

  StvkModel patch_;           ///< the elements of the samples, vertices renumbered
  std::vector<int> samples_;  ///< vertices of the patch
  Eigen::MatrixXd basis_;     ///< of the patch, 3 vertices x dimension
  Eigen::MatrixXd image_;     ///< M U in the rows of the samples
  Eigen::VectorXd weight_;    ///< 1 / m_v of each sample [1/kg]
  Eigen::MatrixXd mass_;      ///< Mt; before the energy, whose making fills it
  ReducedEnergy energy_;
  ReducedEnergy::Workspace workspace_;
};

}  // namespace haptic

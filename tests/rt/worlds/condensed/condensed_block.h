#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/worlds/condensed/contact_row.h"

namespace haptic::condensed {

struct BlockSettings {
  int edge_count = 4;           ///< hexahedra along each edge
  double size = 0.1;            ///< m
  double youngs_modulus = 1e4;  ///< Pa
  double poisson_ratio = 0.3;
  double density = 1000.0;  ///< kg/m^3
  RayleighDamping damping{};
  bool keep_interior = false;  ///< every free node is kept, not those of boundary elements alone
  bool uniform_mass = false;   ///< the same mass for each free node
  bool single_precision = false;
};

/// A cube of linear hexahedra, fixed at the bottom (z = 0), by dense matrices: what condensed
/// bodies are compared with. Each outer quadrilateral has four triangles that meet in its middle.
class CondensedBlock {
 public:
  explicit CondensedBlock(const BlockSettings& settings = {});
  CondensedBlock(const CondensedBlock&) = delete;
  CondensedBlock& operator=(const CondensedBlock&) = delete;

  /// With all n modes. Views this object's memory.
  CondensedModel model() const;

  /// Free degrees of freedom, 3 free node + axis.
  Eigen::MatrixXd K;
  Eigen::VectorXd mass;
  Eigen::VectorXd eigenvalues;  ///< all n, ascending
  Eigen::MatrixXd modes;        ///< n x n, mass-normalised
  /// Condensed degrees of freedom, as in the model.
  Eigen::MatrixXd C;          ///< s x s
  Eigen::MatrixXd U;          ///< s x n: the modes' retained rows
  std::vector<int> retained;  ///< free degree of freedom of each condensed one

  int dof() const { return static_cast<int>(retained.size()); }
  /// Vertex of the surface at this place. Fails the test if there is none
  std::size_t vertex_at(double x, double y, double z) const;
  /// H of contact rows: 3c x s.
  Eigen::MatrixXd H(const std::vector<ContactRow>& rows) const;
  /// C - U1 L1^-1 U1^T with the first m modes.
  Eigen::MatrixXd C2(int m) const;

 private:
  BlockSettings settings_;
  std::vector<float> single_;
  std::vector<double> full_, row_major_modes_, vertices_, weights_, ascending_;
  std::vector<std::uint32_t> triangles_, corners_;
};

}  // namespace haptic::condensed

#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/elastic_model.h"
#include "host/fem/mass_kind.h"
#include "host/fem/solid_mesh.h"
#include "host/fem/sparse_matrix.h"

namespace haptic {

/// What a body is besides its mesh.
struct BodySettings {
  ElasticModel elastic = ElasticModel::kStvk;
  MassKind mass = MassKind::kConsistent;
};

/// Unreduced body: a mesh of hexahedra or tetrahedra with some vertices fixed at u = 0. Its
/// material is linear in Green strain (StVK or anisotropic), that of every reduced body, unless
/// `settings` give another elastic model for an unreduced run.
///
/// Vectors of displacement and force are "full": 3n values, (x,y,z) per vertex; entries of fixed
/// vertices in a displacement are used unchanged (pass zeros), those of a force are the reactions.
/// Matrices are "free": rows and columns of fixed vertices are deleted; free vertex f has the dofs
/// 3f..3f+2, in ascending vertex order. `restrict_to_free` and `expand` translate.
///
/// Element loops run in parallel over colours (sets of elements without a common vertex), so that
/// the order of every sum is fixed and results do not depend on the number of threads.
class StvkModel {
 public:
  /// @param fixed_vertices ids in any order, duplicates allowed
  /// @throws InputError if an id is out of range, no vertex remains free, or a material has no
  ///         form in the elastic model (anisotropic ones as neo-Hookean)
  StvkModel(SolidMesh mesh, std::span<const std::uint32_t> fixed_vertices,
            BodySettings settings = {});

  const SolidMesh& mesh() const { return mesh_; }
  ElasticModel elastic_model() const { return settings_.elastic; }
  MassKind mass_kind() const { return settings_.mass; }
  int vertex_count() const { return mesh_.vertex_count(); }
  int free_vertex_count() const { return static_cast<int>(free_vertices_.size()); }
  int dof_count() const { return 3 * vertex_count(); }
  int free_dof_count() const { return 3 * free_vertex_count(); }
  const std::vector<std::uint32_t>& free_vertices() const { return free_vertices_; }  ///< ascending
  const std::vector<std::uint32_t>& fixed_vertices() const {
    return fixed_vertices_;
  }  ///< ascending
  int free_index(int vertex) const {
    return free_index_[static_cast<std::size_t>(vertex)];
  }  ///< -1: fixed

  /// Rows of the free vertices: 3n x c -> 3 n_free x c, and back with zeros at fixed vertices.
  Eigen::MatrixXd restrict_to_free(const Eigen::Ref<const Eigen::MatrixXd>& full) const;
  Eigen::MatrixXd expand(const Eigen::Ref<const Eigen::MatrixXd>& free) const;

  /// Number of rigid motions (0..6) that the fixed vertices leave free.
  int free_rigid_motions() const;

  /// W(u) [J], u in m (3n).
  double energy(const Eigen::Ref<const Eigen::VectorXd>& u) const;
  /// R(u) = +dW/du [N] (3n).
  Eigen::VectorXd force(const Eigen::Ref<const Eigen::VectorXd>& u) const;
  /// K(u) = dR/du [N/m] on the free dofs; the pattern is the same for every u.
  SparseMatrix stiffness(const Eigen::Ref<const Eigen::VectorXd>& u) const;
  SparseMatrix stiffness_at_rest() const;
  /// K(u) p [N] (3n, all rows) element by element, without assembling K; p in m (3n).
  Eigen::VectorXd stiffness_product(const Eigen::Ref<const Eigen::VectorXd>& u,
                                    const Eigen::Ref<const Eigen::VectorXd>& p) const;
  /// 3x3 diagonal blocks of K(u) [N/m], 3 x 3 n_free: columns 3f..3f+2 belong to free vertex f.
  Eigen::Matrix3Xd stiffness_blocks(const Eigen::Ref<const Eigen::VectorXd>& u) const;
  /// @throws InputError unless the elastic model is StVK. What a reduction computes from the body,
  ///         the polynomials and derivatives of StVK, says nothing of the other models.
  void require_stvk() const;
  /// (H:v) w (3n); Barbic 2007, eq 2.50. These need StVK (require_stvk).
  Eigen::VectorXd hessian_product(const Eigen::Ref<const Eigen::VectorXd>& v,
                                  const Eigen::Ref<const Eigen::VectorXd>& w) const;
  /// (H:x_j) x_i for all pairs i <= j of the k columns of `x` (3n x k): 3n x k(k+1)/2, pairs in
  /// the order (0,0), (0,1), ..., (0,k-1), (1,1), ...
  Eigen::MatrixXd hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x) const;
  /// The columns [first_pair, end_pair) of it, bit for bit.
  Eigen::MatrixXd hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x, int first_pair,
                                   int end_pair) const;
  /// (H:x_j) x_i for these pairs (i, j), a column each (3n x pairs).
  Eigen::MatrixXd hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x,
                                   std::span<const std::array<int, 2>> pairs) const;
  /// Strain-rate damping force [N] (3n) with S_D = phi tr(Edot) I + 2 psi Edot in every element, at
  /// u [m] and velocity [m/s] (3n each); `viscosity` = {phi, psi} [Pa s].
  Eigen::VectorXd strain_rate_damping_force(
      const LameParameters& viscosity, const Eigen::Ref<const Eigen::VectorXd>& u,
      const Eigen::Ref<const Eigen::VectorXd>& velocity) const;
  /// The same with the viscosities of each material group, or one for all.
  Eigen::VectorXd strain_rate_damping_force(
      std::span<const LameParameters> viscosities, const Eigen::Ref<const Eigen::VectorXd>& u,
      const Eigen::Ref<const Eigen::VectorXd>& velocity) const;

  /// Scalar mass M_s on the free vertices [kg]; M = M_s (x) I3. That of the settings, or `kind`.
  SparseMatrix scalar_mass() const { return scalar_mass(settings_.mass); }
  SparseMatrix scalar_mass(MassKind kind) const;
  /// M on the free dofs [kg].
  SparseMatrix mass() const { return mass(settings_.mass); }
  SparseMatrix mass(MassKind kind) const;
  /// Nodal forces of the body force rho g [N] (3n), g in m/s^2.
  Eigen::VectorXd gravity_force(const Vector3& g) const;

 private:
  template <typename ElementForce>
  Eigen::VectorXd assemble_vector(const ElementForce& element_force) const;

  SolidMesh mesh_;
  BodySettings settings_;
  std::vector<std::uint32_t> free_vertices_;
  std::vector<std::uint32_t> fixed_vertices_;
  std::vector<int> free_index_;
  std::vector<std::vector<int>> colours_;  ///< elements of each colour, ascending
  SparseMatrix scalar_pattern_;            ///< free vertices that share an element
};

}  // namespace haptic

#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// U, 3n x r row-major, rows (x,y,z) per vertex; rows of constrained vertices are zero.
struct BasisView {
  std::span<const double> values;
  std::uint32_t dimension = 0;  ///< r, 1..64
};

/// @throws InputError if r is not 1..64, the basis does not fit the mesh, or a value is not finite
void require_basis(const SolidMesh& mesh, const BasisView& basis);

/// Options that do not affect the result: it is the same bit for bit for every number of threads.
struct PolynomialSettings {
  std::uint32_t threads = 0;  ///< 0: all hardware threads
  /// Called with the fraction done, from any thread, one call at a time.
  std::function<void(double)> progress = {};
  bool recognise_voxels = true;  ///< false: 27 Gauss points even on equal boxes
};

/// What to accumulate in addition to the energy of the whole body.
struct PolynomialContents {
  bool groups = false;  ///< rows of the material groups
  /// {phi, psi} >= 0 [Pa s] of every material group, or one for all; empty: none.
  std::vector<LameParameters> viscosity = {};
};

/// Distinct coefficients of the quartic energy in the layout of rt/dynamics/reduced_energy.h.
struct ReducedPolynomials {
  std::uint32_t dimension = 0;
  std::vector<double> quadratic;  ///< C(r+1,2)
  std::vector<double> cubic;      ///< C(r+2,3)
  std::vector<double> quartic;    ///< C(r+3,4)
};

/// Strain-rate damping (docs/methods/reduced-dynamics.md, "Damping"): Gram products of the strain
/// samples with (phi, psi) for (lambda, mu). Damping force D = G(q) q', with full sums
///   G_li = linear(l,i) + 2 q_j (mixed(l,ij) + mixed(i,lj)) + 4 q_j q_k quadratic(lj,ik);
/// a pair ij and its mirror ji are one column. P = C(r+1,2), pairs i <= j, last index fastest.
struct ViscousGram {
  std::uint32_t dimension = 0;
  std::vector<double> linear;     ///< P, pairs of coordinates
  std::vector<double> mixed;      ///< r x P
  std::vector<double> quadratic;  ///< P (P+1)/2, upper triangle row by row
};

/// Energy-Gram product (docs/methods/reduced-dynamics.md, "Reduced polynomials") by element ranges:
/// G = B^T B over strain samples that integrate exactly (27 Gauss points a hexahedron, 63 values a
/// box of a voxel mesh, one point a tetrahedron). Ranges may be added in any split and order, also
/// by several processes that then sum `raw()`; splits agree to rounding, and one split gives the
/// same bits with every number of threads.
class PolynomialAccumulator {
 public:
  /// @param mesh, basis outlive the accumulator
  /// @throws InputError if the basis does not fit the mesh, has a value that is not finite, r is
  ///         out of range, or a viscosity is negative or not finite
  PolynomialAccumulator(const SolidMesh& mesh, BasisView basis, PolynomialContents contents = {},
                        PolynomialSettings settings = {});

  /// Adds the elements [begin, end).
  void add(int begin, int end);
  /// The Gram products so far, which processes sum entry by entry before the results are read.
  std::span<double> raw() { return raw_; }

  /// Energy of the whole body with the materials of the mesh.
  ReducedPolynomials whole() const;
  /// 2G rows: row 2g has group g with lambda = 1, mu = 0, row 2g+1 with lambda = 0,
  /// mu = 1 [coefficients per Pa]; of an anisotropic group row 2g is its whole energy and row 2g+1
  /// zero. Only with contents.groups.
  std::vector<ReducedPolynomials> groups() const;
  /// Only with contents.viscosity.
  ViscousGram viscous() const;

 private:
  /// One Gram matrix and the part of the strain that it sums.
  struct Target {
    enum class Part { kMaterial, kTrace, kShear, kViscous } part;
    std::size_t gram;
  };
  void add_elements(std::span<const int> elements, std::span<const Target> targets);
  const LameParameters& viscosity_of(std::size_t group) const;
  std::vector<double> combined(const std::function<double(std::size_t)>& factor) const;

  const SolidMesh& mesh_;
  BasisView basis_;
  PolynomialContents contents_;
  PolynomialSettings settings_;
  std::array<double, 3> box_edges_;
  bool is_split_;          ///< by group; two Grams each: trace (lambda) and shear (mu)
  bool has_viscous_gram_;  ///< the last Gram is the viscous one; else it is a sum of the others
  std::size_t grams_ = 0;
  std::size_t gram_size_ = 0;  ///< values of a packed triangle
  std::size_t done_ = 0, range_ = 0;
  std::vector<double> raw_;  ///< grams x gram_size, upper triangles row by row
};

}  // namespace haptic

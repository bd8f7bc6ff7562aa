#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "host/fem/stvk_model.h"
#include "host/reduction/mass_pca.h"
#include "host/reduction/reduced_polynomials.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {

/// Vertices of the plane x = 0 of a box mesh.
inline std::vector<std::uint32_t> clamped_face(const SolidMesh& mesh) {
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (std::abs(mesh.vertex(v).x()) < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return fixed;
}

/// Beam of cubes clamped at x = 0.
inline StvkModel clamped_beam(int nx, int ny, int nz, double h, const Material& material) {
  SolidMesh mesh = make_box_mesh(nx, ny, nz, h, material);
  const auto fixed = clamped_face(mesh);
  return {std::move(mesh), fixed};
}

/// The same with every free vertex pushed a little off the grid, so that no element is a box.
inline StvkModel distorted_beam(int nx, int ny, int nz, double h, const Material& material) {
  const SolidMesh box = make_box_mesh(nx, ny, nz, h, material);
  std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  std::mt19937 random(4);
  std::uniform_real_distribution<double> push(-0.15 * h, 0.15 * h);
  for (std::size_t v = 0; v < vertices.size() / 3; ++v) {
    if (vertices[3 * v] == 0.0) continue;
    for (std::size_t d = 0; d < 3; ++d) vertices[3 * v + d] += push(random);
  }
  SolidMesh mesh(vertices, box.elements(), material);
  const auto fixed = clamped_face(mesh);
  return {std::move(mesh), fixed};
}

/// Any mass-orthonormal basis: random smooth fields that vanish at the fixed vertices, 3n x r.
inline Eigen::MatrixXd any_basis(const StvkModel& model, int r, std::uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::MatrixXd columns(model.dof_count(), r);
  for (int j = 0; j < r; ++j) {
    Eigen::Matrix3d wave, size;
    for (Eigen::Matrix3d* m : {&wave, &size}) {
      *m = Eigen::Matrix3d::NullaryExpr([&] { return uniform(random); });
    }
    for (int v = 0; v < model.vertex_count(); ++v) {
      const Vector3 X = model.mesh().vertex(v);
      columns.block<3, 1>(3 * v, j) = X.x() * (size * (6.0 * wave * X).array().cos().matrix());
    }
  }
  return model.expand(mass_gram_schmidt(model.scalar_mass(), model.restrict_to_free(columns)));
}

using RowMajorBasis = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Row-major copy of a 3n x r basis with the view of it that the precompute takes.
struct BasisRows {
  explicit BasisRows(const Eigen::MatrixXd& basis) : rows(basis) {}
  BasisView view() const {
    return {{rows.data(), static_cast<std::size_t>(rows.size())},
            static_cast<std::uint32_t>(rows.cols())};
  }
  RowMajorBasis rows;
};

/// Polynomials of a model and a 3n x r basis.
inline ReducedPolynomials polynomials_of(const SolidMesh& mesh, const Eigen::MatrixXd& basis,
                                         const PolynomialSettings& settings = {}) {
  return reduced_polynomials(mesh, BasisRows(basis).view(), settings);
}

/// PolynomialAccumulator over all elements.
inline PolynomialAccumulator accumulated(const SolidMesh& mesh, BasisView basis,
                                         PolynomialContents contents,
                                         const PolynomialSettings& settings = {}) {
  PolynomialAccumulator sum(mesh, basis, contents, settings);
  sum.add(0, mesh.element_count());
  return sum;
}

inline std::vector<ReducedPolynomials> group_polynomials(const SolidMesh& mesh, BasisView basis,
                                                         const PolynomialSettings& settings = {}) {
  return accumulated(mesh, basis, {.groups = true}, settings).groups();
}

inline ViscousGram viscous_gram(const SolidMesh& mesh, BasisView basis,
                                const LameParameters& viscosity,
                                const PolynomialSettings& settings = {}) {
  return accumulated(mesh, basis, {.viscosity = {viscosity}}, settings).viscous();
}

inline ReducedEnergy energy_of(const ReducedPolynomials& p) {
  return {p.dimension, p.quadratic, p.cubic, p.quartic};
}

/// Largest difference over the largest value.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  const Eigen::Map<const Eigen::VectorXd> x(a.data(), static_cast<Eigen::Index>(a.size()));
  const Eigen::Map<const Eigen::VectorXd> y(b.data(), static_cast<Eigen::Index>(b.size()));
  return (x - y).cwiseAbs().maxCoeff() / y.cwiseAbs().maxCoeff();
}

inline double relative_difference(const ReducedPolynomials& a, const ReducedPolynomials& b) {
  return std::max({relative_difference(a.quadratic, b.quadratic),
                   relative_difference(a.cubic, b.cubic),
                   relative_difference(a.quartic, b.quartic)});
}

}  // namespace haptic

#pragma once

#include <Eigen/Core>

#include "host/reduction/reduced_polynomials.h"
#include "lab/multibody/deformation_basis.h"
#include "lab/multibody/sphere_tree.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {

/// A soft free bar of 6 x 2 x 3 cubes (no equal frequencies) with its deformation basis.
struct FreeBlock {
  FreeBlock()
      : model(make_box_mesh(6, 2, 3, 0.02, Material{2e5, 0.3, 1000.0}), {}),
        rigid(rigid_properties(model)),
        basis(deformation_basis(model, 6, 12)),
        energy(make_energy()),
        points(make_points()),
        tree(points, basis, 0.03) {}

  ReducedEnergy make_energy() const {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = basis;
    const ReducedPolynomials p =
        reduced_polynomials(model.mesh(), {{rows.data(), static_cast<std::size_t>(rows.size())},
                                           static_cast<std::uint32_t>(basis.cols())});
    return {p.dimension, p.quadratic, p.cubic, p.quartic};
  }
  /// Mesh vertices about the centre of mass.
  Eigen::Matrix3Xd make_points() const {
    Eigen::Matrix3Xd x(3, model.vertex_count());
    for (int v = 0; v < model.vertex_count(); ++v) x.col(v) = model.mesh().vertex(v) - rigid.centre;
    return x;
  }

  StvkModel model;
  RigidProperties rigid;
  Eigen::MatrixXd basis;
  ReducedEnergy energy;
  Eigen::Matrix3Xd points;
  SphereTree tree;
};

}  // namespace haptic

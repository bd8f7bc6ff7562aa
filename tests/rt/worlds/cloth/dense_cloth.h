#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/spring_operator.h"

namespace haptic::cloth {

inline Eigen::VectorXd as_vector(const ParticleVectors& vectors) {
  return Eigen::Map<const Eigen::VectorXd>(vectors.data(), Eigen::Index(vectors.size()));
}

/// s_M M - s_D D - s_K K, entry by entry.
inline Eigen::MatrixXd dense_matrix(const ClothSystem& system, const ParticleVectors& x,
                                    SpringOperator::Scales scales) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
  const auto add = [&](std::size_t i, double value) {
    A.diagonal().segment<3>(3 * Eigen::Index(i)).array() += value;
  };
  for (std::size_t i = 0; i < system.size(); ++i) {
    add(i, scales.mass * system.masses()[i] +
               scales.damping * system.surroundings().air.drag_of(system.masses()[i]));
  }
  for (const TargetSpring& spring : system.tethers().springs()) {
    add(spring.particle, scales.damping * spring.damping + scales.stiffness * spring.stiffness);
  }
  const Springs& springs = system.springs().springs();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const SpringForces::Gradient g = system.springs().gradient(x, s);
    const Eigen::Matrix3d P = g.u * g.u.transpose();
    const Eigen::Matrix3d J =
        scales.stiffness * (g.along * P + g.across * (Eigen::Matrix3d::Identity() - P)) +
        scales.damping * g.damping * P;
    const Eigen::Index i = 3 * springs.first[s], j = 3 * springs.second[s];
    A.block<3, 3>(i, j) -= J;
    A.block<3, 3>(j, i) -= J;
    A.block<3, 3>(i, i) += J;
    A.block<3, 3>(j, j) += J;
  }
  return A;
}

/// The system (M - h^2 H) dv = h ft with isotropic springs, dense.
struct DenseSystem {
  Eigen::MatrixXd A;      // n x n
  Eigen::MatrixXd right;  // n x 3

  DenseSystem(SampleCloth& cloth, double h) {
    const Springs& springs = cloth.system.springs().springs();
    const auto n = static_cast<Eigen::Index>(cloth.system.size());
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const Eigen::Index i = springs.first[s], j = springs.second[s];
      H(i, j) += springs.stiffness[s];
      H(j, i) += springs.stiffness[s];
      H(i, i) -= springs.stiffness[s];
      H(j, j) -= springs.stiffness[s];
    }
    A = -h * h * H;
    for (Eigen::Index i = 0; i < n; ++i) A(i, i) += cloth.system.masses()[std::size_t(i)];
    ParticleVectors f(cloth.state.x.size());
    cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
    const auto rows = [&](ParticleVectors& of) {
      return Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(of.data(), 3, n).transpose());
    };
    right = h * (rows(f) + h * H * rows(cloth.state.v));
  }
};

}  // namespace haptic::cloth

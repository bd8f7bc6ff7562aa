#include "tests/rt/worlds/condensed/condensed_block.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

namespace haptic::condensed {
namespace {

using Matrix24 = Eigen::Matrix<double, 24, 24>;
using Triple = std::array<int, 3>;

/// Corner i of an element is at (i & 1, i >> 1 & 1, i >> 2).
Triple corner(int i) {
  return {i & 1, i >> 1 & 1, i >> 2};
}

double shape(int i, const Eigen::Vector3d& p) {
  double w = 1.0;
  for (int axis = 0; axis < 3; ++axis) w *= corner(i)[axis] == 1 ? p[axis] : 1.0 - p[axis];
  return w;
}

/// Isotropic trilinear hexahedron of edge a, 2 x 2 x 2 Gauss points.
Matrix24 element_stiffness(double a, double E, double nu) {
  const double lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = 0.5 * E / (1.0 + nu);
  Eigen::Matrix<double, 6, 6> D = Eigen::Matrix<double, 6, 6>::Zero();
  D.topLeftCorner<3, 3>().setConstant(lambda);
  for (int i = 0; i < 3; ++i) {
    D(i, i) += 2.0 * mu;
    D(3 + i, 3 + i) = mu;
  }
  Matrix24 K = Matrix24::Zero();
  for (int gauss = 0; gauss < 8; ++gauss) {
    Eigen::Vector3d p;
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] = 0.5 + (corner(gauss)[axis] == 1 ? 0.5 : -0.5) / std::sqrt(3.0);
    }
    Eigen::Matrix<double, 6, 24> B = Eigen::Matrix<double, 6, 24>::Zero();
    for (int i = 0; i < 8; ++i) {
      Eigen::Vector3d g;
      for (int axis = 0; axis < 3; ++axis) {
        Eigen::Vector3d on = p, off = p;
        on[axis] = 1.0;
        off[axis] = 0.0;
        g[axis] = (shape(i, on) - shape(i, off)) / a;
      }
      // Strains xx, yy, zz; xy, xz, yz.
      B.block<3, 3>(0, 3 * i) = g.asDiagonal();
      B.block<3, 3>(3, 3 * i) << g[1], g[0], 0.0, g[2], 0.0, g[0], 0.0, g[2], g[1];
    }
    K += B.transpose() * D * B * (a * a * a / 8.0);
  }
  return K;
}

}  // namespace

CondensedBlock::CondensedBlock(const BlockSettings& settings) : settings_(settings) {
  const int n = settings.edge_count, nodes = n + 1;
  const double a = settings.size / n;
  const auto node = [&](int x, int y, int z) { return (z * nodes + y) * nodes + x; };
  // Free nodes lie above the bottom; numbered from zero.
  const int fixed = nodes * nodes, free = nodes * nodes * nodes - fixed;
  K = Eigen::MatrixXd::Zero(3 * free, 3 * free);
  mass = Eigen::VectorXd::Zero(3 * free);
  std::vector<bool> on_boundary_element(static_cast<std::size_t>(free), settings.keep_interior);
  const Matrix24 Ke = element_stiffness(a, settings.youngs_modulus, settings.poisson_ratio);
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        const bool boundary = std::min({x, y, z}) == 0 || std::max({x, y, z}) == n - 1;
        for (int i = 0; i < 8; ++i) {
          const int of_i = node(x + corner(i)[0], y + corner(i)[1], z + corner(i)[2]) - fixed;
          if (of_i < 0) continue;
          mass.segment<3>(3 * of_i).array() += settings.density * a * a * a / 8.0;
          if (boundary) on_boundary_element[static_cast<std::size_t>(of_i)] = true;
          for (int j = 0; j < 8; ++j) {
            const int of_j = node(x + corner(j)[0], y + corner(j)[1], z + corner(j)[2]) - fixed;
            if (of_j >= 0) {
              K.block<3, 3>(3 * of_i, 3 * of_j) += Ke.block<3, 3>(3 * i, 3 * j);
            }
          }
        }
      }
    }
  }
  K = (0.5 * (K + K.transpose())).eval();
  if (settings.uniform_mass) mass.setConstant(mass.mean());

  const Eigen::VectorXd root = mass.cwiseSqrt();
  const Eigen::MatrixXd scaled =
      root.cwiseInverse().asDiagonal() * K * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  eigenvalues = eigen.eigenvalues();
  modes = root.cwiseInverse().asDiagonal() * eigen.eigenvectors();

  std::map<int, std::uint32_t> condensed;  // of a node
  for (int f = 0; f < free; ++f) {
    if (!on_boundary_element[static_cast<std::size_t>(f)]) continue;
    condensed[f + fixed] = static_cast<std::uint32_t>(condensed.size());
    for (int axis = 0; axis < 3; ++axis) retained.push_back(3 * f + axis);
  }
  const Eigen::MatrixXd inverse = K.llt().solve(Eigen::MatrixXd::Identity(3 * free, 3 * free));
  C.resize(dof(), dof());
  U.resize(dof(), 3 * free);
  for (int i = 0; i < dof(); ++i) {
    U.row(i) = modes.row(retained[static_cast<std::size_t>(i)]);
    for (int j = 0; j <= i; ++j) {
      const int r = retained[static_cast<std::size_t>(i)],
                c = retained[static_cast<std::size_t>(j)];
      C(i, j) = C(j, i) = 0.5 * (inverse(r, c) + inverse(c, r));
    }
  }
  for (int i = 0; i < dof(); ++i) {
    for (int j = 0; j < dof(); ++j) {
      if (settings.single_precision) {
        single_.push_back(static_cast<float>(C(i, j)));
        C(i, j) = static_cast<double>(single_.back());  // the body that the model describes
      } else {
        full_.push_back(C(i, j));
      }
    }
    for (int k = 0; k < 3 * free; ++k) row_major_modes_.push_back(U(i, k));
  }
  ascending_.assign(eigenvalues.begin(), eigenvalues.end());

  // The surface: nodes of the faces and the middle of each quadrilateral.
  std::map<Triple, std::uint32_t> vertices;  // by twice the place in edges
  const auto vertex = [&](const Triple& twice) {
    const auto [at, added] =
        vertices.try_emplace(twice, static_cast<std::uint32_t>(vertices.size()));
    if (!added) return at->second;
    Triple cell;
    Eigen::Vector3d inside;
    for (int axis = 0; axis < 3; ++axis) {
      vertices_.push_back(0.5 * twice[axis] * a);
      cell[axis] = std::min(twice[axis] / 2, n - 1);
      inside[axis] = 0.5 * twice[axis] - cell[axis];
    }
    for (int i = 0; i < 8; ++i) {
      const int of_i = node(cell[0] + corner(i)[0], cell[1] + corner(i)[1], cell[2] + corner(i)[2]);
      corners_.push_back(of_i < fixed ? CondensedModel::kFixedNode : condensed.at(of_i));
      weights_.push_back(shape(i, inside));
    }
    return at->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, n}) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const auto place = [&](int twice_i, int twice_j) {
            Triple twice{};
            twice[axis] = 2 * side;
            twice[(axis + 1) % 3] = 2 * i + twice_i;
            twice[(axis + 2) % 3] = 2 * j + twice_j;
            return vertex(twice);
          };
          const std::uint32_t middle = place(1, 1);
          const std::array<std::uint32_t, 4> around{place(0, 0), place(2, 0), place(2, 2),
                                                    place(0, 2)};
          for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t from = around[k], to = around[(k + 1) % 4];
            const bool outward = side == n;
            triangles_.insert(triangles_.end(), {middle, outward ? from : to, outward ? to : from});
          }
        }
      }
    }
  }
}

CondensedModel CondensedBlock::model() const {
  CondensedModel model;
  model.compliance = {static_cast<std::size_t>(dof()), single_, full_};
  model.mode_count = static_cast<std::size_t>(modes.cols());
  model.modes = row_major_modes_;
  model.eigenvalues = ascending_;
  model.damping = settings_.damping;
  model.vertices = vertices_;
  model.triangles = triangles_;
  model.embedding_nodes = corners_;
  model.embedding_weights = weights_;
  return model;
}

std::size_t CondensedBlock::vertex_at(double x, double y, double z) const {
  for (std::size_t v = 0; v < vertices_.size() / 3; ++v) {
    const Eigen::Map<const Eigen::Vector3d> place(&vertices_[3 * v]);
    if ((place - Eigen::Vector3d(x, y, z)).norm() < 1e-9) return v;
  }
  ADD_FAILURE() << "no vertex at " << x << ' ' << y << ' ' << z;
  return 0;
}

Eigen::MatrixXd CondensedBlock::H(const std::vector<ContactRow>& rows) const {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3 * static_cast<int>(rows.size()), dof());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].count; ++k) {
      H.block<3, 3>(3 * static_cast<int>(i), 3 * static_cast<int>(rows[i].nodes[k])) +=
          rows[i].weights[k] * Eigen::Matrix3d::Identity();
    }
  }
  return H;
}

Eigen::MatrixXd CondensedBlock::C2(int m) const {
  const Eigen::MatrixXd U1 = U.leftCols(m);
  return C - U1 * eigenvalues.head(m).cwiseInverse().asDiagonal() * U1.transpose();
}

}  // namespace haptic::condensed

#include "lab/oracle/raw_tensors.h"

#include <array>
#include <memory>

#include "lab/oracle/hexahedron_tables.h"

namespace haptic {

using Eigen::Index;

RawTensors::RawTensors(const SolidMesh& mesh, const Eigen::MatrixXd& basis)
    : r(basis.cols()),
      P(Eigen::MatrixXd::Zero(r, r)),
      cubic(static_cast<std::size_t>(r * r * r), 0.0),
      quartic(static_cast<std::size_t>(r * r * r * r), 0.0) {
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto tables = std::make_unique<HexahedronTables>(mesh.shape(e).quadrature);
    const auto [lambda, mu] = mesh.material(e).lame();
    std::array<Eigen::MatrixXd, 8> U;  // 3 x r
    for (int a = 0; a < 8; ++a) U[a] = basis.middleRows(3 * mesh.element(e)[a], 3);

    const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
    for (int c = 0; c < 8; ++c) {
      for (int a = 0; a < 8; ++a) {
        P += U[c].transpose() *
             (lambda * tables->A(c, a) + mu * tables->A(a, c) + mu * tables->B(a, c) * I) * U[a];
        for (int b = 0; b < 8; ++b) {
          const Eigen::Vector3d first = 0.5 * lambda * tables->C(c, a, b) + mu * tables->C(a, b, c);
          const Eigen::Vector3d second =
              lambda * tables->C(a, b, c) + mu * tables->C(c, a, b) + mu * tables->C(b, a, c);
          const Eigen::VectorXd along_first = U[c].transpose() * first;    // over l
          const Eigen::MatrixXd ab = U[a].transpose() * U[b];              // u_a^i . u_b^j
          const Eigen::MatrixXd cb = U[c].transpose() * U[b];              // over l, i
          const Eigen::VectorXd along_second = U[a].transpose() * second;  // over j
          std::size_t at = 0;
          for (Index l = 0; l < r; ++l) {
            for (Index i = 0; i < r; ++i) {
              for (Index j = 0; j < r; ++j) {
                cubic[at++] += along_first(l) * ab(i, j) + cb(l, i) * along_second(j);
              }
            }
          }
        }
      }
    }
    // S_lijk = sum over (a,b),(c,d) of (u_a^i . u_b^j) coefficient (U_c^l . u_d^k).
    Eigen::MatrixXd products(64, r * r), coefficient(64, 64);
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        const Eigen::MatrixXd ab = U[a].transpose() * U[b];
        products.row(8 * a + b) = Eigen::Map<const Eigen::RowVectorXd>(ab.data(), r * r);
        for (int c = 0; c < 8; ++c) {
          for (int d = 0; d < 8; ++d) {
            coefficient(8 * a + b, 8 * c + d) =
                0.5 * lambda * tables->D(a, b, c, d) + mu * tables->D(a, c, b, d);
          }
        }
      }
    }
    const Eigen::MatrixXd S = products.transpose() * coefficient * products;  // (ij) x (lk)
    std::size_t at = 0;
    for (Index l = 0; l < r; ++l) {
      for (Index i = 0; i < r; ++i) {
        for (Index j = 0; j < r; ++j) {
          for (Index k = 0; k < r; ++k) quartic[at++] += S(i + j * r, l + k * r);
        }
      }
    }
  }
}

Eigen::VectorXd RawTensors::force(const Eigen::VectorXd& q) const {
  Eigen::VectorXd R = P * q;
  for (Index l = 0; l < r; ++l) {
    for (Index i = 0; i < r; ++i) {
      for (Index j = 0; j < r; ++j) {
        R(l) += Q(l, i, j) * q(i) * q(j);
        for (Index k = 0; k < r; ++k) R(l) += S(l, i, j, k) * q(i) * q(j) * q(k);
      }
    }
  }
  return R;
}

Eigen::MatrixXd RawTensors::stiffness(const Eigen::VectorXd& q) const {
  Eigen::MatrixXd K = P;
  for (Index l = 0; l < r; ++l) {
    for (Index m = 0; m < r; ++m) {
      for (Index i = 0; i < r; ++i) {
        K(l, m) += (Q(l, m, i) + Q(l, i, m)) * q(i);
        for (Index j = 0; j < r; ++j) {
          K(l, m) += (S(l, m, i, j) + S(l, i, m, j) + S(l, i, j, m)) * q(i) * q(j);
        }
      }
    }
  }
  return K;
}

}  // namespace haptic

// The template of Barbic 2007, section 2.8.5, on a system that is not a finite element body: a
// chain of masses on stiffening springs.
#include "host/reduction/second_order_system.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <utility>

#include "host/reduction/modal_pairs.h"

namespace haptic {
namespace {

/// The inverse of modal_pair_index. @param pair 0..modal_pair_count(k)-1
std::pair<int, int> modal_pair(int pair, int k) {
  int i = 0;
  while (pair >= k - i) pair -= k - i++;
  return {i, i + pair};
}

/// Masses m_i between n + 1 springs with force k e + c e^2 + d e^3, walls at both ends.
class Chain {
 public:
  explicit Chain(int n) : mass_(n), k_(n + 1), c_(n + 1), d_(n + 1) {
    for (int s = 0; s <= n; ++s) {
      k_[s] = 10.0 + s;
      c_[s] = 3.0 - 0.4 * s;
      d_[s] = 2.0 + 0.1 * s;
    }
    for (int i = 0; i < n; ++i) mass_[i] = 1.0 + 0.3 * i;
    K_ = stiffness(Eigen::VectorXd::Zero(n));
    factor_.compute(K_);
  }

  int size() const { return static_cast<int>(mass_.size()); }
  Eigen::MatrixXd multiply_mass(const Eigen::MatrixXd& X) const { return mass_.asDiagonal() * X; }
  Eigen::MatrixXd solve_stiffness(const Eigen::MatrixXd& X) const { return factor_.solve(X); }
  Eigen::MatrixXd contract_hessian(const Eigen::MatrixXd& X, int begin, int end) const {
    Eigen::MatrixXd products(X.rows(), end - begin);
    for (int pair = begin; pair < end; ++pair) {
      const auto [i, j] = modal_pair(pair, static_cast<int>(X.cols()));
      products.col(pair - begin) =
          to_masses(2.0 * c_.cwiseProduct(extension(X.col(i))).cwiseProduct(extension(X.col(j))));
    }
    return products;
  }

  Eigen::VectorXd force(const Eigen::VectorXd& x) const {
    const Eigen::ArrayXd e = extension(x).array();
    return to_masses((k_.array() * e + c_.array() * e.square() + d_.array() * e.cube()).matrix());
  }
  Eigen::MatrixXd stiffness(const Eigen::VectorXd& x) const {
    const Eigen::ArrayXd e = extension(x).array();
    const Eigen::VectorXd slope =
        (k_.array() + 2.0 * c_.array() * e + 3.0 * d_.array() * e.square()).matrix();
    Eigen::MatrixXd K(x.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      K.col(i) = to_masses(slope.cwiseProduct(extension(Eigen::VectorXd::Unit(x.size(), i))));
    }
    return K;
  }
  Eigen::VectorXd equilibrium(const Eigen::VectorXd& load) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(load.size());
    for (int i = 0; i < 30; ++i) x += stiffness(x).ldlt().solve(load - force(x));
    return x;
  }

 private:
  Eigen::VectorXd extension(const Eigen::VectorXd& x) const {
    Eigen::VectorXd e(x.size() + 1);
    e[0] = x[0];
    for (Eigen::Index s = 1; s < x.size(); ++s) e[s] = x[s] - x[s - 1];
    e[x.size()] = -x[x.size() - 1];
    return e;
  }
  Eigen::VectorXd to_masses(const Eigen::VectorXd& tension) const {
    return tension.head(tension.size() - 1) - tension.tail(tension.size() - 1);
  }

  Eigen::VectorXd mass_, k_, c_, d_;
  Eigen::MatrixXd K_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

static_assert(SecondOrderSystem<Chain>);

TEST(SecondOrderSystem, modes_solve_the_eigenproblem) {
  const Chain chain(12);
  const SystemModes modes = lowest_modes(chain, 3);
  const Eigen::MatrixXd K = chain.stiffness(Eigen::VectorXd::Zero(12));
  const Eigen::MatrixXd residual =
      K * modes.shapes - chain.multiply_mass(modes.shapes) * modes.eigenvalues.asDiagonal();
  EXPECT_LE(residual.norm(), 1e-10 * K.norm());
  EXPECT_LE((modes.shapes.transpose() * chain.multiply_mass(modes.shapes) -
             Eigen::MatrixXd::Identity(3, 3))
                .norm(),
            1e-12);
}

// As for StVK: halving p divides the first-order error by 4, the second-order one by 8.
TEST(SecondOrderSystem, derivatives_are_the_second_order_terms_of_the_static_response) {
  const Chain chain(12);
  const int k = 3;
  const SystemModes modes = lowest_modes(chain, k);
  const Eigen::MatrixXd derivatives =
      static_derivatives(chain, modes.shapes, 0, modal_pair_count(k));
  const auto errors = [&](double scale) {
    const Eigen::VectorXd p = scale * Eigen::Vector3d(0.3, -0.2, 0.25);
    const Eigen::VectorXd x =
        chain.equilibrium(chain.multiply_mass(modes.shapes * modes.eigenvalues.cwiseProduct(p)));
    const Eigen::VectorXd first = modes.shapes * p;
    Eigen::VectorXd second = first;
    for (int pair = 0; pair < modal_pair_count(k); ++pair) {
      const auto [i, j] = modal_pair(pair, k);
      second += (i == j ? 0.5 : 1.0) * p[i] * p[j] * derivatives.col(pair);
    }
    return std::pair((x - first).norm(), (x - second).norm());
  };
  const auto whole = errors(0.02), half = errors(0.01);
  EXPECT_NEAR(whole.first / half.first, 4.0, 0.1);
  EXPECT_NEAR(whole.second / half.second, 8.0, 0.3);
}

TEST(ModalPairs, index_and_pair_are_inverse) {
  for (const int k : {1, 2, 7}) {
    for (int pair = 0; pair < modal_pair_count(k); ++pair) {
      const auto [i, j] = modal_pair(pair, k);
      EXPECT_LE(i, j);
      EXPECT_LT(j, k);
      EXPECT_EQ(modal_pair_index(i, j, k), pair);
    }
  }
}

}  // namespace
}  // namespace haptic

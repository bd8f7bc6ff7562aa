#include "lab/oracle/packed_polynomials.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace haptic {
namespace {

using Eigen::Index;

/// Distinct entries looked up by any order of the indices.
class SymmetricTensor {
 public:
  SymmetricTensor(Index r, int order, std::span<const double> distinct) : r_(r) {
    std::vector<Index> index(static_cast<std::size_t>(order), 0);
    for (double value : distinct) {
      entries_[key(index)] = value;
      int at = order - 1;
      while (at >= 0 && ++index[static_cast<std::size_t>(at)] == r) --at;
      for (int m = at + 1; at >= 0 && m < order; ++m) {
        index[static_cast<std::size_t>(m)] = index[static_cast<std::size_t>(at)];
      }
    }
  }

  double operator()(std::vector<Index> index) const {
    std::sort(index.begin(), index.end());
    return entries_.at(key(index));
  }

 private:
  std::size_t key(const std::vector<Index>& index) const {
    std::size_t k = 0;
    for (Index i : index) k = k * static_cast<std::size_t>(r_) + static_cast<std::size_t>(i);
    return k;
  }

  Index r_;
  std::map<std::size_t, double> entries_;
};

}  // namespace

PackedPolynomials::PackedPolynomials(std::uint32_t dimension, std::span<const double> quadratic,
                                     std::span<const double> cubic, std::span<const double> quartic)
    : r(dimension) {
  const Index pairs = r * (r + 1) / 2, triples = r * (r + 1) * (r + 2) / 6;
  force_coefficients.resize(r, r + pairs + triples);
  stiffness_coefficients.resize(pairs, 1 + r + pairs);
  const SymmetricTensor P(r, 2, quadratic), Q(r, 3, cubic), S(r, 4, quartic);

  for (Index l = 0; l < r; ++l) {
    Index at = 0;
    for (Index i = 0; i < r; ++i) force_coefficients(l, at++) = P({l, i});
    for (Index i = 0; i < r; ++i) {
      for (Index j = i; j < r; ++j)
        force_coefficients(l, at++) = (i == j ? 1.0 : 2.0) * Q({l, i, j});
    }
    for (Index i = 0; i < r; ++i) {
      for (Index j = i; j < r; ++j) {
        for (Index k = j; k < r; ++k) {
          const double permutations = i == k ? 1.0 : (i == j || j == k) ? 3.0 : 6.0;
          force_coefficients(l, at++) = permutations * S({l, i, j, k});
        }
      }
    }
  }
  Index row = 0;
  for (Index l = 0; l < r; ++l) {
    for (Index m = l; m < r; ++m, ++row) {
      Index at = 0;
      stiffness_coefficients(row, at++) = P({l, m});
      for (Index i = 0; i < r; ++i) stiffness_coefficients(row, at++) = 2.0 * Q({l, m, i});
      for (Index i = 0; i < r; ++i) {
        for (Index j = i; j < r; ++j) {
          stiffness_coefficients(row, at++) = (i == j ? 3.0 : 6.0) * S({l, m, i, j});
        }
      }
    }
  }
}

std::size_t PackedPolynomials::byte_count() const {
  return sizeof(double) *
         static_cast<std::size_t>(force_coefficients.size() + stiffness_coefficients.size());
}

void force_monomials(const Eigen::VectorXd& q, Eigen::VectorXd& monomials) {
  const Index r = q.size();
  Index at = 0;
  for (Index i = 0; i < r; ++i) monomials(at++) = q(i);
  for (Index i = 0; i < r; ++i) {
    for (Index j = i; j < r; ++j) monomials(at++) = q(i) * q(j);
  }
  for (Index i = 0; i < r; ++i) {
    for (Index j = i; j < r; ++j) {
      const double pair = q(i) * q(j);
      for (Index k = j; k < r; ++k) monomials(at++) = pair * q(k);
    }
  }
}

void stiffness_monomials(const Eigen::VectorXd& q, Eigen::VectorXd& monomials) {
  const Index r = q.size();
  Index at = 0;
  monomials(at++) = 1.0;
  for (Index i = 0; i < r; ++i) monomials(at++) = q(i);
  for (Index i = 0; i < r; ++i) {
    for (Index j = i; j < r; ++j) monomials(at++) = q(i) * q(j);
  }
}

Eigen::VectorXd PackedPolynomials::force(const Eigen::VectorXd& q) const {
  Eigen::VectorXd monomials(force_coefficients.cols());
  force_monomials(q, monomials);
  return force_coefficients * monomials;
}

Eigen::MatrixXd PackedPolynomials::stiffness(const Eigen::VectorXd& q) const {
  Eigen::VectorXd monomials(stiffness_coefficients.cols());
  stiffness_monomials(q, monomials);
  const Eigen::VectorXd packed = stiffness_coefficients * monomials;
  Eigen::MatrixXd K(r, r);
  Index row = 0;
  for (Index l = 0; l < r; ++l) {
    for (Index m = l; m < r; ++m, ++row) K(l, m) = K(m, l) = packed(row);
  }
  return K;
}

}  // namespace haptic

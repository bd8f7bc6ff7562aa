#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/dynamics/aligned_vector.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Largest reduced dimension the loop accepts.
inline constexpr std::uint32_t kMaxReducedDimension = 64;

/// Distinct entries of a totally symmetric tensor of `order` over r indices: C(r + order - 1,
/// order).
constexpr std::size_t distinct_count(std::size_t r, std::size_t order) {
  std::size_t count = 1;
  for (std::size_t m = 1; m <= order; ++m) count = count * (r + m - 1) / m;
  return count;
}

/// Reduced StVK strain energy as its distinct coefficients (spec reduced-dynamics 2.7):
///   W(q) = 1/2 P_ij q_i q_j + 1/3 Q_ijk q_i q_j q_k + 1/4 S_ijkl q_i q_j q_k q_l   (full sums)
/// with totally symmetric P, Q, S given once per i <= j <= k <= l, last index fastest.
///
/// Keeps its own aligned copy, multiplicities folded in. Constant from construction on: any number
/// of threads may evaluate one energy, each with a Workspace of its own.
class ReducedEnergy {
 public:
  /// @throws InputError if r is not in 1..kMaxReducedDimension, a length does not fit r or a
  ///         coefficient is not finite
  ReducedEnergy(std::uint32_t r, std::span<const double> quadratic, std::span<const double> cubic,
                std::span<const double> quartic);
  /// From /reduced/quadratic, cubic, quartic. @throws InputError as above or if a section is
  /// missing
  explicit ReducedEnergy(const ModelFile& model);

  std::uint32_t dimension() const HAPTIC_REALTIME { return r_; }

  /// Working memory of one evaluation, about C(r+2,3) doubles; allocates at construction only.
  class Workspace {
   public:
    /// @param r dimension of the energies it will serve
    explicit Workspace(std::uint32_t r);

   private:
    friend class ReducedEnergy;
    std::uint32_t r_;
    AlignedVector<double> q_;         ///< (1, q), padded with zeros
    AlignedVector<double> pairs_;     ///< q_k q_l, k >= l, packed
    AlignedVector<double> by_last_;   ///< A_i: sum over j of q_j c_ijkl, packed in k >= l
    AlignedVector<double> by_first_;  ///< B_j: sum over i of q_i c_ijkl, slab j packed in k >= l
    AlignedVector<double> row_;       ///< one row of the Hessian
    AlignedVector<double> hessian_;   ///< packed lower triangle, diagonal halved
  };

  /// W(q) [J]. @param q r values
  double energy(std::span<const double> q) const HAPTIC_REALTIME;

  /// Force R = dW/dq [r] and stiffness K = dR/dq [r x r, symmetric, both triangles], in one pass
  /// over the distinct coefficients and three multiply-adds a coefficient;
  /// R = (K0 + K1/2 + K2/3) q by Euler's theorem (spec 2.8).
  /// @param workspace made for this dimension
  void force_and_stiffness(std::span<const double> q, std::span<double> force,
                           std::span<double> stiffness, Workspace& workspace) const HAPTIC_REALTIME;

 private:
  std::uint32_t r_;
  AlignedVector<double> coefficients_;  ///< of the homogenised W, slabs i >= j packed in k >= l
};

}  // namespace haptic

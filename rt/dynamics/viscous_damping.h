#pragma once

#include <cstdint>
#include <span>

#include "rt/dynamics/aligned_vector.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Strain-rate damping in the subspace, D = G(q) q' with S_D = phi tr(E') I + 2 psi E'
/// (docs/methods/reduced-dynamics.md, "Damping"). With E = L_i q_i + N_ij q_i q_j and the inner
/// product <,> of the viscosities over the body,
///   G_li(q) = <L_l + 2 N_lj q_j, L_i + 2 N_ij q_j>
///           = G1_li + 2 q_j (G2(l,ij) + G2(i,lj)) + 4 q_j q_k G3(lj,ik)     (full sums)
/// symmetric and positive semidefinite for phi, psi >= 0. Immutable after construction.
class ViscousDamping {
 public:
  /// With P = r(r+1)/2 pairs i <= j, last index fastest:
  /// @param linear     G1, P values [1/s]
  /// @param mixed      G2, r x P
  /// @param quadratic  G3, upper triangle over the pairs, P(P+1)/2 values
  /// @throws InputError if r or a length does not fit, or a value is not finite
  ViscousDamping(std::uint32_t r, std::span<const double> linear, std::span<const double> mixed,
                 std::span<const double> quadratic);

  std::uint32_t dimension() const HAPTIC_REALTIME { return r_; }

  /// Working memory of one evaluation; allocates at construction only.
  class Workspace {
   public:
    explicit Workspace(std::uint32_t r);

   private:
    friend class ViscousDamping;
    AlignedVector<double> q_;    ///< padded with zeros
    AlignedVector<double> row_;  ///< one row of the sum, padded
    AlignedVector<double> sum_;  ///< Y with G = G1 + Y + Y^T, r padded rows
  };

  /// G(q). Reads each distinct value once and does two multiply-adds with it, about r^4 / 4 in all.
  /// With fewer than r values, the coordinates behind them are zero, and take no time.
  /// @param q  d <= r values  @param[out] matrix  both triangles of its first rows and columns, n x
  ///           n with n <= d  @param workspace of this r
  void evaluate(std::span<const double> q, std::span<double> matrix,
                Workspace& workspace) const HAPTIC_REALTIME;

 private:
  std::uint32_t r_;
  AlignedVector<double> linear_;     ///< r x r
  AlignedVector<double> mixed_;      ///< 2 G2: r rows of pairs, in padded runs
  AlignedVector<double> quadratic_;  ///< 4 G3, diagonal halved: one row per pair, from that pair on
};

}  // namespace haptic

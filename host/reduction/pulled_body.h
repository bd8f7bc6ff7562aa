#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>

#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// The linear static model for sketching by hand (Barbic 2007, section 2.8.2): a spring from one
/// vertex to the hand, without dynamics, which would disturb the user. With the compliance C of the
/// vertex (u = C f) and the hand displaced by d from the rest position of the vertex, the spring
/// force is f = (I/k + C)^-1 d.
class PulledBody {
 public:
  /// @param vertex    grabbed; must be free
  /// @param stiffness of the spring [N/m] > 0; absent: ten times the stiffness of the vertex, so
  ///                  that the vertex follows the hand to about a tenth
  /// @throws InputError if the vertex is fixed or out of range, or the stiffness not > 0
  PulledBody(const StvkModel& model, const SparseFactorization& rest_stiffness,
             std::uint32_t vertex, std::optional<double> stiffness = {});

  /// Force on the vertex [N] with the hand displaced by `hand` [m] from the rest position of the
  /// vertex.
  Vector3 force(const Vector3& hand) const { return pull_ * hand; }
  /// Displacement of the vertex under a force on it [m].
  Vector3 displacement(const Vector3& force) const { return compliance_ * force; }
  double stiffness() const { return stiffness_; }  ///< of the spring [N/m]

 private:
  double stiffness_ = 0.0;
  Matrix3 compliance_, pull_;
};

}  // namespace haptic

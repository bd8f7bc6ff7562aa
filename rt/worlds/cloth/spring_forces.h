#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/bodies/cloth_springs.h"
#include "rt/worlds/cloth/buckling_strip.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_bands.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Forces of the springs between particles.
///
/// With d = x_i - x_j, l = |d|, unit u = d / l and tension T(l):
///   f_i = -T u + k_d ((v_j - v_i) . u) u,   f_j = -f_i.
/// T = k (l - r) for structural, shear and bend springs; the same for l >= r and 0 below it for
/// sequential ones; BucklingStrip for interlaced ones. A spring whose ends are closer than 1e-12
/// of its rest length has no direction; it is left out and counted. A fabric's bending
/// (Springs::plate) adds f_i = -s d, f_j = s d to the springs between i and j; all together have a
/// convex energy. Springs are computed four at a time where they can be (SpringBands), in memory of
/// this object. Source: docs/methods/cloth.md, "Springs".
class SpringForces {
 public:
  explicit SpringForces(Springs springs);

  const Springs& springs() const HAPTIC_REALTIME { return springs_; }

  /// Adds the forces to f [N]. x [m], v [m/s], f: 3n values.
  /// @returns how many springs were left out
  std::size_t add_to(std::span<const double> x, std::span<const double> v,
                     std::span<double> f) const HAPTIC_REALTIME;

  /// Energy stored in the springs [J].
  double energy(std::span<const double> x) const HAPTIC_REALTIME;
  /// Power that the dampers take out [W], >= 0.
  double dissipation(std::span<const double> x, std::span<const double> v) const HAPTIC_REALTIME;

  /// A spring's direction and the gradient of its force. The force on i changes by
  /// -(across I + (along - across) u u^T) (dx_i - dx_j) - damping u u^T (dv_i - dv_j).
  struct Gradient {
    Vector3 u = Vector3::Zero();
    double along = 0.0;   ///< dT/dl [N/m]
    double across = 0.0;  ///< T / l where that is positive [N/m]; 0 where the spring is compressed,
                          ///< so that the matrix of an implicit step stays positive definite. Both
                          ///< with plate()
    double damping = 0.0;  ///< kg/s
  };
  /// `exact` keeps a negative T / l. A spring without a direction has the gradient 0.
  Gradient gradient(std::span<const double> x, std::size_t spring,
                    bool exact = false) const HAPTIC_REALTIME;

  /// Whether the springs are of a fabric that resists bending; and a spring's part of that.
  bool has_plate() const HAPTIC_REALTIME { return !springs_.plate.empty(); }
  double plate(std::size_t spring) const HAPTIC_REALTIME {
    return has_plate() ? springs_.plate[spring] : 0.0;
  }

  /// The springs in the order of their bands.
  const SpringBands& bands() const HAPTIC_REALTIME { return bands_; }
  /// Gradients of all slots of bands(), an array a member; zeros in gaps.
  struct BandGradients {
    std::span<double> x, y, z, along, across, damping;  ///< x, y, z of u
  };
  void gradients(std::span<const double> x, const BandGradients& out) const HAPTIC_REALTIME;

 private:
  /// Constants of slots; `resists` is 0 of a spring that acts only when longer than at rest.
  struct Slots {
    AlignedVector<double> rest, stiffness, damping, resists, plate;
  };
  struct Four;  // four springs at a place

  void set_slots();
  Four four(std::uint32_t i, std::uint32_t j, std::uint32_t slot) const HAPTIC_REALTIME;
  std::size_t add_bands(std::span<const double> x, std::span<const double> v,
                        std::span<double> f) const HAPTIC_REALTIME;

  struct Pull {
    double tension, stiffness, energy;
  };
  Pull pull(std::size_t spring, double length) const HAPTIC_REALTIME;

  Springs springs_;
  std::size_t strips_from_ = 0;        ///< first interlaced spring; they come last
  std::vector<BucklingStrip> strips_;  ///< of the springs from strips_from_ on
  SpringBands bands_;
  Slots slots_;
  mutable CoordinateArrays x_, v_, plus_, minus_;  // working memory
};

}  // namespace haptic::cloth

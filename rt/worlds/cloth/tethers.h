#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A spring and damper of rest length 0 that pulls one particle to a target: the soft way to make
/// it follow the hand.
struct TargetSpring {
  std::uint32_t particle = 0;
  Vector3 target = Vector3::Zero();  ///< m
  double stiffness = 0.0;            ///< N/m, >= 0
  double damping = 0.0;              ///< kg/s, >= 0, of the particle's velocity
};

/// Keeps a particle on a sphere: C = (|p|^2 - R^2) / 2 = 0 with p = x - centre.
struct SphereConstraint {
  std::uint32_t particle = 0;
  Vector3 centre = Vector3::Zero();  ///< m
  double radius = 0.0;               ///< m, > 0
  double stiffness = 0.0;            ///< k_s [1/s^2], >= 0: feedback against drift of C
  double damping = 0.0;              ///< k_d [1/s], >= 0: feedback against drift of C'
};

/// The workless force lambda p that keeps C'' = -k_s C - k_d C' under the other forces f:
///   lambda = -(f . p + m v . v + m (k_s C + k_d C')) / (p . p).
/// Source: docs/methods/cloth.md, "Constraints"; Witkin 2001.
/// @returns lambda p [N]; 0 at the centre
Vector3 constraint_force(const SphereConstraint& constraint, double mass, const Vector3& x,
                         const Vector3& v, const Vector3& f) HAPTIC_REALTIME;

/// A fixed number of places for springs to targets and for sphere constraints.
class Tethers {
 public:
  explicit Tethers(std::size_t capacity);

  /// @returns false if every place is taken
  [[nodiscard]] bool add(const TargetSpring& spring) HAPTIC_REALTIME;
  [[nodiscard]] bool add(const SphereConstraint& constraint) HAPTIC_REALTIME;
  /// Removes what holds the particle; the order of the others stays.
  void remove(std::uint32_t particle) HAPTIC_REALTIME;
  /// Removes all springs to targets.
  void clear_springs() HAPTIC_REALTIME { spring_count_ = 0; }

  std::span<TargetSpring> springs() HAPTIC_REALTIME { return {springs_.data(), spring_count_}; }
  std::span<const TargetSpring> springs() const HAPTIC_REALTIME {
    return {springs_.data(), spring_count_};
  }
  std::span<const SphereConstraint> spheres() const HAPTIC_REALTIME {
    return {spheres_.data(), sphere_count_};
  }

  /// Adds the springs' forces to f [N], then the constraint forces, which answer all of f.
  void add_to(std::span<const double> masses, std::span<const double> x, std::span<const double> v,
              std::span<double> f) const HAPTIC_REALTIME;

  /// Energy of the springs [J].
  double energy(std::span<const double> x) const HAPTIC_REALTIME;

 private:
  std::vector<TargetSpring> springs_;
  std::vector<SphereConstraint> spheres_;
  std::size_t spring_count_ = 0, sphere_count_ = 0;
};

}  // namespace haptic::cloth

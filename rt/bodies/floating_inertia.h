#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/free_body.h"
#include "shared/artifact/model_file.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Inertia of a free body that deforms, and the inertial forces on its reduced coordinates in the
/// axes that turn with it. The basis vectors have no linear or angular momentum, so the centre of
/// mass stays that of the rest shape. All vectors are in model axes.
/// Source: docs/methods/multibody.md, "Free bodies that deform".
class FloatingInertia {
 public:
  /// Whether the model has the sections of /reduced/inertia: it was baked as a free body.
  static bool is_in(const ModelFile& model);
  /// @param kept  leading basis vectors to use, 1..r
  /// @throws InputError if a value is not finite
  FloatingInertia(const ModelFile& model, const RigidMass& rest, std::uint32_t kept);

  /// Only the first `used` coordinates move from the next update() on, 1..kept: the columns of the
  /// others in coupling() and counter_turn() are zero, and they are not in mass() and impulse().
  void set_used(std::size_t used) HAPTIC_REALTIME { used_ = used; }

  /// Computes the functions below for a state. @param q, qdot  `kept` values each; qdot of the
  /// coordinates that do not move is zero
  void update(std::span<const double> q, std::span<const double> qdot) HAPTIC_REALTIME;
  /// About the centre of mass [kg m^2].
  const Matrix3& inertia() const HAPTIC_REALTIME { return inertia_; }
  /// Angular momentum of the deformation about the centre of mass, sum m u x u' [kg m^2/s].
  const Vector3& spin() const HAPTIC_REALTIME { return spin_; }
  /// C: spin() = C q', reduced where the body has deformed so far that hardly any mass of its
  /// reduced coordinates would be left (kMinMass); and the kinetic energy of rotation and
  /// deformation together is 1/2 w . J w + w . C q' + 1/2 |q'|^2 [3 x kept].
  const Eigen::Matrix3Xd& coupling() const HAPTIC_REALTIME { return coupling_; }
  /// J^-1 C: the angular velocity by which a body without angular momentum turns against q'.
  const Eigen::Matrix3Xd& counter_turn() const HAPTIC_REALTIME { return counter_turn_; }
  /// 1 - C^T J^-1 C, the mass of the reduced coordinates of a body that is free to turn [used x
  /// used].
  std::span<const double> mass() const HAPTIC_REALTIME {
    return std::span(mass_).first(used_ * used_);
  }
  /// Impulse of the centrifugal, Coriolis and Euler forces of the last state over a time dt [used,
  /// N s]; that of Coriolis turns the velocity and keeps its length, to about (|w| dt)^6.
  /// @param w   angular velocity [rad/s]
  /// @param dt  s; |w| dt < 1
  std::span<const double> impulse(const Vector3& w, double dt) HAPTIC_REALTIME;

  /// Least eigenvalue of mass().
  static constexpr double kMinMass = 0.1;

 private:
  void limit_coupling(const Matrix3& inverse) HAPTIC_REALTIME;
  /// The first `rows` values of result += factor m x, m of r x r.
  void multiply_add(const std::vector<double>& m, double factor, const std::vector<double>& x,
                    std::size_t rows, std::vector<double>& result) const HAPTIC_REALTIME;

  std::size_t r_, used_;
  Matrix3 rest_moments_;                           // sum m x x^T
  std::array<std::vector<double>, 6> linear_;      // per component: r
  std::array<std::vector<double>, 6> quadratic_;   // r x r, symmetric
  std::array<std::vector<double>, 3> spin_of_;     // r x r, antisymmetric
  std::array<std::vector<double>, 6> derivative_;  // of sum m x x^T by q: r
  Matrix3 inertia_;
  Vector3 spin_ = Vector3::Zero();
  double coupled_ = 1.0;  // part of the coupling that is kept
  Eigen::Matrix3Xd coupling_, counter_turn_;
  std::vector<double> mass_;  // packed, used x used
  std::vector<double> q_, qdot_, turning_, velocity_, change_, impulse_;
};

}  // namespace haptic

#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/cloth_preconditioner.h"
#include "rt/worlds/cloth/contact/cloth_contact.h"
#include "rt/worlds/cloth/contact/point_contact.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The point in the hand among the contacts of a step.
///
/// A pass has the planes that held the point at the end of the last pass, and of friction the
/// stiffness k_t = min(k, mu k |r| / |t|), t the tangential way from the hand to the cloth: so
/// that it stays within its limit. Functions named as in ContactRows do the same for the point, and
/// nothing where it does not touch.
/// Source: docs/methods/cloth.md, "A point in the step".
class PointRow {
 public:
  void clear() HAPTIC_REALTIME { presses_ = false; }
  void set(const PointContact& contact) HAPTIC_REALTIME;
  bool presses() const HAPTIC_REALTIME { return presses_; }
  const PointContact& contact() const HAPTIC_REALTIME { return contact_; }
  bool finite() const HAPTIC_REALTIME;

  /// First guess: the planes that hold the point if the cloth goes on.
  void predict(std::span<const double> v, double h) HAPTIC_REALTIME;
  /// Of the way from the last decision's motion to the last evaluate(): the part at which the
  /// energy of cloth and point is least, 1 if the forces of the pass are right at its end.
  /// @param curvature  of the energy along the way, by the matrix of the pass [J]
  double best_part(double curvature) const HAPTIC_REALTIME;
  /// @returns 1 if the forces were off by more than a hundredth, with their distribution
  std::size_t decide() HAPTIC_REALTIME;
  void add_to(ClothPreconditioner& preconditioner) const HAPTIC_REALTIME;
  void evaluate(std::span<const double> z) HAPTIC_REALTIME;
  void add_impulses(double scale, std::span<double> to) const HAPTIC_REALTIME;
  void add_product(std::span<const double> p, std::span<double> q) const HAPTIC_REALTIME;

  void set_base(std::span<const double> z) HAPTIC_REALTIME;
  double push_only(double scale) HAPTIC_REALTIME;
  /// After push_only(): the force, and k |r| as its normal part.
  ContactForce force() const HAPTIC_REALTIME;

  /// Adds the impulses on the cloth if the hand moves by e [m].
  void add_hand_motion(const Vector3& e, std::span<double> to) const HAPTIC_REALTIME;
  /// h times the mean velocity of the sites of contacts that hold the point, by their parts.
  Vector3 mean_motion(std::span<const double> z) const HAPTIC_REALTIME { return motion(z).mean; }

 private:
  /// Of the cloth over the step: n . s of each plane, and the mean s by their parts [m].
  struct Motion {
    PointContact::Values along{};
    Vector3 mean = Vector3::Zero();
  };
  /// On the cloth: along the normal of each plane, <= 0, and friction [N].
  struct Force {
    PointContact::Values normal{};
    Vector3 friction = Vector3::Zero();
  };
  /// The law of a pass: how the point is held, k_t, and the force at a motion.
  struct Law {
    PointContact::Held held;
    double tangential = 0.0;
    Motion motion;
    Force force;
  };
  Motion motion(std::span<const double> z) const HAPTIC_REALTIME;
  Law law(const Motion& motion) const HAPTIC_REALTIME;
  bool confirms(const Law& law) const HAPTIC_REALTIME;
  double work(const Force& force, const Motion& way) const HAPTIC_REALTIME;
  Force change(const Motion& motion) const HAPTIC_REALTIME;
  void spread(const Force& force, double h, std::span<double> to) const HAPTIC_REALTIME;

  PointContact contact_;
  bool presses_ = false;
  Law law_;
  Motion moved_, base_;  // of evaluate() and set_base()
  Force force_;
  double pressure_ = 0.0;  // k |r|
  double h_ = 0.0;
};

}  // namespace haptic::cloth

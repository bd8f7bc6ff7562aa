#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/cloth_preconditioner.h"
#include "rt/worlds/cloth/contact/cloth_contact.h"
#include "rt/worlds/cloth/contact/contact_partners.h"
#include "rt/worlds/cloth/contact/point_row.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The contacts of a step as springs between the cloth and other surfaces, in fixed memory.
///
/// With d the relative motion of a contact over the step, J z that of its site for velocities z,
/// J_p y and h v_s those of the other surface:
///   d = h J z - J_p y - h v_s,    F = c - K d,    K = k n n^T + k_t (I - n n^T)
///   c = -k gap n - k_t s,         s the tangential stretch at the start
/// of a contact that presses; 0 of another. k_t = min(k, mu F_n / |s + d_t|) with the values of the
/// last pass, so that friction ends at its limit and along the slip.
/// Source: docs/methods/cloth.md, "Contact in the step".
class ContactRows {
 public:
  /// @param most_unknowns  of a partner. Allocates; no other function does
  ContactRows(std::size_t capacity, std::size_t most_unknowns);

  void clear() HAPTIC_REALTIME {
    count_ = 0;
    point_.clear();
  }
  /// @param jacobian  3 x d by column: motion of the other surface's point is J_p y; empty without
  ///                  a partner
  /// @returns false if there is no place
  [[nodiscard]] bool add(const ClothContact& contact,
                         std::span<const double> jacobian) HAPTIC_REALTIME;
  std::size_t size() const HAPTIC_REALTIME { return count_; }
  /// The point in the hand, part of all but the functions of one row.
  PointRow& point() HAPTIC_REALTIME { return point_; }
  const PointRow& point() const HAPTIC_REALTIME { return point_; }
  std::size_t capacity() const HAPTIC_REALTIME { return rows_.size(); }
  const ClothContact& contact(std::size_t row) const HAPTIC_REALTIME { return rows_[row].contact; }
  bool finite() const HAPTIC_REALTIME;

  /// First guess, from the velocities v at the start: contacts that pressed, and those that would
  /// overlap if both sides went on.
  void predict(std::span<const double> v, double h) HAPTIC_REALTIME;
  /// Decides again from the motions of the last evaluate(); the point decides for itself.
  /// @returns how many contacts changed their state, or friction by more than a hundredth
  std::size_t decide() HAPTIC_REALTIME;

  /// Before the products of a pass: lists the contacts that press, and adds their stiffness to the
  /// partners' matrices.
  void prepare(ContactPartners& partners) HAPTIC_REALTIME;
  /// Adds h^2 J^T K J of these contacts.
  void add_to(ClothPreconditioner& preconditioner) const HAPTIC_REALTIME;
  /// Motions and forces for velocities z of the cloth; `partners` moves as these forces push it.
  void evaluate(std::span<const double> z, ContactPartners& partners) HAPTIC_REALTIME;
  /// Adds `scale` times h J^T F of the last evaluate().
  void add_impulses(double scale, std::span<double> to) const HAPTIC_REALTIME;
  /// Of the contacts of the last prepare(): q += h^2 J^T K (J - J_p Y) p, with Y p the partners'
  /// answer to p.
  void add_product(std::span<const double> p, std::span<double> q,
                   ContactPartners& partners) HAPTIC_REALTIME;

  /// Sets what of the motions of the last evaluate() push_only() does not scale: that of z.
  void set_base(std::span<const double> z) HAPTIC_REALTIME;
  /// After these: a contact that would pull does not push, and what of its motion is not base is
  /// multiplied by `scale`, except that of a moved surface. @returns sum F . (h J z - J_p y)
  double push_only(double scale) HAPTIC_REALTIME;
  /// Force of a contact after push_only().
  ContactForce force(std::size_t row) const HAPTIC_REALTIME;

  // Of a linear response, for the contacts of the last prepare(); forces stay what they are.
  /// Adds h J^T K J_p y of a partner's contacts.
  void add_partner_motion(std::uint32_t partner, const ContactPartners& partners,
                          std::span<double> to) const HAPTIC_REALTIME;
  /// Adds J_p^T K h J z to the partner's load.
  void add_load_of(std::span<const double> z, std::uint32_t partner,
                   ContactPartners& partners) const HAPTIC_REALTIME;

 private:
  struct Row {
    ClothContact contact;
    Vector3 moved, base, d, force;  // h J z - J_p y; of it base; relative motion; on the cloth
    Vector3 c;
    Matrix3 K;
    double tangential;  // k_t
    bool presses;
  };
  /// What a product needs of a contact that presses, close together.
  struct Pressing {
    std::array<std::uint32_t, 3> particles;
    std::uint32_t count;
    std::array<double, 3> weights;  // times h
    Matrix3 K;
    Vector3 force;
    std::uint32_t partner, row;

    Vector3 motion(std::span<const double> z) const HAPTIC_REALTIME;  ///< h J z
    void spread(const Vector3& impulse, std::span<double> to) const HAPTIC_REALTIME;
  };

  std::span<const double> jacobian(std::size_t row) const HAPTIC_REALTIME {
    return {jacobians_.data() + 3 * most_ * row, 3 * most_};
  }
  static Vector3 site(const ClothContact& contact, std::span<const double> z) HAPTIC_REALTIME;
  static void spread(const ClothContact& contact, const Vector3& force,
                     std::span<double> to) HAPTIC_REALTIME;
  static double normal_force(const Row& row) HAPTIC_REALTIME;
  static Vector3 stretch(const Row& row) HAPTIC_REALTIME;
  static void set_spring(Row& row, bool presses, double tangential) HAPTIC_REALTIME;

  PointRow point_;
  std::vector<Row> rows_;
  std::vector<Pressing> pressing_;  // the first pressing_count_
  std::size_t pressing_count_ = 0;
  std::vector<double> jacobians_;  // 3 most_ a row
  std::size_t most_, count_ = 0;
  double h_ = 0.0;
};

}  // namespace haptic::cloth

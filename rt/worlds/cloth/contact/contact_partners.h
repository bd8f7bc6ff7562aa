#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic {
class SmallCholesky;
}

namespace haptic::cloth {

/// Bodies that give way under a cloth: of each, a small system A y = b - J^T F for its motion y
/// over the step, F the contact forces on the cloth.
///
/// The held body, a free or a reduced body prepares A and b. Contacts are eliminated: with their
/// stiffness added, A is factored once a pass, and y follows from the motion of the cloth.
class ContactPartners {
 public:
  /// @param dimensions  largest d of each body, >= 1. Allocates; no other function does
  explicit ContactPartners(std::span<const std::uint32_t> dimensions);
  ~ContactPartners();
  ContactPartners(ContactPartners&&) noexcept;

  std::size_t size() const HAPTIC_REALTIME { return bodies_.size(); }
  /// Sets the system of a body for the next step.
  /// @param matrix  d x d, symmetric, positive definite; d may be less than at construction
  /// @param load    d values
  void set(std::size_t body, std::span<const double> matrix,
           std::span<const double> load) HAPTIC_REALTIME;
  std::size_t dimension(std::size_t body) const HAPTIC_REALTIME { return bodies_[body].d; }

  /// Starts the matrices anew: A without contacts.
  void clear_stiffness() HAPTIC_REALTIME;
  /// Adds J^T K J. @param jacobian  3 x d by column; @param K  symmetric [N/m]
  void add_stiffness(std::size_t body, std::span<const double> jacobian,
                     const Matrix3& K) HAPTIC_REALTIME;
  /// @returns false if a matrix is not positive definite
  [[nodiscard]] bool factor() HAPTIC_REALTIME;

  /// Starts right sides anew: with the loads, or zero.
  void clear_load(bool with_load) HAPTIC_REALTIME;
  /// Adds J^T f. @param f  N
  void add_load(std::size_t body, std::span<const double> jacobian,
                const Vector3& f) HAPTIC_REALTIME;
  /// Adds d values.
  void add_load(std::size_t body, std::span<const double> load) HAPTIC_REALTIME;
  /// Solves for the motions.
  void solve() HAPTIC_REALTIME;
  /// Of the last solution, or the right side before it: d values.
  std::span<const double> motion(std::size_t body) const HAPTIC_REALTIME {
    return {bodies_[body].right.data(), bodies_[body].d};
  }
  /// J y.
  Vector3 surface_motion(std::size_t body, std::span<const double> jacobian) const HAPTIC_REALTIME;

  /// sum b . y and sum y . A y over all bodies, without contacts [J].
  double work_of_loads() const HAPTIC_REALTIME;
  double own_product() const HAPTIC_REALTIME;
  void scale_motions(double factor) HAPTIC_REALTIME;

 private:
  struct Body {
    std::size_t d = 0;
    std::vector<double> matrix, stiffened, load, right;  // d x d; d
    std::unique_ptr<SmallCholesky> cholesky;
  };
  std::vector<Body> bodies_;
};

}  // namespace haptic::cloth

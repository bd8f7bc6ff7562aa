#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Finds the displacement x over one step [n unknowns] at which the linear system of all bodies and
/// the contact forces at the end of the step are in balance:
///
///   A x - b = sum J_i^T f_i(x),   A symmetric and positive definite.
///
/// Every force is the negative gradient of a convex potential, so the solution is the unique
/// minimum of a convex function, and Newton's method with a line search converges at any stiffness
/// and damping (Castro et al. 2022). If A is indefinite (a buckling body), x is a stationary point.
/// Contacts:
///   - normal: distance e = d + J x, force k max(0, -e) max(0, 1 - c (e - d) / dt);
///   - friction: tangential stretch s = s0 + J x (two rows), force -k s up to a magnitude of
///     `limit`.
///
/// Use: clear(); fill matrix() and load(); add rows; solve(). Allocates in the constructor only.
/// Source: docs/methods/contact-and-coupling.md, "Implicit contact step".
class ContactSolver {
 public:
  /// @param unknowns  n >= 1
  /// @param rows      largest number of normal contacts, and of friction contacts
  /// @param friction  whether there can be friction contacts
  ContactSolver(std::uint32_t unknowns, std::uint32_t rows, bool friction);

  std::uint32_t unknowns() const HAPTIC_REALTIME { return static_cast<std::uint32_t>(b_.size()); }
  std::uint32_t capacity() const HAPTIC_REALTIME { return capacity_; }
  std::uint32_t contacts() const HAPTIC_REALTIME { return normals_; }

  /// Removes all contacts and sets A and b to zero.
  void clear() HAPTIC_REALTIME;
  /// A; only the lower triangle is read.
  Eigen::MatrixXd& matrix() HAPTIC_REALTIME { return A_; }
  Eigen::VectorXd& load() HAPTIC_REALTIME { return b_; }

  struct Normal {
    double distance;   ///< d at the start of the step [m]
    double stiffness;  ///< k >= 0 [N/m]; 0 for a point of weight 0
    double damping;    ///< c / dt >= 0 [1/m]
  };
  /// @returns row J of the new contact [n], set to zero, for the caller to fill; empty if the
  ///          capacity is used up
  std::span<double> add_normal(const Normal& normal) HAPTIC_REALTIME;

  struct Tangent {
    double stretch[2];  ///< s0 [m]
    double stiffness;   ///< k > 0 [N/m]
    double limit;       ///< largest force >= 0 [N]
  };
  /// @returns both rows of the new friction contact, 2 x n, set to zero; empty if the capacity is
  ///          used up
  std::span<double> add_tangent(const Tangent& tangent) HAPTIC_REALTIME;
  /// Limit of the i-th friction contact. @param limit  >= 0 [N]
  void set_limit(std::uint32_t i, double limit) HAPTIC_REALTIME { tangents_of_[i].limit = limit; }

  /// Keeps the first `count` unknowns at the given values in the following solutions; 0: none.
  void fix(std::uint32_t count, std::span<const double> values) HAPTIC_REALTIME;

  enum class Result : std::uint8_t {
    kConverged,
    kStopped,    ///< after kMostIterations: x has a lower potential than the start
    kNotFinite,  ///< a value is not finite, or the system is singular; x is zero
  };
  enum class Start : std::uint8_t {
    kZero,
    kLast  ///< the last solution; since then, only limits have changed
  };
  [[nodiscard]] Result solve(Start start = Start::kZero) HAPTIC_REALTIME;

  const Eigen::VectorXd& step() const HAPTIC_REALTIME { return x_; }
  /// Force of the i-th normal contact at the solution [N], >= 0.
  double normal_force(std::uint32_t i) const HAPTIC_REALTIME { return normal_force_[i]; }
  /// Number of normal contacts with a force > 0 at the solution.
  std::uint32_t pressing() const HAPTIC_REALTIME;
  /// sum J_i^T f_i at the solution [n].
  const Eigen::VectorXd& contact_load() const HAPTIC_REALTIME { return contact_load_; }
  std::uint32_t iterations() const HAPTIC_REALTIME { return iterations_; }

  static constexpr std::uint32_t kMostIterations = 24;

 private:
  struct Law {
    double force, slope;  // f and -df/de
  };
  static Law law_of(const Normal& normal, double e) HAPTIC_REALTIME;

  const double* normal_row(std::uint32_t i) const HAPTIC_REALTIME;
  const double* tangent_row(std::uint32_t i) const HAPTIC_REALTIME;
  void apply_forces() HAPTIC_REALTIME;
  void assemble() HAPTIC_REALTIME;
  void add_curvature(const double* row, double slope) HAPTIC_REALTIME;
  void flush() HAPTIC_REALTIME;
  double slope_along(double t) const HAPTIC_REALTIME;
  double search() const HAPTIC_REALTIME;
  void project() HAPTIC_REALTIME;
  bool direction() HAPTIC_REALTIME;
  double scale_of_loads() HAPTIC_REALTIME;
  void begin(Start start) HAPTIC_REALTIME;

  std::uint32_t capacity_, normals_ = 0, tangents_ = 0, fixed_ = 0, iterations_ = 0;
  std::size_t stride_;
  Eigen::MatrixXd A_;
  Eigen::MatrixXd H_;  // stride_ x n
  Eigen::VectorXd b_, x_, gradient_, p_, Ap_, Ax_, contact_load_, fixed_at_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::LDLT<Eigen::MatrixXd> ldlt_;
  bool convex_ = true;  // whether H was positive definite in the last iteration
  HugeVector<double> normal_rows_, tangent_rows_;  // rows J, padded with zeros to stride_
  std::vector<Normal> normals_of_;
  std::vector<Tangent> tangents_of_;
  // Per contact: distance at x, its change along p, force; stretch and its change.
  std::vector<double> e_, de_, normal_force_, normal_slope_, s_, ds_;
  static constexpr int kPending = 8;
  static constexpr std::size_t kLane = 4;  // doubles of a vector register
  const double* pending_[kPending] = {};
  double pending_slope_[kPending] = {};
  int pending_count_ = 0;
};

}  // namespace haptic

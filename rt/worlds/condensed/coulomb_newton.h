#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The problem of ConeSolver by a semi-smooth Newton method: a few factorisations of the contacts
/// that press instead of many sweeps over all of them. It does not always converge; ConeSolver does
/// the rest.
///
/// With p the pressure, s the tangential force, r = b - S lambda in a contact's own axes and rho of
/// the size of 1 / S, Coulomb's law is  p = max(0, p + rho r_n),  s = projection of s + rho r_t on
/// the disc of radius mu p. Each iteration takes the branch of every contact from the last forces
/// and solves what is then linear, the direction of sliding linearised. Where the full way to that
/// solution does not come closer to the law, a part of it is taken.
///
/// Forces of redundant contacts are made unique by a proximal term: r - softening (lambda -
/// centre), the centre first the guess, then once or twice the solution. Under a still tool the
/// guess is the solution after a few steps and the term vanishes; it does not soften the contacts.
/// Source: docs/methods/static-dynamic.md, "Contacts that can break and slide"; Alart & Curnier
/// 1991.
class CoulombNewton {
 public:
  static constexpr int kMaxIterations = 20;

  /// @param capacity  contacts, at least 1. Allocates 18 capacity^2 doubles
  explicit CoulombNewton(std::size_t capacity);

  /// As ConeSolver::solve. @returns whether it has converged to residual(), as small as the guess
  /// is
  ///          near; if not, lambda is unchanged
  bool solve(const SymmetricView& S, std::span<const double> b, std::span<const double> normals,
             std::span<const double> mu, std::span<double> lambda) HAPTIC_REALTIME;

  int iterations() const HAPTIC_REALTIME { return iterations_; }
  /// Largest violation of the law [m].
  double residual() const HAPTIC_REALTIME { return residual_; }

 private:
  enum class Branch : unsigned char { kOpen, kStick, kSlide };
  struct Contact {
    Matrix3 axes;        ///< columns: pressing direction, two tangents
    Vector3 force;       ///< pressure and tangential force
    Vector3 last, next;  ///< of the last iteration, and where its linear system puts it
    Vector3 centre;      ///< of the proximal term
    Vector3 left;        ///< r in these axes
    double rho = 0.0;    ///< N/m
    Branch branch = Branch::kOpen;
    Vector3 direction;   ///< of sliding: 0, unit tangential vector
    double blend = 0.0;  ///< mu p / |s + rho r_t|
  };

  void begin(const SymmetricView& S, std::span<const double> normals,
             std::span<const double> lambda) HAPTIC_REALTIME;
  void find_left(const SymmetricView& S, std::span<const double> b) HAPTIC_REALTIME;
  bool choose_branches(std::span<const double> mu, double tolerance) HAPTIC_REALTIME;
  bool solve_branches(const SymmetricView& S, std::span<const double> b,
                      std::span<const double> mu) HAPTIC_REALTIME;
  void write_rows(std::size_t row, std::size_t contact, const Vector3& demand,
                  double mu) HAPTIC_REALTIME;
  bool eliminate(std::size_t rows) HAPTIC_REALTIME;
  bool move(const SymmetricView& S, std::span<const double> b, std::span<const double> mu,
            double tolerance) HAPTIC_REALTIME;
  bool recentre(const SymmetricView& S, std::span<const double> b, std::span<const double> mu,
                double tolerance) HAPTIC_REALTIME;
  void write_forces(std::span<const double> mu, std::span<double> lambda) const HAPTIC_REALTIME;

  std::size_t stride_, count_ = 0;
  std::vector<Contact> contacts_;
  std::vector<std::size_t> active_;  // those that are not open
  std::size_t active_count_ = 0;
  AlignedVector<double> matrix_;
  std::vector<double> right_, left_;
  double softening_ = 0.0;  // m/N
  double violation_ = 0.0;  // sum over the contacts [m]
  double residual_ = 0.0;
  int iterations_ = 0;
};

}  // namespace haptic::condensed

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Forces of contacts that can only press, with Coulomb friction.
///
/// For each contact i with outward normal n_i, and r = b - S lambda, what is left of the demanded
/// displacement:
///   p_i = -n_i . lambda_i >= 0,   -n_i . r_i <= 0,   p_i (n_i . r_i) = 0
///   |lambda_t| <= mu p_i;   r_t = 0, or |lambda_t| = mu p_i with r_t in the direction of lambda_t
/// With mu = 0, and where all contacts stick, it is the minimum of 1/2 l^T S l - b^T l over the
/// contacts' cones. Where contacts slide, the minimum over the cones would open them by mu times
/// the slip; here the normal displacement is kept, as in Coulomb's law.
/// Source: docs/methods/static-dynamic.md, "Contacts that can break and slide"; Lawson & Hanson
/// 1974, chapter 23; Jourdan et al. 1998.
class ConeSolver {
 public:
  struct Outcome {
    /// Pivots (mu = 0) or sweeps that were made.
    std::size_t iterations = 0;
    /// mu = 0: largest violation of the conditions above. Otherwise: largest displacement by which
    /// a contact's own force would still change it, in the last sweep. [m]
    double residual = 0.0;
    /// Whether it ended before its bound of iterations.
    bool converged = true;
  };

  /// @param capacity  contacts, at least 1. Allocates 2 capacity^2 doubles
  /// @param sweeps    bound for mu > 0, at least 1. For mu = 0 the bound is 3 capacity + 10 pivots
  explicit ConeSolver(std::size_t capacity, std::size_t sweeps = 100);

  /// @param S        3c x 3c, positive semi-definite [m/N]
  /// @param b        demanded displacement without the free one: 3c values [m]
  /// @param normals  outward unit normals: 3c values
  /// @param mu       coefficient of friction of each contact, >= 0: c values
  /// @param lambda   3c values [N], on the body. In: a guess, from which it starts (the forces of
  ///                 the last step, zeros for new contacts). Out: the forces
  /// The result depends on nothing else, bit for bit. Never allocates.
  Outcome solve(const SymmetricView& S, std::span<const double> b, std::span<const double> normals,
                std::span<const double> mu, std::span<double> lambda) HAPTIC_REALTIME;
  /// The case of no friction by its normal rows alone: p >= 0, d - P p <= 0, p (d - P p) = 0.
  /// @param P  c x c, positive semi-definite [m/N] @param d  demands [m]
  /// @param p  c values [N]. In: a guess, of which the signs count. Out: the pressures
  Outcome press(const SymmetricView& P, std::span<const double> d,
                std::span<double> p) HAPTIC_REALTIME;

 private:
  enum class State : unsigned char { kFree, kActive, kRefused };

  Outcome solve_frictionless(const SymmetricView& S, std::span<const double> b,
                             std::span<const double> normals,
                             std::span<double> lambda) HAPTIC_REALTIME;
  Outcome solve_with_friction(const SymmetricView& S, std::span<const double> b,
                              std::span<const double> normals, std::span<const double> mu,
                              std::span<double> lambda) HAPTIC_REALTIME;
  void reduce_to_normals(const SymmetricView& S, std::span<const double> b,
                         std::span<const double> normals) HAPTIC_REALTIME;
  Outcome find_pressures(std::size_t count) HAPTIC_REALTIME;
  void append(std::size_t contact) HAPTIC_REALTIME;
  void take_out(std::size_t position) HAPTIC_REALTIME;
  void solve_active() HAPTIC_REALTIME;
  void advance_to_trial() HAPTIC_REALTIME;

  std::size_t capacity_, sweeps_;
  AlignedVector<double> normal_;     // c x c: n_i^T S_ij n_j
  AlignedVector<double> factor_;     // Cholesky factor of the active contacts, rows of c
  std::vector<std::size_t> active_;  // contacts with a force, in the order of the factor
  std::size_t active_count_ = 0;
  double smallest_pivot_ = 0.0;
  std::vector<double> demand_;  // c: -n . b
  std::vector<double> pressure_, trial_, gradient_;
  std::vector<double> residual_;  // 3c
  std::vector<State> state_;
};

}  // namespace haptic::condensed

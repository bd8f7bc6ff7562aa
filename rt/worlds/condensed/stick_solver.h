#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/cone_solver.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Forces of contacts that hold on to the tool and only press: Coulomb's law without a limit.
///
/// For each contact with push d = -n, p = d . lambda and r = b - S lambda:
///   p >= 0,  d . r <= 0,  p (d . r) = 0;   r_t = 0 where the contact holds, else lambda_t = 0
/// Every contact that presses holds, with two exceptions for which the law has no solution:
///   - one that would have to pull in order to hold lets go in this step; it still presses if the
///     tool would enter the body otherwise
///   - a direction in which the body's points cannot move apart from those that hold already, as
///     of the fifth point in the face of an element, is left to these
/// Pressures are the non-negative least-squares solution after the held directions have been
/// eliminated; contacts without pressure let go, and the rest is solved again. Since the held ones
/// only become fewer, it ends; without any, it is contact without friction, which has a solution.
/// Source: docs/methods/static-dynamic.md, "Contacts that hold"; Sedaghat 2011, section 4.2.
class StickSolver {
 public:
  static constexpr int kMaxPasses = 10;

  /// @param capacity  contacts, at least 1. Allocates 30 capacity^2 doubles
  explicit StickSolver(std::size_t capacity);

  /// As ConeSolver::solve. The order of the contacts decides which of them hold where not all can.
  /// @returns the largest violation of the law [m]
  double solve(const SymmetricView& S, std::span<const double> b, std::span<const double> normals,
               std::span<double> lambda) HAPTIC_REALTIME;

  /// Displacement of a contact that presses along the tool, in the directions that it does not
  /// hold [m].
  double slip(std::size_t contact) const HAPTIC_REALTIME { return slip_[contact]; }
  /// Of the last solution.
  std::size_t held_directions() const HAPTIC_REALTIME { return held_count_; }
  int passes() const HAPTIC_REALTIME { return passes_; }

 private:
  void turn(const SymmetricView& S, std::span<const double> b,
            std::span<const double> normals) HAPTIC_REALTIME;
  void choose_held(std::span<const double> lambda) HAPTIC_REALTIME;
  bool try_row(std::size_t row, std::size_t count) HAPTIC_REALTIME;
  void factorise_held() HAPTIC_REALTIME;
  void find_pressures() HAPTIC_REALTIME;
  void find_tangential() HAPTIC_REALTIME;
  bool let_go() HAPTIC_REALTIME;
  double finish(std::span<double> lambda) HAPTIC_REALTIME;
  const double* local(std::size_t row) const HAPTIC_REALTIME { return &local_[row * stride_]; }

  std::size_t capacity_, stride_, count_ = 0;
  std::vector<Matrix3> axes_;    // columns: push, two tangents
  AlignedVector<double> local_;  // S in these axes, 3c x 3c
  AlignedVector<double> factor_;
  AlignedVector<double> coupling_;  // L^-1 S_held,push: a row of held directions for each contact
  AlignedVector<double> normal_;    // c x c, without the held directions
  std::vector<double> b_, demand_, pressure_, force_, half_, slip_;
  std::vector<std::size_t> tested_;  // rows of the factor while the held ones are chosen
  std::vector<std::size_t> held_;    // rows 3 contact + axis, ascending
  std::size_t held_count_ = 0;
  int passes_ = 0;
  ConeSolver cone_;
};

}  // namespace haptic::condensed

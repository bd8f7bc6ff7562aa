// Links: the linear springs of joints and servos, and the refinement that their stiffness requires.

#include <algorithm>
#include <cmath>

#include "rt/contact/contact_solver.h"
#include "shared/assert.h"

namespace haptic {

std::span<double> ContactSolver::add_link(const Link& link) HAPTIC_REALTIME {
  if (links_ == links_of_.size()) return {};
  HAPTIC_ASSERT(link.stiffness > 0.0 && link.limit > 0.0);
  couple_blocks();
  links_of_[links_].of = link;
  links_of_[links_].support = support_;
  links_of_[links_].known = false;
  double* const row = link_rows_.data() + width_ * links_++;
  std::fill_n(row, support_->width, 0.0);
  return {row, support_->used()};
}

void ContactSolver::shift_link(std::uint32_t i, double by) HAPTIC_REALTIME {
  LinkState& link = links_of_[i];
  HAPTIC_ASSERT(i < links_ && link.known);
  link.of.stretch += by;
  link.s += by;
  const Law law = law_of(link.of, link.s);
  equations_.add(*link.support, link_row(i), law.slope - link.slope, law.force - link.force);
  equations_.flush();
  link.force = law.force;
  link.slope = law.slope;
  states_[islands_.first(link.support->blocks[0])].edited = true;
}

std::span<double> ContactSolver::replace_link(std::uint32_t i) HAPTIC_REALTIME {
  LinkState& link = links_of_[i];
  HAPTIC_ASSERT(i < links_ && link.known);
  states_[islands_.first(link.support->blocks[0])].stale = true;
  double* const row = link_rows_.data() + width_ * i;
  std::fill_n(row, link.support->width, 0.0);
  return {row, link.support->used()};
}

void ContactSolver::set_link_limit(std::uint32_t i, double limit) HAPTIC_REALTIME {
  HAPTIC_ASSERT(limit > 0.0);
  links_of_[i].of.limit = limit;
}

void ContactSolver::set_link_stretch(std::uint32_t i, double s) HAPTIC_REALTIME {
  links_of_[i].of.stretch = s - product(*links_of_[i].support, link_row(i), x_);
}

// The potential is quadratic, and beyond the limit linear: Huber's function.
ContactSolver::Law ContactSolver::law_of(const Link& link, double s) HAPTIC_REALTIME {
  const double force = -link.stiffness * s;
  if (std::abs(force) > link.limit) return {std::copysign(link.limit, force), 0.0};
  return {force, link.stiffness};
}

bool ContactSolver::correct(LinkState& link, const double* row) HAPTIC_REALTIME {
  const Law law = law_of(link.of, link.s);
  const bool changed = law.slope != link.slope || (law.slope == 0.0 && law.force != link.force);
  if (changed) {
    equations_.add(*link.support, row, law.slope - link.slope, law.force - link.force);
  }
  link.force = law.force;
  link.slope = law.slope;
  return changed;
}

/// r = b - A x + sum J^T f, from x and the laws of the contacts.
void ContactSolver::load_residual(const Island& island) HAPTIC_REALTIME {
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    residual_.segment(first, size) = b_.segment(first, size);
    residual_.segment(first, size).noalias() -=
        A_.block(first, first, size, size).selfadjointView<Eigen::Lower>() *
        x_.segment(first, size);
  }
  add_forces(island, residual_);
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block);
    std::copy_n(residual_.data() + first, pattern_.size(block), equations_.load() + first);
  }
}

/// One more step of Newton's method from a solution, with the same factors. In the sums H and r, a
/// link of 1e8 times the stiffness of A leaves of A and b only what is above 1e-8 of them. Computed
/// anew, the residual is exact to rounding, and so is x after this step; the forces of a row on two
/// bodies have the same rounding, so momentum is kept.
void ContactSolver::refine(const Island& island) HAPTIC_REALTIME {
  if (island.links.empty() || !convex_) return;
  load_residual(island);
  permute(island, equations_.load());
  cholesky_.solve(permuted_.data());
  if (!load_direction(island)) return;
  project(island);
  advance(island, 1.0);
  correct(island);
}

}  // namespace haptic

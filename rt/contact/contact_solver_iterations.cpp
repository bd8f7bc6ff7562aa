// Newton's method and its line search, for one island at a time.

#include <algorithm>
#include <cmath>

#include "rt/contact/contact_solver.h"

namespace haptic {
namespace {

/// Newton's method has converged when its decrement is below this multiple of b . H^-1 b. The
/// decrement is quadratic in the distance to the minimum: the relative error of x is its root.
constexpr double kConverged = 1e-18, kPredicted = 1e-8;
/// The line search ends where the slope is at most this fraction of the slope at its start.
constexpr double kSlope = 0.1;
constexpr int kMaxTrials = 16;

}  // namespace

const BlockIslands& ContactSolver::islands() HAPTIC_REALTIME {
  find_islands();
  return islands_;
}

/// Numbers the islands, and sorts the rows by them. The order of elimination follows.
void ContactSolver::find_islands() HAPTIC_REALTIME {
  const bool changed = pattern_changed_;
  pattern_changed_ = false;
  if (changed) {
    islands_.number();
    order_.clear();
    for (std::uint32_t i = 0; i < islands_.count(); ++i) {
      tiles_[i] = order_.add(pattern_, islands_.blocks(i));
    }
  }
  if (changed || sorted_normals_.count != normals_) sort(normals_of_, normals_, sorted_normals_);
  if (changed || sorted_tangents_.count != tangents_) {
    sort(tangents_of_, tangents_, sorted_tangents_);
  }
  if (changed || sorted_links_.count != links_) sort(links_of_, links_, sorted_links_);
}

/// Sorts rows by island; those of an island stay in their order.
template <class State>
void ContactSolver::sort(const std::vector<State>& rows, std::uint32_t count,
                         SortedRows& to) HAPTIC_REALTIME {
  to.count = count;
  const auto island_of = [&](std::uint32_t row)
                             HAPTIC_REALTIME { return islands_.of(rows[row].support->blocks[0]); };
  std::ranges::fill(to.begin, 0u);
  for (std::uint32_t i = 0; i < count; ++i) ++to.begin[island_of(i) + 1];
  for (std::uint32_t i = 0; i < islands_.count(); ++i) to.begin[i + 1] += to.begin[i];
  // The begin of each island moves to its end, which is the begin of the next one.
  for (std::uint32_t i = 0; i < count; ++i) to.indices[to.begin[island_of(i)]++] = i;
  for (std::uint32_t i = islands_.count(); i > 0; --i) to.begin[i] = to.begin[i - 1];
  to.begin[0] = 0;
}

ContactSolver::Island ContactSolver::island(std::uint32_t i) HAPTIC_REALTIME {
  Island island{islands_.blocks(i),
                sorted_normals_.of(i),
                sorted_tangents_.of(i),
                sorted_links_.of(i),
                0,
                tiles_[i],
                nullptr};
  for (const std::uint32_t block : island.blocks) island.unknowns += pattern_.size(block);
  island.state = &states_[island.blocks[0]];
  return island;
}

/// Changes of distances and stretches along p.
void ContactSolver::project(const Island& island) HAPTIC_REALTIME {
  for (const std::uint32_t i : island.normals) {
    normals_of_[i].de = product(*normals_of_[i].support, normal_row(i), p_);
  }
  for (const std::uint32_t i : island.tangents) {
    for (std::size_t k = 0; k < 2; ++k) {
      tangents_of_[i].ds[k] = product(*tangents_of_[i].support, tangent_row(i) + k * width_, p_);
    }
  }
  for (const std::uint32_t i : island.links) {
    links_of_[i].ds = product(*links_of_[i].support, link_row(i), p_);
  }
}

/// Derivative of the potential along p, at x + t p: that of the linear equations, corrected for
/// the contacts whose state changes on the way.
double ContactSolver::slope_along(const Island& island, double t) const HAPTIC_REALTIME {
  double slope = (t - 1.0) * decrement_;
  for (const std::uint32_t i : island.normals) {
    const NormalState& contact = normals_of_[i];
    const Law law = law_of(contact.of, contact.e + t * contact.de);
    if (contact.of.damping == 0.0 && law.slope == contact.slope) continue;
    slope -= contact.de * (law.force - contact.force + t * contact.slope * contact.de);
  }
  for (const std::uint32_t i : island.tangents) {
    const TangentState& contact = tangents_of_[i];
    const double ds[2] = {contact.ds[0], contact.ds[1]};
    const double s[2] = {contact.s[0] + t * ds[0], contact.s[1] + t * ds[1]};
    const Spring spring = spring_of(contact.of, s);
    const Spring& known = contact.spring;
    if (spring.linear && known.linear) continue;
    const double(&k)[3] = known.stiffness;
    slope -= ds[0] * (spring.force[0] - known.force[0] + t * (k[0] * ds[0] + k[1] * ds[1]));
    slope -= ds[1] * (spring.force[1] - known.force[1] + t * (k[1] * ds[0] + k[2] * ds[1]));
  }
  for (const std::uint32_t i : island.links) {
    const LinkState& link = links_of_[i];
    const Law law = law_of(link.of, link.s + t * link.ds);
    if (law.slope != 0.0 && law.slope == link.slope) continue;
    slope -= link.ds * (law.force - link.force + t * link.slope * link.ds);
  }
  return slope;
}

/// t in (0, 1] at which the slope is small; 1 if the potential still falls there.
double ContactSolver::search(const Island& island) const HAPTIC_REALTIME {
  const double start = -decrement_;
  double low = 0.0, high = 1.0, at_low = start, at_high = slope_along(island, 1.0);
  if (at_high <= -kSlope * start) return 1.0;
  for (int i = 0; i < kMaxTrials; ++i) {
    // Regula falsi, kept away from the ends.
    const double guess = low + (high - low) * at_low / (at_low - at_high);
    const double width = high - low;
    const double t = std::clamp(guess, low + 0.05 * width, high - 0.05 * width);
    const double slope = slope_along(island, t);
    if (std::abs(slope) <= -kSlope * start) return t;
    (slope < 0.0 ? low : high) = t;
    (slope < 0.0 ? at_low : at_high) = slope;
  }
  return low > 0.0 ? low : high;
}

/// Moves x, and the equations as far as they are linear, by t p.
void ContactSolver::advance(const Island& island, double t) HAPTIC_REALTIME {
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    x_.segment(first, size) += t * p_.segment(first, size);
    for (std::uint32_t j = first; j < first + size; ++j) equations_.load()[j] *= 1.0 - t;
  }
  for (const std::uint32_t i : island.normals) {
    NormalState& contact = normals_of_[i];
    contact.e += t * contact.de;
    contact.force -= t * contact.slope * contact.de;
  }
  for (const std::uint32_t i : island.tangents) {
    TangentState& contact = tangents_of_[i];
    const double x = t * contact.ds[0], y = t * contact.ds[1];
    const double(&k)[3] = contact.spring.stiffness;
    contact.s[0] += x;
    contact.s[1] += y;
    contact.spring.force[0] -= k[0] * x + k[1] * y;
    contact.spring.force[1] -= k[1] * x + k[2] * y;
  }
  for (const std::uint32_t i : island.links) {
    LinkState& link = links_of_[i];
    link.s += t * link.ds;
    link.force -= t * link.slope * link.ds;
  }
}

ContactSolver::Result ContactSolver::solve(Start start, Accuracy accuracy,
                                           std::span<const char> marked) HAPTIC_REALTIME {
  find_islands();
  if (start == Start::kNew) forget_bounds();
  most_iterations_ = most_factorisations_ = 0;
  Result worst = Result::kConverged;
  for (std::uint32_t i = 0; i < islands_.count(); ++i) {
    const Island in_work = island(i);
    const auto is_marked = [&](std::uint32_t block) HAPTIC_REALTIME { return marked[block] != 0; };
    if (!marked.empty() && std::ranges::none_of(in_work.blocks, is_marked)) continue;
    worst = std::max(worst, solve_island(in_work, start, accuracy));
    most_iterations_ = std::max(most_iterations_, iterations_);
    most_factorisations_ = std::max(most_factorisations_, factorisations_);
    if (worst == Result::kNotFinite) break;
  }
  is_finite_ = worst != Result::kNotFinite;
  if (!is_finite_) x_.setZero();
  return worst;
}

ContactSolver::Result ContactSolver::solve_island(const Island& island, Start start,
                                                  Accuracy accuracy) HAPTIC_REALTIME {
  IslandState& state = *island.state;
  const bool changed = begin(island, start);
  iterations_ = factorisations_ = 0;
  // Contacts that have been added do not press, and no spring has reached its limit.
  const bool predicts = accuracy == Accuracy::kPredicts;
  if (!changed && state.last == Result::kConverged && (state.is_accurate || predicts)) {
    return state.last;
  }
  state.is_accurate = !predicts;
  const double converged = predicts ? kPredicted : kConverged;
  if (start == Start::kLast && decrement_bound(island) <= converged * state.scale) {
    return state.last = Result::kConverged;
  }
  iterate(island, converged, accuracy == Accuracy::kGuess ? 1 : kMaxIterations);
  if (state.last != Result::kStopped || accuracy == Accuracy::kGuess || !state.started_warm) {
    return state.last;
  }
  // The initial guess from the last step was poor: start again from zero.
  state.started_warm = false;
  for (const std::uint32_t block : island.blocks) {
    x_.segment(pattern_.first(block), pattern_.size(block)).setZero();
  }
  state.scale = 0.0;
  state.stale = true;
  begin(island, Start::kLast);
  iterations_ = 0;
  iterate(island, converged, kMaxIterations);
  return state.last;
}

void ContactSolver::iterate(const Island& island, double converged,
                            std::uint32_t most) HAPTIC_REALTIME {
  IslandState& state = *island.state;
  state.last = Result::kStopped;
  while (iterations_ < most) {
    if (!direction(island)) {
      state.last = Result::kNotFinite;
      return;
    }
    if (decrement_ > converged * state.scale) {
      project(island);
      const double t = convex_ ? search(island) : 1.0;
      advance(island, t);
      ++iterations_;
      // Where no contact changes its state over a whole step, the potential is quadratic over it,
      // and x is its minimum.
      if (!correct(island) && t == 1.0) {
        state.is_accurate = true;
      } else if (!(decrement_bound(island) <= converged * state.scale)) {
        continue;
      }
    }
    refine(island);
    state.last = Result::kConverged;
    return;
  }
}

}  // namespace haptic

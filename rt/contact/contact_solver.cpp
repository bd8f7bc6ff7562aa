#include "rt/contact/contact_solver.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"
#include "shared/math/double4.h"

namespace haptic {
namespace {

/// Newton's method has converged when its decrement is below this multiple of b . H^-1 b. The
/// decrement is quadratic in the distance to the minimum: the relative error of x is its root.
constexpr double kConverged = 1e-18, kPredicted = 1e-8;
/// The line search ends where the slope is at most this fraction of the slope at its start.
constexpr double kSlope = 0.1;
constexpr int kMostTrials = 16;

}  // namespace

ContactSolver::ContactSolver(const Sizes& sizes)
    : capacity_(sizes.rows),
      width_(sizes.width),
      pattern_(sizes.blocks),
      order_(pattern_),
      supports_(sizes.supports + 1),
      A_(Eigen::MatrixXd::Zero(pattern_.unknowns(), pattern_.unknowns())),
      b_(Eigen::VectorXd::Zero(pattern_.unknowns())),
      x_(b_),
      p_(b_),
      contact_load_(b_),
      fixed_at_(b_),
      residual_(b_),
      permuted_(b_),
      equations_(pattern_.unknowns(), sizes.width),
      cholesky_(pattern_.unknowns()),
      H_(A_),
      ldlt_(pattern_.unknowns()) {
  std::size_t factors = 0;
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    factors += std::size_t{pattern_.size(block)} * pattern_.size(block);
  }
  bound_factors_.resize(factors);
  normal_rows_.resize(width_ * capacity_);
  normals_of_.resize(capacity_);
  if (sizes.friction) {
    tangent_rows_.resize(2 * width_ * capacity_);
    tangents_of_.resize(capacity_);
  }
  link_rows_.resize(width_ * sizes.links);
  links_of_.resize(sizes.links);
  clear();
}

ContactSolver::ContactSolver(std::uint32_t unknowns, std::uint32_t rows, bool friction)
    : ContactSolver(
          {.blocks = {&unknowns, 1},
           .width = (unknowns + RowSupport::kLane - 1) / RowSupport::kLane * RowSupport::kLane,
           .supports = 0,
           .rows = rows,
           .friction = friction}) {}

void ContactSolver::clear() HAPTIC_REALTIME {
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    A_.block(first, first, size, size).setZero();
  }
  b_.setZero();
  normals_ = tangents_ = links_ = fixed_ = support_count_ = 0;
  pattern_.clear();
  pattern_changed_ = true;
  constexpr std::uint32_t kFirst = 0;
  use_blocks({&kFirst, 1});
}

void ContactSolver::reset() HAPTIC_REALTIME {
  clear();
  x_.setZero();
  last_ = Result::kNotFinite;
}

const RowSupport& ContactSolver::use_blocks(std::span<const std::uint32_t> blocks) HAPTIC_REALTIME {
  const RowSupport support = RowSupport::make(pattern_, blocks);
  HAPTIC_ASSERT(support.width <= width_ && support_count_ < supports_.size());
  supports_[support_count_] = support;
  support_ = &supports_[support_count_++];
  coupled_ = false;
  return *support_;
}

/// Couples the blocks of the support in use, whose elements of H become zero where they were none.
void ContactSolver::couple_blocks() HAPTIC_REALTIME {
  if (coupled_) return;
  coupled_ = true;
  for (std::uint32_t i = 0; i < support_->block_count; ++i) {
    for (std::uint32_t k = i + 1; k < support_->block_count; ++k) {
      const std::uint32_t a = support_->blocks[i], b = support_->blocks[k];
      if (!pattern_.couple(a, b)) continue;
      pattern_changed_ = true;
      for (std::uint32_t j = pattern_.first(a); j < pattern_.first(a) + pattern_.size(a); ++j) {
        std::fill_n(equations_.column(j) + pattern_.first(b), pattern_.size(b), 0.0);
      }
    }
  }
}

std::span<double> ContactSolver::add_normal(const Normal& normal) HAPTIC_REALTIME {
  if (normals_ == capacity_) return {};
  HAPTIC_ASSERT(normal.stiffness >= 0.0 && normal.damping >= 0.0);
  couple_blocks();
  normals_of_[normals_].of = normal;
  normals_of_[normals_].support = support_;
  normals_of_[normals_].force = 0.0;
  double* const row = normal_rows_.data() + width_ * normals_++;
  std::fill_n(row, support_->width, 0.0);
  return {row, support_->used()};
}

ContactSolver::TangentRows ContactSolver::add_tangent(const Tangent& tangent) HAPTIC_REALTIME {
  if (tangents_ == tangents_of_.size()) return {};
  HAPTIC_ASSERT(tangent.stiffness > 0.0 && tangent.limit >= 0.0);
  couple_blocks();
  tangents_of_[tangents_].of = tangent;
  tangents_of_[tangents_].support = support_;
  double* const rows = tangent_rows_.data() + 2 * width_ * tangents_++;
  std::fill_n(rows, support_->width, 0.0);
  std::fill_n(rows + width_, support_->width, 0.0);
  return {{rows, support_->used()}, {rows + width_, support_->used()}};
}

std::uint32_t ContactSolver::pressing() const HAPTIC_REALTIME {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < normals_; ++i) count += normals_of_[i].force > 0.0 ? 1 : 0;
  return count;
}

void ContactSolver::scale_block(std::uint32_t first, std::uint32_t count, double of_matrix,
                                double of_load) HAPTIC_REALTIME {
  edited_ = true;
  bound_is_known_ = false;
  for (std::uint32_t j = first; j < first + count; ++j) {
    double product = 0.0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      product += (i < j ? A_(j, i) : A_(i, j)) * x_[i];
    }
    equations_.load()[j] += (of_load - 1.0) * b_[j] - (of_matrix - 1.0) * product;
    b_[j] *= of_load;
  }
  for (std::uint32_t j = first; j < first + count; ++j) {
    for (std::uint32_t i = j; i < first + count; ++i) {
      equations_.column(j)[i] += (of_matrix - 1.0) * A_(i, j);
      A_(i, j) *= of_matrix;
    }
  }
}

void ContactSolver::add_matrix(std::uint32_t first, double factor,
                               const Eigen::MatrixXd& values) HAPTIC_REALTIME {
  edited_ = true;
  bound_is_known_ = false;
  const auto count = static_cast<std::uint32_t>(values.cols());
  for (std::uint32_t j = 0; j < count; ++j) {
    double product = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) product += values(i, j) * x_[first + i];
    equations_.load()[first + j] -= factor * product;
    for (std::uint32_t i = j; i < count; ++i) {
      equations_.column(first + j)[first + i] += factor * values(i, j);
      A_(first + i, first + j) += factor * values(i, j);
    }
  }
}

void ContactSolver::add_load(std::uint32_t first, double factor,
                             std::span<const double> values) HAPTIC_REALTIME {
  edited_ = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    b_[first + i] += factor * values[i];
    equations_.load()[first + i] += factor * values[i];
  }
}

void ContactSolver::fix(std::uint32_t count, std::span<const double> values) HAPTIC_REALTIME {
  HAPTIC_ASSERT(count <= unknowns() && values.size() >= count);
  fixed_ = count;
  for (std::uint32_t j = 0; j < count; ++j) fixed_at_[j] = values[j];
  stale_ = true;
}

double ContactSolver::product(const RowSupport& support, const double* row,
                              const Eigen::VectorXd& x) const HAPTIC_REALTIME {
  double rest = 0.0;
  simd::Double4 sums{};
  for (std::uint32_t s = 0; s < support.count; ++s) {
    const RowSupport::Segment& segment = support.segments[s];
    const double* const left = row + segment.at;
    const double* const right = x.data() + segment.first;
    std::uint32_t i = 0;
    for (; i + 4 <= segment.size; i += 4) sums += simd::load4(left + i) * simd::load4(right + i);
    for (; i < segment.size; ++i) rest += left[i] * right[i];
  }
  return rest + simd::sum(sums);
}

// Both factors fall with e, so the force does too and its potential is convex.
ContactSolver::Law ContactSolver::law_of(const Normal& normal, double e) HAPTIC_REALTIME {
  if (e >= 0.0) return {0.0, 0.0};
  const double gain = 1.0 - normal.damping * (e - normal.distance);
  if (gain <= 0.0) return {0.0, 0.0};
  return {-normal.stiffness * e * gain, normal.stiffness * (gain - e * normal.damping)};
}

// The force of a sliding point changes when its spring turns, not when it gets longer.
ContactSolver::Spring ContactSolver::spring_of(const Tangent& tangent,
                                               const double (&s)[2]) HAPTIC_REALTIME {
  const double k = tangent.stiffness, limit = tangent.limit;
  if (limit == 0.0) return {};
  const double square = s[0] * s[0] + s[1] * s[1];
  if (k * k * square <= limit * limit) return {{-k * s[0], -k * s[1]}, {k, 0.0, k}, true};
  const double length = std::sqrt(square);
  const double u = s[0] / length, v = s[1] / length, across = limit / length;
  return {{-limit * u, -limit * v}, {across * v * v, -across * u * v, across * u * u}, false};
}

/// Brings the contribution of a contact to the equations up to date with its distance e. @returns
/// whether it has changed by more than rounding
bool ContactSolver::correct(NormalState& contact, const double* row) HAPTIC_REALTIME {
  const Law law = law_of(contact.of, contact.e);
  const bool linear = contact.of.damping == 0.0 && law.slope == contact.slope;
  if (!linear && (law.slope != 0.0 || contact.slope != 0.0)) {
    equations_.add(*contact.support, row, law.slope - contact.slope, law.force - contact.force);
  }
  const bool changed = !linear && (law.slope != contact.slope || law.force != contact.force);
  contact.force = law.force;
  contact.slope = law.slope;
  return changed;
}

bool ContactSolver::correct(TangentState& contact, const double* rows) HAPTIC_REALTIME {
  const Spring spring = spring_of(contact.of, contact.s);
  const bool changed = !(spring.linear && contact.spring.linear) &&
                       (contact.of.limit > 0.0 || contact.spring.stiffness[0] != 0.0 ||
                        contact.spring.stiffness[2] != 0.0);
  if (changed) {
    const double x = spring.force[0] - contact.spring.force[0];
    const double y = spring.force[1] - contact.spring.force[1];
    const double xx = spring.stiffness[0] - contact.spring.stiffness[0];
    const double xy = spring.stiffness[1] - contact.spring.stiffness[1];
    const double yy = spring.stiffness[2] - contact.spring.stiffness[2];
    // In its principal axes, (u, v) and (-v, u), the change of stiffness is two products of rows.
    const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy);
    const double radius = std::sqrt(half * half + xy * xy);
    double u = 1.0, v = 0.0;
    if (radius > 0.0) {
      u = std::sqrt(0.5 * (1.0 + std::abs(half) / radius));
      v = 0.5 * xy / (radius * u);
      if (half < 0.0) {
        std::swap(u, v);
        if (v < 0.0) u = -u, v = -v;
      }
    }
    equations_.add(*contact.support, u, rows, v, rows + width_, mean + radius, u * x + v * y);
    equations_.add(*contact.support, -v, rows, u, rows + width_, mean - radius, u * y - v * x);
  }
  contact.spring = spring;
  return changed;
}

/// @returns whether a contact's force is not what the equations had predicted
bool ContactSolver::correct() HAPTIC_REALTIME {
  bool changed = false;
  for (std::uint32_t i = 0; i < normals_; ++i) {
    changed = correct(normals_of_[i], normal_row(i)) || changed;
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    changed = correct(tangents_of_[i], tangent_row(i)) || changed;
  }
  for (std::uint32_t i = 0; i < links_; ++i) {
    changed = correct(links_of_[i], link_row(i)) || changed;
  }
  equations_.flush();
  known_normals_ = normals_;
  known_tangents_ = tangents_;
  known_links_ = links_;
  return changed;
}

/// The equations at the start. @returns whether they differ from those of the last solution
bool ContactSolver::begin(Start start) HAPTIC_REALTIME {
  const bool anew = start == Start::kNew || stale_, edited = edited_;
  edited_ = false;
  if (start == Start::kNew) {
    bound_is_known_ = false;
    started_warm_ = !x_.isZero(0.0);
  }
  if (anew) {
    stale_ = false;
    known_normals_ = known_tangents_ = known_links_ = 0;
    x_.head(fixed_) = fixed_at_.head(fixed_);
    load_equations();
  }
  for (std::uint32_t i = known_normals_; i < normals_; ++i) {
    NormalState& contact = normals_of_[i];
    contact.e = contact.of.distance + product(*contact.support, normal_row(i), x_);
    contact.force = contact.slope = 0.0;
  }
  for (std::uint32_t i = known_tangents_; i < tangents_; ++i) {
    TangentState& contact = tangents_of_[i];
    for (std::size_t k = 0; k < 2; ++k) {
      contact.s[k] =
          contact.of.stretch[k] + product(*contact.support, tangent_row(i) + k * width_, x_);
    }
    contact.spring = {};
  }
  for (std::uint32_t i = known_links_; i < links_; ++i) {
    LinkState& link = links_of_[i];
    link.s = link.of.stretch + product(*link.support, link_row(i), x_);
    link.force = link.slope = 0.0;
  }
  const bool corrected = correct();
  if (start == Start::kNew) scale_ = motion_energy();
  return anew || edited || corrected;
}

/// x . H x, the energy of the motion from zero to x.
double ContactSolver::motion_energy() const HAPTIC_REALTIME {
  if (x_.isZero(0.0)) return 0.0;
  double sum = 0.0;
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    const auto x = x_.segment(first, size);
    for (std::uint32_t j = 0; j < size; ++j) {
      const auto column = A_.col(first + j).segment(first, size);
      sum += x[j] * (column[j] * x[j] + 2.0 * column.tail(size - j - 1).dot(x.tail(size - j - 1)));
    }
  }
  for (std::uint32_t i = 0; i < normals_; ++i) {
    const NormalState& contact = normals_of_[i];
    const double moved = contact.e - contact.of.distance;
    sum += contact.slope * moved * moved;
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    const TangentState& contact = tangents_of_[i];
    const double x = contact.s[0] - contact.of.stretch[0], y = contact.s[1] - contact.of.stretch[1];
    const double(&k)[3] = contact.spring.stiffness;
    sum += k[0] * x * x + 2.0 * k[1] * x * y + k[2] * y * y;
  }
  for (std::uint32_t i = 0; i < links_; ++i) {
    const LinkState& link = links_of_[i];
    sum += link.slope * (link.s - link.of.stretch) * (link.s - link.of.stretch);
  }
  return sum;
}

/// The equations without contacts: r = b - A x, H = A.
void ContactSolver::load_equations() HAPTIC_REALTIME {
  Eigen::Map<Eigen::VectorXd> load(equations_.load(), unknowns());
  load = b_;
  const bool moves = !x_.isZero(0.0);
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    if (moves) {
      load.segment(first, size).noalias() -=
          A_.block(first, first, size, size).selfadjointView<Eigen::Lower>() *
          x_.segment(first, size);
    }
    for (std::uint32_t j = first; j < first + size; ++j) {
      std::copy_n(A_.col(j).data() + first, size, equations_.column(j) + first);
    }
    for_each_bit(pattern_.row(block), [&](std::uint32_t other) HAPTIC_REALTIME {
      if (other <= block) return;
      for (std::uint32_t j = first; j < first + size; ++j) {
        std::fill_n(equations_.column(j) + pattern_.first(other), pattern_.size(other), 0.0);
      }
    });
  }
}

/// Changes of distances and stretches along p.
void ContactSolver::project() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < normals_; ++i) {
    normals_of_[i].de = product(*normals_of_[i].support, normal_row(i), p_);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      tangents_of_[i].ds[k] = product(*tangents_of_[i].support, tangent_row(i) + k * width_, p_);
    }
  }
  for (std::uint32_t i = 0; i < links_; ++i) {
    links_of_[i].ds = product(*links_of_[i].support, link_row(i), p_);
  }
}

/// Derivative of the potential along p, at x + t p: that of the linear equations, corrected for
/// the contacts whose state changes on the way.
double ContactSolver::slope_along(double t) const HAPTIC_REALTIME {
  double slope = (t - 1.0) * decrement_;
  for (std::uint32_t i = 0; i < normals_; ++i) {
    const NormalState& contact = normals_of_[i];
    const Law law = law_of(contact.of, contact.e + t * contact.de);
    if (contact.of.damping == 0.0 && law.slope == contact.slope) continue;
    slope -= contact.de * (law.force - contact.force + t * contact.slope * contact.de);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
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
  for (std::uint32_t i = 0; i < links_; ++i) {
    const LinkState& link = links_of_[i];
    const Law law = law_of(link.of, link.s + t * link.ds);
    if (law.slope != 0.0 && law.slope == link.slope) continue;
    slope -= link.ds * (law.force - link.force + t * link.slope * link.ds);
  }
  return slope;
}

/// t in (0, 1] at which the slope is small; 1 if the potential still falls there.
double ContactSolver::search() const HAPTIC_REALTIME {
  const double start = -decrement_;
  double low = 0.0, high = 1.0, at_low = start, at_high = slope_along(1.0);
  if (at_high <= -kSlope * start) return 1.0;
  for (int i = 0; i < kMostTrials; ++i) {
    // Regula falsi, kept away from the ends.
    const double guess = low + (high - low) * at_low / (at_low - at_high);
    const double width = high - low;
    const double t = std::clamp(guess, low + 0.05 * width, high - 0.05 * width);
    const double slope = slope_along(t);
    if (std::abs(slope) <= -kSlope * start) return t;
    (slope < 0.0 ? low : high) = t;
    (slope < 0.0 ? at_low : at_high) = slope;
  }
  return low > 0.0 ? low : high;
}

/// Moves x, and the equations as far as they are linear, by t p.
void ContactSolver::advance(double t) HAPTIC_REALTIME {
  x_ += t * p_;
  const std::uint32_t n = unknowns();
  for (std::uint32_t j = 0; j < n; ++j) equations_.load()[j] *= 1.0 - t;
  for (std::uint32_t i = 0; i < normals_; ++i) {
    NormalState& contact = normals_of_[i];
    contact.e += t * contact.de;
    contact.force -= t * contact.slope * contact.de;
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    TangentState& contact = tangents_of_[i];
    const double x = t * contact.ds[0], y = t * contact.ds[1];
    const double(&k)[3] = contact.spring.stiffness;
    contact.s[0] += x;
    contact.s[1] += y;
    contact.spring.force[0] -= k[0] * x + k[1] * y;
    contact.spring.force[1] -= k[1] * x + k[2] * y;
  }
  for (std::uint32_t i = 0; i < links_; ++i) {
    LinkState& link = links_of_[i];
    link.s += t * link.ds;
    link.force -= t * link.slope * link.ds;
  }
}

/// to += force J^T.
void ContactSolver::add_product(const RowSupport& support, const double* row, double force,
                                Eigen::VectorXd& to) HAPTIC_REALTIME {
  if (force == 0.0) return;
  for (std::uint32_t s = 0; s < support.count; ++s) {
    const RowSupport::Segment& segment = support.segments[s];
    const double* const from = row + segment.at;
    double* const sum = to.data() + segment.first;
    std::uint32_t i = 0;
    for (; i + 4 <= segment.size; i += 4) {
      simd::store4(simd::load4(sum + i) + force * simd::load4(from + i), sum + i);
    }
    for (; i < segment.size; ++i) sum[i] += force * from[i];
  }
}

const Eigen::VectorXd& ContactSolver::contact_load() HAPTIC_REALTIME {
  contact_load_.setZero();
  if (last_ != Result::kNotFinite) add_forces(contact_load_);
  return contact_load_;
}

/// to += sum J_i^T f_i.
void ContactSolver::add_forces(Eigen::VectorXd& to) HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < normals_; ++i) {
    add_product(*normals_of_[i].support, normal_row(i), normals_of_[i].force, to);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    const TangentState& contact = tangents_of_[i];
    for (std::size_t k = 0; k < 2; ++k) {
      add_product(*contact.support, tangent_row(i) + k * width_, contact.spring.force[k], to);
    }
  }
  for (std::uint32_t i = 0; i < links_; ++i) {
    add_product(*links_of_[i].support, link_row(i), links_of_[i].force, to);
  }
}

ContactSolver::Result ContactSolver::solve(Start start, Accuracy accuracy) HAPTIC_REALTIME {
  const bool changed = begin(start);
  iterations_ = factorisations_ = 0;
  // Contacts that have been added do not press, and no spring has reached its limit.
  const bool predicts = accuracy == Accuracy::kPredicts;
  if (!changed && last_ == Result::kConverged && (is_accurate_ || predicts)) return last_;
  is_accurate_ = !predicts;
  const double converged = predicts ? kPredicted : kConverged;
  if (start == Start::kLast && decrement_bound() <= converged * scale_) {
    return last_ = Result::kConverged;
  }
  iterate(converged, accuracy == Accuracy::kGuess ? 1 : kMostIterations);
  if (last_ != Result::kStopped || accuracy == Accuracy::kGuess || !started_warm_) return last_;
  // The initial guess from the last step was poor: start again from zero.
  started_warm_ = false;
  x_.setZero();
  scale_ = 0.0;
  stale_ = true;
  begin(Start::kLast);
  iterations_ = 0;
  iterate(converged, kMostIterations);
  return last_;
}

void ContactSolver::iterate(double converged, std::uint32_t most) HAPTIC_REALTIME {
  last_ = Result::kStopped;
  while (iterations_ < most) {
    if (!direction()) {
      x_.setZero();
      last_ = Result::kNotFinite;
      return;
    }
    if (decrement_ > converged * scale_) {
      project();
      const double t = convex_ ? search() : 1.0;
      advance(t);
      ++iterations_;
      // Where no contact changes its state over a whole step, the potential is quadratic over it,
      // and x is its minimum.
      if (!correct() && t == 1.0) {
        is_accurate_ = true;
      } else if (!(decrement_bound() <= converged * scale_)) {
        continue;
      }
    }
    refine();
    last_ = Result::kConverged;
    return;
  }
}

}  // namespace haptic

#include "rt/contact/contact_solver.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"
#include "shared/math/double4.h"

namespace haptic {
ContactSolver::ContactSolver(const Sizes& sizes)
    : capacity_(sizes.rows),
      width_(sizes.width),
      pattern_(sizes.blocks),
      order_(pattern_),
      islands_(pattern_.blocks()),
      states_(pattern_.blocks()),
      tiles_(pattern_.blocks()),
      supports_(sizes.supports + 1),
      A_(Eigen::MatrixXd::Zero(pattern_.unknowns(), pattern_.unknowns())),
      b_(Eigen::VectorXd::Zero(pattern_.unknowns())),
      x_(b_),
      p_(b_),
      contact_load_(b_),
      residual_(b_),
      permuted_(b_),
      equations_(pattern_.unknowns(), sizes.width),
      cholesky_(pattern_.unknowns()),
      H_(A_),
      ldlt_(pattern_.unknowns()) {
  std::size_t factors = 0;
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    bound_at_.push_back(factors);
    factors += std::size_t{pattern_.size(block)} * pattern_.size(block);
  }
  bound_factors_.resize(factors);
  bounds_.resize(pattern_.blocks());
  for (SortedRows* rows : {&sorted_normals_, &sorted_tangents_, &sorted_links_}) {
    rows->begin.resize(std::size_t{pattern_.blocks()} + 1);
  }
  sorted_normals_.indices.resize(capacity_);
  sorted_links_.indices.resize(sizes.links);
  normal_rows_.resize(width_ * capacity_);
  normals_of_.resize(capacity_);
  known_normals_.resize(capacity_);
  const std::size_t tangents = (sizes.friction ? capacity_ : 0) + sizes.turns;
  tangent_rows_.resize(2 * width_ * tangents);
  tangents_of_.resize(tangents);
  sorted_tangents_.indices.resize(tangents);
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
  normals_ = tangents_ = links_ = support_count_ = 0;
  sorted_normals_.count = sorted_tangents_.count = sorted_links_.count = 0;
  pattern_.clear();
  pattern_changed_ = true;
  islands_.clear();
  std::ranges::fill(states_, IslandState{});
  constexpr std::uint32_t kFirst = 0;
  use_blocks({&kFirst, 1});
}

void ContactSolver::reset() HAPTIC_REALTIME {
  clear();
  x_.setZero();
  is_finite_ = false;
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
/// Where a row joins two islands, their solutions together solve the joint system without the row.
void ContactSolver::couple_blocks() HAPTIC_REALTIME {
  if (coupled_) return;
  coupled_ = true;
  for (std::uint32_t i = 0; i < support_->block_count; ++i) {
    for (std::uint32_t k = i + 1; k < support_->block_count; ++k) {
      const std::uint32_t a = support_->blocks[i], b = support_->blocks[k];
      if (!pattern_.couple(a, b)) continue;
      pattern_changed_ = true;
      const BlockIslands::Joined joined = islands_.join(a, b);
      if (joined.kept != joined.ended) {
        IslandState& kept = states_[joined.kept];
        const IslandState& ended = states_[joined.ended];
        kept.last = std::max(kept.last, ended.last);
        kept.is_accurate = kept.is_accurate && ended.is_accurate;
        kept.started_warm = kept.started_warm || ended.started_warm;
        kept.edited = kept.edited || ended.edited;
        kept.stale = kept.stale || ended.stale;
        kept.scale += ended.scale;
      }
      for (std::uint32_t j = pattern_.first(a); j < pattern_.first(a) + pattern_.size(a); ++j) {
        std::fill_n(equations_.column(j) + pattern_.first(b), pattern_.size(b), 0.0);
      }
    }
  }
}

std::span<double> ContactSolver::add_normal(const Normal& normal) HAPTIC_REALTIME {
  if (normals_ == capacity_) return {};
  return set_normal(normals_++, normal);
}

std::span<double> ContactSolver::replace_normal(std::uint32_t i,
                                                const Normal& normal) HAPTIC_REALTIME {
  HAPTIC_ASSERT(i < normals_ && normals_of_[i].force == 0.0);
  sorted_normals_.count = 0;  // it may be of another island than before
  return set_normal(i, normal);
}

std::span<double> ContactSolver::relinearise_normal(std::uint32_t i,
                                                    const Normal& normal) HAPTIC_REALTIME {
  HAPTIC_ASSERT(i < normals_ && known_normals_[i] != 0);
  NormalState& contact = normals_of_[i];
  contact.of = normal;
  states_[islands_.first(contact.support->blocks[0])].stale = true;
  double* const row = normal_rows_.data() + width_ * i;
  std::fill_n(row, contact.support->width, 0.0);
  return {row, contact.support->used()};
}

std::span<double> ContactSolver::set_normal(std::uint32_t i, const Normal& normal) HAPTIC_REALTIME {
  HAPTIC_ASSERT(normal.stiffness >= 0.0 && normal.damping >= 0.0);
  couple_blocks();
  normals_of_[i].of = normal;
  normals_of_[i].support = support_;
  known_normals_[i] = 0;
  normals_of_[i].force = 0.0;
  double* const row = normal_rows_.data() + width_ * i;
  std::fill_n(row, support_->width, 0.0);
  return {row, support_->used()};
}

ContactSolver::TangentRows ContactSolver::add_tangent(const Tangent& tangent) HAPTIC_REALTIME {
  if (tangents_ == tangents_of_.size()) return {};
  HAPTIC_ASSERT(tangent.stiffness > 0.0 && tangent.limit >= 0.0);
  couple_blocks();
  tangents_of_[tangents_].of = tangent;
  tangents_of_[tangents_].support = support_;
  tangents_of_[tangents_].known = false;
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
  states_[islands_.first(pattern_.block_of(first))].edited = true;
  forget_bounds();
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
  states_[islands_.first(pattern_.block_of(first))].edited = true;
  forget_bounds();
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
  states_[islands_.first(pattern_.block_of(first))].edited = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    b_[first + i] += factor * values[i];
    equations_.load()[first + i] += factor * values[i];
  }
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
    for (; i + 4 <= segment.size; i += 4) {
      sums = simd::multiply_add(simd::load4(left + i), simd::load4(right + i), sums);
    }
    for (; i < segment.size; ++i) rest += left[i] * right[i];
  }
  return rest + simd::sum(sums);
}

// Both factors fall with e, so the force does too and its potential is convex. What goes less far
// than the motion that is not damped has no damping: it would be pushed less than its spring does.
ContactSolver::Law ContactSolver::law_of(const Normal& normal, double e) HAPTIC_REALTIME {
  if (e >= 0.0) return {0.0, 0.0};
  if (normal.damping == 0.0) return {-normal.stiffness * e, normal.stiffness};
  const double motion = e - normal.distance, free = normal.undamped;
  double damped = motion, damping = normal.damping;
  if (free != 0.0) {
    damped -= std::clamp(motion, std::min(0.0, free), std::max(0.0, free));
    if (damped == 0.0) damping = 0.0;
  }
  const double gain = 1.0 - normal.damping * damped;
  if (gain <= 0.0) return {0.0, 0.0};
  return {-normal.stiffness * e * gain, normal.stiffness * (gain - e * damping)};
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
bool ContactSolver::correct(const Island& island) HAPTIC_REALTIME {
  bool changed = false;
  for (const std::uint32_t i : island.normals) {
    changed = correct(normals_of_[i], normal_row(i)) || changed;
  }
  for (const std::uint32_t i : island.tangents) {
    changed = correct(tangents_of_[i], tangent_row(i)) || changed;
  }
  for (const std::uint32_t i : island.links) {
    changed = correct(links_of_[i], link_row(i)) || changed;
  }
  equations_.flush();
  return changed;
}

/// The equations at the start. @returns whether they differ from those of the last solution
bool ContactSolver::begin(const Island& island, Start start) HAPTIC_REALTIME {
  IslandState& state = *island.state;
  const bool anew = start == Start::kNew || state.stale, edited = state.edited;
  state.edited = state.stale = false;
  if (start == Start::kNew) state.started_warm = !is_zero(island);
  if (anew) load_equations(island);
  for (const std::uint32_t i : island.normals) {
    NormalState& contact = normals_of_[i];
    if (known_normals_[i] != 0 && !anew) continue;
    known_normals_[i] = 1;
    contact.e =
        contact.of.distance + contact.of.shift + product(*contact.support, normal_row(i), x_);
    contact.force = contact.slope = 0.0;
  }
  for (const std::uint32_t i : island.tangents) {
    TangentState& contact = tangents_of_[i];
    if (contact.known && !anew) continue;
    contact.known = true;
    for (std::size_t k = 0; k < 2; ++k) {
      contact.s[k] =
          contact.of.stretch[k] + product(*contact.support, tangent_row(i) + k * width_, x_);
    }
    contact.spring = {};
  }
  for (const std::uint32_t i : island.links) {
    LinkState& link = links_of_[i];
    if (link.known && !anew) continue;
    link.known = true;
    link.s = link.of.stretch + product(*link.support, link_row(i), x_);
    link.force = link.slope = 0.0;
  }
  const bool corrected = correct(island);
  if (start == Start::kNew) state.scale = motion_energy(island);
  return anew || edited || corrected;
}

/// Whether the island's part of x is zero.
bool ContactSolver::is_zero(const Island& island) const HAPTIC_REALTIME {
  for (const std::uint32_t block : island.blocks) {
    if (!x_.segment(pattern_.first(block), pattern_.size(block)).isZero(0.0)) return false;
  }
  return true;
}

/// x . H x, the energy of the motion from zero to x.
double ContactSolver::motion_energy(const Island& island) const HAPTIC_REALTIME {
  if (is_zero(island)) return 0.0;
  double sum = 0.0;
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    const auto x = x_.segment(first, size);
    for (std::uint32_t j = 0; j < size; ++j) {
      const auto column = A_.col(first + j).segment(first, size);
      sum += x[j] * (column[j] * x[j] + 2.0 * column.tail(size - j - 1).dot(x.tail(size - j - 1)));
    }
  }
  for (const std::uint32_t i : island.normals) {
    const NormalState& contact = normals_of_[i];
    const double moved = contact.e - contact.of.distance - contact.of.shift;
    sum += contact.slope * moved * moved;
  }
  for (const std::uint32_t i : island.tangents) {
    const TangentState& contact = tangents_of_[i];
    const double x = contact.s[0] - contact.of.stretch[0], y = contact.s[1] - contact.of.stretch[1];
    const double(&k)[3] = contact.spring.stiffness;
    sum += k[0] * x * x + 2.0 * k[1] * x * y + k[2] * y * y;
  }
  for (const std::uint32_t i : island.links) {
    const LinkState& link = links_of_[i];
    sum += link.slope * (link.s - link.of.stretch) * (link.s - link.of.stretch);
  }
  return sum;
}

/// The equations without contacts: r = b - A x, H = A.
void ContactSolver::load_equations(const Island& island) HAPTIC_REALTIME {
  Eigen::Map<Eigen::VectorXd> load(equations_.load(), unknowns());
  const bool moves = !is_zero(island);
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    load.segment(first, size) = b_.segment(first, size);
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
      simd::store4(
          simd::multiply_add(simd::all(force), simd::load4(from + i), simd::load4(sum + i)),
          sum + i);
    }
    for (; i < segment.size; ++i) sum[i] += force * from[i];
  }
}

const Eigen::VectorXd& ContactSolver::contact_load() HAPTIC_REALTIME {
  contact_load_.setZero();
  if (!is_finite_) return contact_load_;
  find_islands();
  for (std::uint32_t i = 0; i < islands_.count(); ++i) add_forces(island(i), contact_load_);
  return contact_load_;
}

/// to += sum J_i^T f_i.
void ContactSolver::add_forces(const Island& island, Eigen::VectorXd& to) HAPTIC_REALTIME {
  for (const std::uint32_t i : island.normals) {
    add_product(*normals_of_[i].support, normal_row(i), normals_of_[i].force, to);
  }
  for (const std::uint32_t i : island.tangents) {
    const TangentState& contact = tangents_of_[i];
    for (std::size_t k = 0; k < 2; ++k) {
      add_product(*contact.support, tangent_row(i) + k * width_, contact.spring.force[k], to);
    }
  }
  for (const std::uint32_t i : island.links) {
    add_product(*links_of_[i].support, link_row(i), links_of_[i].force, to);
  }
}

}  // namespace haptic

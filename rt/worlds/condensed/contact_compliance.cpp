#include "rt/worlds/condensed/contact_compliance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shared/assert.h"
#include "shared/error.h"
#include "shared/simd/simd_target.h"

namespace haptic::condensed {
namespace {

constexpr std::size_t whole_lines(std::size_t doubles) {
  return (doubles + 7) / 8 * 8;
}

void require_consistent(const CondensedModel& model) {
  const std::size_t s = model.dof(), k = model.mode_count;
  const ComplianceView& C = model.compliance;
  const auto require = [](bool holds, const char* section, std::size_t found, std::size_t needed) {
    if (holds) return;
    throw InputError("condensed model", section, fmt::format("found {} values", found),
                     fmt::format("{}", needed));
  };
  if (s == 0 || s % 3 != 0) {
    throw InputError("condensed model", "compliance", fmt::format("found {} rows", s),
                     "three for each node");
  }
  const std::size_t values = C.single.empty() ? C.full.size() : C.single.size();
  require(values == s * s && (C.single.empty() || C.full.empty()), "compliance",
          C.single.size() + C.full.size(), s * s);
  require(model.modes.size() == s * k, "modes", model.modes.size(), s * k);
  require(model.eigenvalues.size() == k, "eigenvalues", model.eigenvalues.size(), k);
  const std::size_t corners = CondensedModel::kCorners * model.vertex_count();
  require(model.embedding_nodes.size() == corners, "embedding/nodes", model.embedding_nodes.size(),
          corners);
  require(model.embedding_weights.size() == corners, "embedding/weights",
          model.embedding_weights.size(), corners);
}

/// L1^-1.
std::vector<double> inverse_eigenvalues(const CondensedModel& model, std::size_t modes) {
  if (modes > model.mode_count || modes > model.eigenvalues.size()) {
    throw InputError("condensed body", "modes", fmt::format("found {}", modes),
                     fmt::format("0 to {}, the modes of the model", model.mode_count));
  }
  std::vector<double> inverse(modes);
  for (std::size_t i = 0; i < modes; ++i) {
    if (!(model.eigenvalues[i] > 0.0) || !std::isfinite(model.eigenvalues[i])) {
      throw InputError("condensed model", "eigenvalues",
                       fmt::format("found {} for mode {}", model.eigenvalues[i], i),
                       "a number > 0 [1/s^2]");
    }
    inverse[i] = 1.0 / model.eigenvalues[i];
  }
  return inverse;
}

}  // namespace

ContactCompliance::ContactCompliance(const CondensedModel& model, std::size_t modes,
                                     std::size_t capacity)
    : ContactCompliance(model, inverse_eigenvalues(model, modes), capacity) {}

ContactCompliance::ContactCompliance(const CondensedModel& model, std::span<const double> removed,
                                     std::size_t capacity)
    : model_(model),
      kernels_(weighted_rows_kernels(simd_target())),
      dof_(model.dof()),
      modes_(removed.size()),
      capacity_(capacity),
      stride_(whole_lines(3 * capacity)),
      removed_(removed.begin(), removed.end()) {
  require_consistent(model);
  if (capacity < 1) {
    throw InputError("condensed body", "contacts", "found 0", "room for at least 1 contact");
  }
  const std::vector<double> largest = inverse_eigenvalues(model, modes_);
  for (std::size_t i = 0; i < modes_; ++i) {
    HAPTIC_DEMAND(std::abs(removed_[i]) <= largest[i]);
  }
  mode_columns_.resize(modes_ * dof_);
  for (std::size_t d = 0; d < dof_; ++d) {
    for (std::size_t i = 0; i < modes_; ++i) {
      mode_columns_[i * dof_ + d] = model.modes[d * model.mode_count + i];
    }
  }
  rows_.resize(capacity);
  slots_.resize(capacity);
  std::iota(slots_.begin(), slots_.end(), std::size_t{0});
  responses_.resize(3 * capacity * dof_);
  contact_modes_.resize(modes_ * stride_);
  weighted_contact_modes_.resize(modes_ * stride_);
  matrix_.resize(stride_ * stride_);
  elastic_diagonal_.resize(capacity);
  const std::size_t most = std::max(ContactRow::kCapacity, 3 * capacity + modes_);
  row_pointers_.resize(most);
  single_pointers_.resize(ContactRow::kCapacity);
  row_weights_.resize(most);
}

bool ContactCompliance::add(const ContactRow& row) HAPTIC_REALTIME {
  if (contacts_ == capacity_) return false;
  const std::size_t i = contacts_++;
  rows_[slots_[i]] = row;
  compute_contact(i);
  return true;
}

void ContactCompliance::replace(std::size_t i, const ContactRow& row) HAPTIC_REALTIME {
  HAPTIC_ASSERT(i < contacts_);
  if (rows_[slots_[i]] == row) return;
  rows_[slots_[i]] = row;
  compute_contact(i);
}

void ContactCompliance::remove(std::size_t i) HAPTIC_REALTIME {
  HAPTIC_ASSERT(i < contacts_);
  const auto at = [](auto& values, std::size_t k) {
    return values.begin() + static_cast<std::ptrdiff_t>(k);
  };
  const std::size_t after = 3 * (i + 1), end = 3 * contacts_;
  const auto close_gap = [&](double* values) {
    std::copy(values + after, values + end, values + after - 3);
  };
  for (std::size_t mode = 0; mode < modes_; ++mode) {
    close_gap(&contact_modes_[mode * stride_]);
    close_gap(&weighted_contact_modes_[mode * stride_]);
  }
  for (std::size_t row = 0; row < end; ++row) close_gap(entry(row, 0));
  for (std::size_t row = after; row < end; ++row) {
    std::copy(entry(row, 0), entry(row, end - 3), entry(row - 3, 0));
  }
  std::copy(at(elastic_diagonal_, i + 1), at(elastic_diagonal_, contacts_),
            at(elastic_diagonal_, i));
  // The slot goes to the free ones behind the contacts.
  std::rotate(at(slots_, i), at(slots_, i + 1), at(slots_, contacts_));
  --contacts_;
}

void ContactCompliance::compute_contact(std::size_t i) HAPTIC_REALTIME {
  compute_response(slots_[i]);
  compute_contact_modes(i);
  compute_blocks(i);
}

/// W = C H^T. C is symmetric, so its rows are read.
void ContactCompliance::compute_response(std::size_t slot) HAPTIC_REALTIME {
  const ContactRow& row = rows_[slot];
  double* const W = response_at(slot);
  std::fill_n(W, 3 * dof_, 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double* const out = W + axis * dof_;
    for (std::size_t k = 0; k < row.count; ++k) {
      const std::size_t at = (3 * row.nodes[k] + axis) * dof_;
      if (model_.compliance.full.empty()) {
        single_pointers_[k] = &model_.compliance.single[at];
      } else {
        row_pointers_[k] = &model_.compliance.full[at];
      }
    }
    if (model_.compliance.full.empty()) {
      kernels_.add_single(single_pointers_.data(), row.weights.data(), row.count, dof_, out);
    } else {
      kernels_.add(row_pointers_.data(), row.weights.data(), row.count, dof_, out);
    }
  }
}

void ContactCompliance::compute_contact_modes(std::size_t i) HAPTIC_REALTIME {
  const ContactRow& row = rows_[slots_[i]];
  for (std::size_t mode = 0; mode < modes_; ++mode) {
    const auto u = displacement_at(row, {&mode_columns_[mode * dof_], dof_});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t at = mode * stride_ + 3 * i + axis;
      contact_modes_[at] = u[axis];
      weighted_contact_modes_[at] = -removed_[mode] * u[axis];
    }
  }
}

/// H_earlier C H_later^T, transposed: into the rows of the later contact.
void ContactCompliance::compute_elastic_block(std::size_t earlier,
                                              std::size_t later) HAPTIC_REALTIME {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto u = displacement_at(rows_[slots_[earlier]], response(later, axis));
    std::copy(u.begin(), u.end(), entry(3 * later + axis, 3 * earlier));
  }
}

/// The blocks of contact i with all others. A block is computed from the response of the later
/// contact at the nodes of the earlier one, whichever of them changed, and so are the products of
/// their modes: its bits do not depend on the order of changes.
void ContactCompliance::compute_blocks(std::size_t i) HAPTIC_REALTIME {
  for (std::size_t k = 0; k <= i; ++k) compute_elastic_block(k, i);
  const std::size_t at = 3 * i, end = 3 * contacts_;
  elastic_diagonal_[i] = std::max({*entry(at, at), *entry(at + 1, at + 1), *entry(at + 2, at + 2)});
  for (std::size_t later = i + 1; later < contacts_; ++later) compute_elastic_block(i, later);

  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t mode = 0; mode < modes_; ++mode) {
      row_pointers_[mode] = &contact_modes_[mode * stride_];
      row_weights_[mode] = weighted_contact_modes_[mode * stride_ + at + axis];
    }
    kernels_.add(row_pointers_.data(), row_weights_.data(), modes_, at + 3, entry(at + axis, 0));
  }
  for (std::size_t row = at + 3; row < end; ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double& value = *entry(row, at + axis);
      for (std::size_t mode = 0; mode < modes_; ++mode) {
        value = std::fma(weighted_contact_modes_[mode * stride_ + row],
                         contact_modes_[mode * stride_ + at + axis], value);
      }
    }
  }
  // The lower triangle is mirrored.
  for (std::size_t row = at; row < at + 3; ++row) {
    for (std::size_t column = 0; column < row; ++column) *entry(column, row) = *entry(row, column);
  }
  for (std::size_t row = at + 3; row < end; ++row) {
    for (std::size_t column = at; column < at + 3; ++column) {
      *entry(column, row) = *entry(row, column);
    }
  }
}

std::span<const double> ContactCompliance::response(std::size_t i,
                                                    std::size_t axis) const HAPTIC_REALTIME {
  return {response_at(slots_[i]) + axis * dof_, dof_};
}

std::span<const double> ContactCompliance::contact_mode(std::size_t mode) const HAPTIC_REALTIME {
  return {&contact_modes_[mode * stride_], 3 * contacts_};
}

std::span<const double> ContactCompliance::mode(std::size_t mode) const HAPTIC_REALTIME {
  return {&mode_columns_[mode * dof_], dof_};
}

SymmetricView ContactCompliance::matrix() const HAPTIC_REALTIME {
  return {matrix_.data(), 3 * contacts_, stride_};
}

double ContactCompliance::scale() const HAPTIC_REALTIME {
  double largest = 0.0;
  for (std::size_t i = 0; i < contacts_; ++i) largest = std::max(largest, elastic_diagonal_[i]);
  return largest;
}

void ContactCompliance::modal_displacement(std::span<const double> q,
                                           std::span<double> out) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == modes_ && out.size() >= 3 * contacts_);
  std::fill_n(out.begin(), 3 * contacts_, 0.0);
  for (std::size_t mode = 0; mode < modes_; ++mode) {
    const double* const row = &contact_modes_[mode * stride_];
    kernels_.add(&row, &q[mode], 1, 3 * contacts_, out.data());
  }
}

void ContactCompliance::modal_force(std::span<const double> f,
                                    std::span<double> out) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(f.size() == 3 * contacts_ && out.size() >= modes_);
  for (std::size_t mode = 0; mode < modes_; ++mode) {
    const double* const row = &contact_modes_[mode * stride_];
    double sum = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) sum = std::fma(row[i], f[i], sum);
    out[mode] = sum;
  }
}

void ContactCompliance::displacement(std::span<const double> q, std::span<const double> f,
                                     std::span<double> out) HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == modes_ && f.size() == 3 * contacts_ && out.size() == dof_);
  std::size_t rows = 0;
  for (std::size_t mode = 0; mode < modes_; ++mode, ++rows) {
    row_pointers_[rows] = &mode_columns_[mode * dof_];
    row_weights_[rows] = q[mode];
  }
  // A contact without force, as most of those near a tool, changes no bit.
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f[i] == 0.0) continue;
    row_pointers_[rows] = response(i / 3, i % 3).data();
    row_weights_[rows++] = f[i];
  }
  std::fill(out.begin(), out.end(), 0.0);
  kernels_.add(row_pointers_.data(), row_weights_.data(), rows, dof_, out.data());
}

std::array<double, 3> ContactCompliance::displacement_of_node(
    std::span<const double> q, std::span<const double> f,
    std::uint32_t node) const HAPTIC_REALTIME {
  std::array<double, 3> u{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t d = 3 * node + axis;
    for (std::size_t mode = 0; mode < modes_; ++mode) {
      u[axis] = std::fma(q[mode], mode_columns_[mode * dof_ + d], u[axis]);
    }
    for (std::size_t i = 0; i < contacts_; ++i) {
      const double* const W = response_at(slots_[i]) + d;
      for (std::size_t k = 0; k < 3; ++k) u[axis] = std::fma(f[3 * i + k], W[k * dof_], u[axis]);
    }
  }
  return u;
}

}  // namespace haptic::condensed

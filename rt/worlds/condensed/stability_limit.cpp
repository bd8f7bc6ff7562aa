#include "rt/worlds/condensed/stability_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::condensed {
namespace {

constexpr double kMinStep = 1e-9;  // s
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double compliance_entry(const ComplianceView& C, std::size_t i, std::size_t j) {
  const std::size_t at = i * C.dof + j;
  return C.full.empty() ? static_cast<double>(C.single[at]) : C.full[at];
}

/// The compliance of one contact, from the entries of C at its nodes.
class SingleContact {
 public:
  SingleContact(const CondensedModel& model, std::size_t modes)
      : model_(model), modes_(modes), contact_modes_(3 * std::max<std::size_t>(modes, 1)) {}

  void place(const ContactRow& row) {
    std::fill(statics_.begin(), statics_.end(), 0.0);
    for (std::size_t i = 0; i < row.count; ++i) {
      for (std::size_t j = 0; j < row.count; ++j) {
        const double w = row.weights[i] * row.weights[j];
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            statics_[3 * a + b] +=
                w * compliance_entry(model_.compliance, 3 * row.nodes[i] + a, 3 * row.nodes[j] + b);
          }
        }
      }
    }
    scale_ = std::max({statics_[0], statics_[4], statics_[8]});
    for (std::size_t mode = 0; mode < modes_; ++mode) {
      double* const u = &contact_modes_[3 * mode];
      std::fill_n(u, 3, 0.0);
      for (std::size_t i = 0; i < row.count; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
          u[a] += row.weights[i] * model_.modes[(3 * row.nodes[i] + a) * model_.mode_count + mode];
        }
      }
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          statics_[3 * a + b] -= u[a] * u[b] / model_.eigenvalues[mode];
        }
      }
    }
  }
  ContactSystem system() const {
    return {{statics_.data(), 3, 3}, contact_modes_.data(), 3, scale_};
  }

 private:
  const CondensedModel& model_;
  std::size_t modes_;
  std::array<double, 9> statics_{};
  std::vector<double> contact_modes_;
  double scale_ = 0.0;
};

}  // namespace

ContactSystem system_of(const ContactCompliance& contacts) HAPTIC_REALTIME {
  const bool modal = contacts.modes() > 0;
  const double* const modes = modal ? contacts.contact_mode(0).data() : nullptr;
  return {
      contacts.matrix(), modes,
      contacts.modes() > 1 ? static_cast<std::size_t>(contacts.contact_mode(1).data() - modes) : 0,
      contacts.scale()};
}

StabilityLimit::StabilityLimit(std::span<const double> eigenvalues, RayleighDamping damping,
                               ModalIntegrator integrator, std::size_t capacity)
    : stiffness_(eigenvalues.begin(), eigenvalues.end()),
      integrator_(integrator),
      stride_(3 * capacity),
      matrix_(stride_ * stride_),
      weights_(eigenvalues.size()),
      solver_(3 * capacity) {
  for (const double k : stiffness_) {
    if (!(k > 0.0) || !std::isfinite(k)) {
      throw InputError("condensed model", "eigenvalues", "found one that is not positive",
                       "numbers > 0 [1/s^2]");
    }
    damping_.push_back(damping.alpha + damping.beta * k);
  }
}

/// Rank of S2 + sum of weights_ x x^T over the rows x of (H U1)^T.
std::size_t StabilityLimit::rank_with(const ContactSystem& contacts) HAPTIC_REALTIME {
  const std::size_t n = contacts.statics.rows;
  HAPTIC_ASSERT(n <= stride_);
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &matrix_[i * stride_];
    std::copy_n(contacts.statics.row(i), i + 1, row);
    for (std::size_t mode = 0; mode < weights_.size(); ++mode) {
      const double* const x = contacts.contact_modes + mode * contacts.stride;
      const double w = weights_[mode] * x[i];
      for (std::size_t j = 0; j <= i; ++j) row[j] = std::fma(w, x[j], row[j]);
    }
    for (std::size_t j = 0; j < i; ++j) matrix_[j * stride_ + i] = row[j];
  }
  return solver_.factorise({matrix_.data(), n, stride_}, contacts.scale);
}

/// Whether S2 - h^2 (H U1) B^-1 (H U1)^T is positive with this rank; h infinite: its limit.
bool StabilityLimit::positive(const ContactSystem& contacts, double dt,
                              std::size_t rank) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double sign = integrator_ == ModalIntegrator::kImplicit ? 1.0 : -1.0;
    // B / h^2.
    const double b = 4.0 / (dt * dt) + sign * (2.0 * damping_[i] / dt + stiffness_[i]);
    if (!(b > 0.0)) return false;
    weights_[i] = -1.0 / b;
  }
  return rank_with(contacts) == rank && !solver_.indefinite();
}

bool StabilityLimit::stable(const ContactSystem& contacts, double dt) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = 1.0 / stiffness_[i];
  return positive(contacts, dt, rank_with(contacts));
}

bool StabilityLimit::feasible(const ContactSystem& contacts) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = 1.0 / stiffness_[i];
  const std::size_t rank = rank_with(contacts);
  std::fill(weights_.begin(), weights_.end(), 0.0);
  return rank_with(contacts) == rank;
}

double StabilityLimit::largest_step(const ContactSystem& contacts) HAPTIC_REALTIME {
  if (!feasible(contacts)) return 0.0;
  const std::size_t rank = solver_.rank();
  if (positive(contacts, kNoLimit, rank)) return kNoLimit;
  double below = kMinStep, above = kMinStep;
  if (!positive(contacts, below, rank)) return 0.0;
  for (int i = 0; i < 64; ++i) {
    above = 2.0 * below;
    if (!positive(contacts, above, rank)) break;
    below = above;
  }
  for (int i = 0; i < 64 && above - below > 1e-9 * below; ++i) {
    const double middle = 0.5 * (below + above);
    (positive(contacts, middle, rank) ? below : above) = middle;
  }
  return below;
}

WorstContact worst_single_contact(const CondensedModel& model, std::size_t modes,
                                  RayleighDamping damping, ModalIntegrator integrator) {
  const ContactCompliance checked(model, modes, 1);  // throws what is not consistent
  StabilityLimit limit(model.eigenvalues.first(modes), damping, integrator, 1);
  SingleContact contact(model, modes);
  constexpr double kThird = 1.0 / 3.0;
  constexpr std::array<std::array<double, 3>, 7> kPoints{{{1.0, 0.0, 0.0},
                                                          {0.0, 1.0, 0.0},
                                                          {0.0, 0.0, 1.0},
                                                          {0.5, 0.5, 0.0},
                                                          {0.0, 0.5, 0.5},
                                                          {0.5, 0.0, 0.5},
                                                          {kThird, kThird, kThird}}};
  WorstContact worst{kNoLimit, 0, kPoints[6]};
  for (std::size_t triangle = 0; triangle < model.triangle_count(); ++triangle) {
    for (const auto& point : kPoints) {
      const ContactRow row = row_in_triangle(model, triangle, point);
      if (row.count == 0) continue;
      contact.place(row);
      if (limit.stable(contact.system(), worst.step)) continue;
      worst = {limit.largest_step(contact.system()), triangle, point};
      if (worst.step == 0.0) return worst;
    }
  }
  return worst;
}

}  // namespace haptic::condensed

#include "rt/dynamics/material_blend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Parameters of the whole body: indices into MaterialBlend::parameters.
constexpr std::size_t kStiffness = 0, kDensity = 1, kDamping = 2;

using Kind = MaterialBlend::Kind;

std::vector<MaterialBlend::Parameter> parameters_of(const MaterialRows& rows) {
  std::vector<MaterialBlend::Parameter> parameters = {
      {Kind::kStiffness, 0, 1e-3, 1e3},
      {Kind::kDensity, 0, 1e-2, 1e2},
      {Kind::kDamping, 0, 0.0, 1e3},
  };
  for (std::uint32_t g = 0; g < rows.groups.size(); ++g) {
    const MaterialRows::Group& group = rows.groups[g];
    if (group.anisotropic()) {
      parameters.push_back({Kind::kGroupStiffness, g, 1e-3, 1e3});
    } else {
      const double largest = 1e3 * std::max(std::abs(group.lambda), group.mu);
      parameters.push_back({Kind::kLambda, g, std::min(0.0, group.lambda), largest});
      parameters.push_back({Kind::kMu, g, 1e-3 * group.mu, largest});
    }
    parameters.push_back({Kind::kGroupDensity, g, 1e-2 * group.density, 1e2 * group.density});
  }
  return parameters;
}

}  // namespace

MaterialBlend::MaterialBlend(const ReducedSystem& baked, MaterialRows rows, double dt,
                             double ramp_s, Stepping stepping)
    : rows_(std::move(rows)),
      dt_(dt),
      ramp_s_(ramp_s),
      baked_damping_(baked.damping),
      parameters_(parameters_of(rows_)),
      energies_{*baked.energy, *baked.energy},
      whole_(baked.energy->layout()),
      selected_(rows_.dimension),
      kept_(rows_.dimension),
      size_(rows_.energy.empty() ? 0 : ReducedEnergy::layout_size(rows_.dimension)),
      system_(baked) {
  require_valid("material", dt, baked);
  if (!(std::isfinite(ramp_s) && ramp_s >= 0.0)) {
    throw InputError("material", "ramp", fmt::format("found {}", ramp_s), "a number >= 0 [s]");
  }
  if (rows_.dimension != baked.energy->dimension()) {
    throw InputError("material", "rows", fmt::format("found r = {}", rows_.dimension),
                     fmt::format("{}, as the energy", baked.energy->dimension()));
  }
  done_ = size_;
  for (const Parameter& p : parameters_) {
    double value = 1.0;
    if (p.kind == Kind::kLambda) value = rows_.groups[p.group].lambda;
    if (p.kind == Kind::kMu) value = rows_.groups[p.group].mu;
    if (p.kind == Kind::kGroupDensity) value = rows_.groups[p.group].density;
    const bool opens_group = p.kind == Kind::kLambda || p.kind == Kind::kGroupStiffness;
    if (opens_group) first_of_group_.push_back(states_.size());
    states_.emplace_back(value);
    blended_.push_back(value);
  }
  for (const AlignedVector<double>& row : rows_.energy) row_pointers_.push_back(row.data());
  weights_.resize(rows_.energy.size());
  for (auto& mass : masses_) mass.resize(std::size_t{rows_.dimension} * rows_.dimension);
  system_.energy = &energies_[front_];
  if (!rows_.energy.empty()) {
    const QuarticPlaces places(whole_);
    for (std::uint32_t d = 1; d < rows_.dimension; ++d) {
      leading_.emplace_back(whole_, places, baked.energy->simd(), d);
    }
  }
  if (stepping == Stepping::kStable) return;
  step_limit_.emplace(rows_, dt);
  stiffest_.resize(rows_.energy.size());
  lightest_.resize(std::max<std::size_t>(1, rows_.mass.size()));
}

bool MaterialBlend::set(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= parameters_.size()) return false;
  if (!is_material(index, value) || !is_stable(index, value)) return false;
  states_[index].set(value, ramp_s_);
  return true;
}

bool MaterialBlend::is_material(std::size_t index, double value) const HAPTIC_REALTIME {
  const Parameter& parameter = parameters_[index];
  if (!(value >= parameter.minimum && value <= parameter.maximum)) return false;
  if (parameter.kind != Kind::kLambda && parameter.kind != Kind::kMu) return true;
  const bool is_lambda = parameter.kind == Kind::kLambda;
  const double lambda = is_lambda ? value : states_[index - 1].target();
  const double mu = is_lambda ? states_[index + 1].target() : value;
  return mu > 0.0 && 3.0 * lambda + 2.0 * mu > 0.0;
}

// K(0) grows with every weight of a row and M with every density, so the worst instant of all ramps
// is bounded by the largest weights and the smallest densities.
bool MaterialBlend::is_stable(std::size_t index, double value) HAPTIC_REALTIME {
  if (!step_limit_ || parameters_[index].kind == Kind::kDamping) return true;
  const auto range = [&](std::size_t i) HAPTIC_REALTIME {
    const double now = states_[i].value(), target = i == index ? value : states_[i].target();
    return Range{std::min(now, target), std::max(now, target)};
  };
  const Range stiffness = range(kStiffness);
  const double scale = range(kDensity).minimum;
  if (rows_.groups.empty()) {
    stiffest_[0] = stiffness.maximum;
    lightest_[0] = scale;
  }
  for (std::size_t g = 0; g < rows_.groups.size(); ++g) {
    const std::size_t first = first_of_group_[g];
    const bool anisotropic = rows_.groups[g].anisotropic();
    const double lambda = range(first).maximum;  // or the factor of an anisotropic group
    // lambda may be negative.
    stiffest_[2 * g] = std::max(stiffness.minimum * lambda, stiffness.maximum * lambda);
    stiffest_[2 * g + 1] = anisotropic ? 0.0 : stiffness.maximum * range(first + 1).maximum;
    lightest_[g] = scale * range(first + (anisotropic ? 1 : 2)).minimum;
  }
  return step_limit_->stable(stiffest_, lightest_);
}

MaterialBlend::Range MaterialBlend::allowed(std::size_t index, double value) HAPTIC_REALTIME {
  const Parameter& parameter = parameters_[index];
  Range range{parameter.minimum, parameter.maximum};
  double good = states_[index].target();
  double bad = std::clamp(value, range.minimum, range.maximum);
  if (is_material(index, bad) && is_stable(index, bad)) return range;
  for (int i = 0; i < kLimitHalvings; ++i) {
    // Factors span decades.
    const double middle = good > 0.0 && bad > 0.0 ? std::sqrt(good * bad) : 0.5 * (good + bad);
    (is_material(index, middle) && is_stable(index, middle) ? good : bad) = middle;
  }
  (bad > good ? range.maximum : range.minimum) = good;
  return range;
}

bool MaterialBlend::ramp() HAPTIC_REALTIME {
  bool moved = false;
  for (ValueRamp& state : states_) moved = state.advance(dt_) || moved;
  return moved;
}

bool MaterialBlend::energy_is_stale() const HAPTIC_REALTIME {
  if (energies_[front_].dimension() != selected_) return true;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (parameters_[i].kind != Kind::kDamping && states_[i].value() != blended_[i]) return true;
  }
  return false;
}

void MaterialBlend::weigh() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < states_.size(); ++i) blended_[i] = states_[i].value();
  kept_ = selected_;
  size_ = kept_ < rows_.dimension ? leading_[kept_ - 1].layout().coefficient_count
                                  : whole_.coefficient_count;
  const double stiffness = blended_[kStiffness];
  if (rows_.groups.empty()) weights_[0] = stiffness;
  for (std::size_t g = 0; g < rows_.groups.size(); ++g) {
    const std::size_t first = first_of_group_[g];
    weights_[2 * g] = stiffness * blended_[first];  // lambda, or the factor of an anisotropic group
    weights_[2 * g + 1] = rows_.groups[g].anisotropic() ? 0.0 : stiffness * blended_[first + 1];
  }
  weigh_mass();
}

double MaterialBlend::blended_density(std::size_t group) const HAPTIC_REALTIME {
  return blended_[first_of_group_[group] + (rows_.groups[group].anisotropic() ? 1 : 2)];
}

void MaterialBlend::weigh_mass() HAPTIC_REALTIME {
  const double scale = blended_[kDensity];
  bool as_baked = true;
  for (std::size_t g = 0; g < rows_.groups.size(); ++g) {
    as_baked = as_baked && blended_density(g) == rows_.groups[g].density;
  }
  unit_mass_ = as_baked && scale == 1.0;
  if (unit_mass_) return;
  const std::size_t r = rows_.dimension, n = kept_;
  std::vector<double>& mass = masses_[1 - front_];
  std::fill(mass.begin(), mass.end(), 0.0);
  if (as_baked) {
    for (std::size_t i = 0; i < n; ++i) mass[i * n + i] = scale;
    return;
  }
  for (std::size_t g = 0; g < rows_.groups.size(); ++g) {
    const double density = scale * blended_density(g);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) mass[i * n + j] += density * rows_.mass[g][i * r + j];
    }
  }
}

bool MaterialBlend::advance() HAPTIC_REALTIME {
  bool changed = ramp();
  const double damping = states_[kDamping].value();
  system_.damping = {damping * baked_damping_.alpha, damping * baked_damping_.beta};
  system_.viscosity_scale = damping;
  if (done_ == size_) {
    if (rows_.energy.empty() || !energy_is_stale()) return changed;
    weigh();
    done_ = 0;
  }
  const std::size_t lanes = std::max<std::size_t>(1, kBlendBudget / weights_.size() / 8);
  const std::size_t count = std::min(8 * lanes, size_ - done_);
  if (kept_ < rows_.dimension) {
    energies_[1 - front_].blend_leading(leading_[kept_ - 1], row_pointers_, weights_, done_, count);
  } else {
    energies_[1 - front_].blend(row_pointers_, weights_, done_, count);
  }
  done_ += count;
  if (done_ == size_) {
    front_ = 1 - front_;
    energies_[front_].set_layout(kept_ < rows_.dimension ? leading_[kept_ - 1].layout() : whole_);
    system_.energy = &energies_[front_];
    system_.mass = unit_mass_
                       ? std::span<const double>()
                       : std::span<const double>(masses_[front_]).first(std::size_t{kept_} * kept_);
    changed = true;
  }
  return changed;
}

}  // namespace haptic

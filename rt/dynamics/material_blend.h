#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rt/dynamics/explicit_step_limit.h"
#include "rt/dynamics/leading_coefficients.h"
#include "rt/dynamics/material_rows.h"
#include "rt/dynamics/reduced_system.h"
#include "shared/math/value_ramp.h"

namespace haptic {

/// Run-time material of one body (docs/methods/reduced-dynamics.md, "Material at run time"):
/// scales of stiffness, density and damping, and lambda, mu and density of each group.
///
/// A parameter changes linearly to its new value over `ramp_s`, so that the force stays smooth. The
/// cost of a change per cycle is bounded: the sum over the groups' polynomials is written to a
/// second energy, with at most kBlendBudget multiply-adds per cycle. When complete, it replaces the
/// first. In the same way the body gets fewer or more basis vectors (select).
///
/// For an explicit integrator, a value is refused if the step could be unstable about rest at any
/// instant of the ramps (ExplicitStepLimit): each parameter counts with the worse of its present
/// value and its target. Allocates at construction only.
class MaterialBlend {
 public:
  static constexpr std::size_t kBlendBudget = 32768;

  enum class Kind : std::uint8_t {
    kStiffness,       ///< factor of every group's lambda and mu
    kDensity,         ///< factor of every group's density
    kDamping,         ///< factor of the Rayleigh coefficients and of the viscosities
    kLambda,          ///< of a group [Pa]
    kMu,              ///< of a group [Pa]
    kGroupStiffness,  ///< factor of an anisotropic group's elasticity
    kGroupDensity,    ///< of a group [kg/m^3]
  };
  struct Parameter {
    Kind kind;
    std::uint32_t group;  ///< 0 for parameters of the whole body
    double minimum, maximum;
  };
  struct Range {
    double minimum, maximum;
  };
  /// Integrator of the body: kExplicit is central differences with the blend's dt.
  enum class Stepping : std::uint8_t { kStable, kExplicit };

  /// @param baked   the body as baked, M = I. The energy is copied; the viscosity must outlive the
  ///                blend
  /// @param rows    of the same dimension as the energy. Without energy rows, the scales ramp and
  ///                system() keeps energy and mass; the caller then applies the scales
  /// @param dt      of one call of `advance` [s], > 0
  /// @param ramp_s  time from one value to the next [s], >= 0
  /// @param stepping  kExplicit needs energy rows
  /// @throws InputError if dt, ramp_s or the dimension is invalid
  MaterialBlend(const ReducedSystem& baked, MaterialRows rows, double dt, double ramp_s,
                Stepping stepping = Stepping::kStable);
  MaterialBlend(const MaterialBlend&) = delete;
  MaterialBlend& operator=(const MaterialBlend&) = delete;

  /// kStiffness, kDensity, kDamping at 0, 1, 2, then those of each group.
  std::span<const Parameter> parameters() const { return parameters_; }
  const MaterialRows& rows() const { return rows_; }
  /// Current value of the ramp.
  double value(std::size_t index) const HAPTIC_REALTIME { return states_[index].value(); }
  /// @returns false, and changes nothing, if the value is out of range, if lambda and mu of the
  ///          group would then not satisfy mu > 0 and 3 lambda + 2 mu > 0, or if an explicit step
  ///          could be unstable
  [[nodiscard]] bool set(std::size_t index, double value) HAPTIC_REALTIME;
  /// The part of the parameter's range that `set` accepts at present, towards `value`; the limit of
  /// an explicit step lies inside it by less than a thousandth of the way to `value`. Costs
  /// kLimitHalvings factorisations r^3/3. @param index < parameters().size()
  Range allowed(std::size_t index, double value) HAPTIC_REALTIME;
  static constexpr int kLimitHalvings = 12;

  /// Reduces the energy and the mass to the first `kept` basis vectors; in system() when the second
  /// energy has been written. @param kept  1..rows().dimension @pre energy rows
  void select(std::uint32_t kept) HAPTIC_REALTIME { selected_ = kept; }
  /// Of the last select(); system() may not have it yet.
  std::uint32_t selected() const HAPTIC_REALTIME { return selected_; }

  /// Advances by one cycle. @returns whether system() or a scale changed; then update the
  ///          integrator
  bool advance() HAPTIC_REALTIME;

  /// The body with its present material. Its views are valid until the next advance().
  const ReducedSystem& system() const HAPTIC_REALTIME { return system_; }

 private:
  bool is_material(std::size_t index, double value) const HAPTIC_REALTIME;
  bool is_stable(std::size_t index, double value) HAPTIC_REALTIME;
  bool ramp() HAPTIC_REALTIME;
  bool energy_is_stale() const HAPTIC_REALTIME;
  void weigh() HAPTIC_REALTIME;
  void weigh_mass() HAPTIC_REALTIME;
  double blended_density(std::size_t group) const HAPTIC_REALTIME;

  MaterialRows rows_;
  double dt_, ramp_s_;
  RayleighDamping baked_damping_;
  std::vector<Parameter> parameters_;
  std::vector<ValueRamp> states_;
  std::vector<std::size_t> first_of_group_;  ///< index of the group's first parameter
  std::vector<double> blended_;              ///< parameter values of the latest pass
  std::vector<const double*> row_pointers_;
  std::vector<double> weights_;
  std::optional<ExplicitStepLimit> step_limit_;
  std::vector<double> stiffest_, lightest_;  ///< weights of its rows
  std::array<ReducedEnergy, 2> energies_;
  std::array<std::vector<double>, 2> masses_;
  std::vector<LeadingCoefficients> leading_;  ///< of 1..r - 1 basis vectors
  QuarticLayout whole_;                       ///< of all r
  std::uint32_t selected_;
  std::uint32_t kept_;     ///< basis vectors of the current pass
  bool unit_mass_ = true;  ///< of the current pass
  std::size_t front_ = 0;
  std::size_t done_, size_;  ///< coefficients of the current pass; done_ == size_: none runs
  ReducedSystem system_;
};

}  // namespace haptic

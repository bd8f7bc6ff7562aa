#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/collision/contact_candidates.h"
#include "rt/worlds/cloth/collision/contact_impulse.h"
#include "rt/worlds/cloth/collision/feature_pair.h"
#include "rt/worlds/cloth/collision/impact_zones.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Keeps the layers of one cloth apart: no two parts of it pass through each other.
///
/// After the step of an integrator, on the straight ways of the particles:
///   1. pairs of features nearer than the thickness: impulses against approach, with friction, and
///      a bounded push apart;
///   2. passes of the same on pairs that would meet on their way;
///   3. zones of particles, of pairs that still would meet, that move as one.
/// A result other than kNotFinite means that every pair of features keeps a distance above 0 on
/// the whole way, but for those that touched at its start (`Figures::touching`).
/// Impulses and zones never raise the kinetic energy. Linear momentum is exact without constraints.
/// Source: docs/methods/cloth.md, "Self-collision response".
class SelfContact {
 public:
  enum class Result : std::uint8_t {
    kDone,
    kZones,      ///< particles were joined to zones
    kHeld,       ///< a bound of the step was reached: the cloth moved as one, or not at all
    kNotFinite,  ///< a value is not finite; nothing was changed
  };
  struct Settings {
    double thickness = 2e-3;              ///< m, > 0, below every distance in the rest shape
    double friction = 0.3;                ///< Coulomb's coefficient, >= 0
    double recovery = 0.2;                ///< share of the missing thickness a step, 0 to 1
    double slack = 1e-3;                  ///< m, >= 0: of the way of a particle beside the expected
    std::size_t passes = 4;               ///< of impulses on pairs that would meet, >= 1
    std::size_t pairs_per_triangle = 48;  ///< capacity, >= 1
    /// Bound of the distances that one step computes, for its time: about 40 ns each. >= 1
    std::size_t distances_per_triangle = 64;
  };
  struct Figures {
    std::size_t candidates = 0;  ///< pairs on the list
    std::size_t searches = 0;    ///< of all pairs
    std::size_t renewed = 0;     ///< particles with another region, whose pairs were searched
    std::size_t visited = 0;     ///< nodes and features that were compared
    std::size_t active = 0;      ///< pairs whose distance was measured
    std::size_t near = 0;        ///< nearer than the thickness at the start
    std::size_t touching = 0;    ///< without a distance at the start: left out
    std::size_t distances = 0;   ///< computed
    std::size_t impulses = 0;
    std::size_t passes = 0;
    std::size_t rounds = 0;    ///< of joining zones
    std::size_t joined = 0;    ///< particles in zones
    double penetration = 0.0;  ///< largest thickness - distance at the start [m]
  };

  /// @param rest  positions in the rest shape [m], 3 values a particle
  /// @throws InputError if a setting is out of its range, or if parts of the rest shape without a
  ///         common particle are not farther apart than the thickness
  SelfContact(std::vector<TriangleCorners> triangles, std::span<const double> rest,
              const Settings& settings);

  /// After a step of `dt` [s]: changes positions and velocities of its end.
  /// @param masses  n values [kg], > 0
  /// @param before  positions at its start [m], 3n values
  Result apply(const ParticleConstraints& constraints, std::span<const double> masses,
               std::span<const double> before, double dt, ClothState& state) HAPTIC_REALTIME;

  const Figures& figures() const HAPTIC_REALTIME { return figures_; }  ///< of the last step
  const Settings& settings() const HAPTIC_REALTIME { return settings_; }

 private:
  struct Active {
    FeaturePair pair;
    PairDistance start;
    double gap = 0.0;  // least distance on the way [m]
  };

  Result respond(std::span<const double> before, PairMotion& motion) HAPTIC_REALTIME;
  void allow_motions() HAPTIC_REALTIME;
  bool motions_are_allowed() const HAPTIC_REALTIME;
  void measure(std::span<const double> before) HAPTIC_REALTIME;
  double farthest_to_meet(const FeaturePair& pair) const HAPTIC_REALTIME;
  void push_apart(PairMotion& motion) HAPTIC_REALTIME;
  bool may_meet(const Active& active, std::span<const double> before,
                PairDistance& met) HAPTIC_REALTIME;
  std::size_t stop_meeting(std::span<const double> before, PairMotion& motion) HAPTIC_REALTIME;
  std::size_t join_meeting(std::span<const double> before, PairMotion& motion) HAPTIC_REALTIME;

  Settings settings_;
  ContactCandidates candidates_;
  ImpactZones zones_;
  std::vector<Active> active_;
  std::size_t active_count_ = 0;
  std::size_t most_distances_;
  ParticleVectors moves_;  // of the particles in the step [m]
  std::vector<unsigned char> changed_;
  Vector3 shift_ = Vector3::Zero();  // mean of the moves
  std::vector<double> allowed_;  // moves beside the shift for which the active pairs suffice [m]
  Figures figures_;
};

}  // namespace haptic::cloth

#include "rt/worlds/cloth/collision/self_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "shared/error.h"

namespace haptic::cloth {
namespace {

/// By the thickness: the distance that no pair goes below if it starts above it; one that counts as
/// none.
constexpr double kFloor = 0.1, kTouching = 1e-6;
/// By its distance at the start: what a pair keeps below the floor.
constexpr double kKept = 0.8;
/// By the free way: where a pair has arrived.
constexpr double kArrived = 0.1;
/// Motions for which active pairs suffice: by those of the integrator, and by the thickness.
constexpr double kMoreMotion = 1.25, kMinMotion = 0.1;
/// Bounds of one step.
constexpr int kSearches = 3, kRounds = 12;

SelfContact::Settings checked(const SelfContact::Settings& settings) {
  const auto refuse = [](const char* key, double found, const char* expected) {
    throw InputError("", key, fmt::format("{}", found), expected);
  };
  if (!(settings.thickness > 0.0 && std::isfinite(settings.thickness))) {
    refuse("thickness", settings.thickness, "a number > 0 [m]");
  }
  if (!(settings.friction >= 0.0 && std::isfinite(settings.friction))) {
    refuse("friction", settings.friction, "a number >= 0");
  }
  if (!(settings.recovery >= 0.0 && settings.recovery <= 1.0)) {
    refuse("recovery", settings.recovery, "a number from 0 to 1");
  }
  if (!(settings.slack >= 0.0 && std::isfinite(settings.slack))) {
    refuse("slack", settings.slack, "a number >= 0 [m]");
  }
  if (settings.passes == 0) refuse("passes", 0.0, "an integer >= 1");
  if (settings.distances_per_triangle == 0) {
    refuse("distances_per_triangle", 0.0, "an integer >= 1");
  }
  if (settings.pairs_per_triangle == 0) refuse("pairs_per_triangle", 0.0, "an integer >= 1");
  return settings;
}

}  // namespace

SelfContact::SelfContact(std::vector<TriangleCorners> triangles, std::span<const double> rest,
                         const Settings& settings)
    : settings_(checked(settings)),
      candidates_(triangles, rest, settings.thickness, settings.slack,
                  settings.pairs_per_triangle * triangles.size()),
      zones_(rest.size() / 3),
      active_(settings.pairs_per_triangle * triangles.size()),
      most_distances_(settings.distances_per_triangle * triangles.size()),
      moves_(rest.size(), 0.0),
      changed_(rest.size() / 3),
      allowed_(rest.size() / 3) {
  if (candidates_.search({rest, moves_, shift_}) != ContactCandidates::Search::kDone) {
    throw InputError("", "pairs_per_triangle", fmt::format("{}", settings.pairs_per_triangle),
                     "room for the pairs of the rest shape, or less thickness and slack");
  }
  double least = HUGE_VAL;
  for (const FeaturePair& pair : candidates_.pairs()) {
    least = std::min(least, distance_between(pair.kind, gather(pair, rest)).distance);
  }
  if (!(least > settings.thickness)) {
    throw InputError("", "thickness", fmt::format("{} m", settings.thickness),
                     fmt::format("below {:.6g} m, the least distance in the rest shape", least));
  }
}

SelfContact::Result SelfContact::apply(const ParticleConstraints& constraints,
                                       std::span<const double> masses,
                                       std::span<const double> before, double dt,
                                       ClothState& state) HAPTIC_REALTIME {
  figures_ = {};
  if (!all_finite(before) || !all_finite(state.x) || !all_finite(state.v) || !(dt > 0.0)) {
    return Result::kNotFinite;
  }
  const std::size_t count = before.size() / 3;
  for (std::size_t k = 0; k < before.size(); ++k) moves_[k] = state.x[k] - before[k];
  shift_.setZero();
  for (std::size_t i = 0; i < count; ++i) shift_ += at(moves_, i);
  shift_ /= static_cast<double>(count);
  std::fill(changed_.begin(), changed_.end(), static_cast<unsigned char>(0));
  zones_.clear();
  PairMotion motion{constraints, masses, moves_, state.v, changed_, dt};
  const Result result = respond(before, motion);
  if (result == Result::kNotFinite) return result;
  candidates_.advance(shift_);
  for (std::size_t i = 0; i < count; ++i) {
    if (changed_[i] != 0) at(state.x, i) = at(before, i) + at(moves_, i);
  }
  return result;
}

SelfContact::Result SelfContact::respond(std::span<const double> before,
                                         PairMotion& motion) HAPTIC_REALTIME {
  for (int search = 0; search < kSearches; ++search) {
    const ContactCandidates::Search found =
        candidates_.follow({before, moves_, shift_}, search == 0);
    figures_.searches += candidates_.searched() ? 1 : 0;
    figures_.renewed += candidates_.renewed();
    figures_.visited += candidates_.visited();
    if (found == ContactCandidates::Search::kNotFinite && search == 0) return Result::kNotFinite;
    if (found != ContactCandidates::Search::kDone) break;
    allow_motions();
    measure(before);
    if (search == 0) push_apart(motion);
    std::size_t meeting = 1;
    for (std::size_t pass = 0; pass < settings_.passes && meeting > 0; ++pass) {
      meeting = stop_meeting(before, motion);
      ++figures_.passes;
    }
    for (int round = 0; round < kRounds && meeting > 0; ++round) {
      meeting = join_meeting(before, motion);
      ++figures_.rounds;
    }
    if (meeting > 0) break;  // also where the bound of the distances is reached
    if (motions_are_allowed() && candidates_.covers({before, moves_, shift_})) {
      return figures_.joined > 0 ? Result::kZones : Result::kDone;
    }
  }
  zones_.join_all();
  figures_.joined = zones_.move_as_one(motion);
  return Result::kHeld;
}

void SelfContact::allow_motions() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < allowed_.size(); ++i) {
    const double move = std::sqrt((at(moves_, i) - shift_).squaredNorm());
    allowed_[i] = kMoreMotion * move + kMinMotion * settings_.thickness;
  }
}

bool SelfContact::motions_are_allowed() const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < allowed_.size(); ++i) {
    if (changed_[i] == 0) continue;
    if (!((at(moves_, i) - shift_).squaredNorm() <= allowed_[i] * allowed_[i])) return false;
  }
  return true;
}

double SelfContact::farthest_to_meet(const FeaturePair& pair) const HAPTIC_REALTIME {
  double most[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < 4; ++i) {
    double& of = most[i < pair.first_count() ? 0 : 1];
    of = std::max(of, allowed_[pair.particles[i]]);
  }
  return std::max(settings_.thickness, most[0] + most[1] + 2.0 * kFloor * settings_.thickness);
}

void SelfContact::measure(std::span<const double> before) HAPTIC_REALTIME {
  const double thickness = settings_.thickness;
  figures_.candidates = candidates_.pairs().size();
  figures_.near = figures_.touching = 0;
  active_count_ = 0;
  for (const FeaturePair& pair : candidates_.pairs()) {
    const double farthest = farthest_to_meet(pair);
    const PairVectors x = gather(pair, before);
    if (is_farther(pair.kind, x, farthest)) continue;
    Active& active = active_[active_count_];
    ++figures_.distances;
    active.start = distance_between(pair.kind, x);
    if (active.start.distance > farthest) continue;
    if (active.start.distance <= kTouching * thickness) {
      ++figures_.touching;
      continue;
    }
    active.pair = pair;
    active.gap = std::min(kKept * active.start.distance, kFloor * thickness);
    ++active_count_;
    if (active.start.distance < thickness) ++figures_.near;
    figures_.penetration = std::max(figures_.penetration, thickness - active.start.distance);
  }
  figures_.active = active_count_;
}

void SelfContact::push_apart(PairMotion& motion) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < active_count_; ++k) {
    const Active& active = active_[k];
    const double missing = settings_.thickness - active.start.distance;
    if (missing <= 0.0) continue;
    const double wanted = settings_.recovery * missing;
    if (separate(active.pair, active.start, wanted, settings_.friction, motion)) {
      ++figures_.impulses;
    }
  }
}

bool SelfContact::may_meet(const Active& active, std::span<const double> before,
                           PairDistance& met) HAPTIC_REALTIME {
  const double start = active.start.distance;
  const double near = kArrived * std::min(start - active.gap, kFloor * settings_.thickness);
  return may_come_near(active.pair.kind, gather(active.pair, before), gather(active.pair, moves_),
                       start, active.gap, near, met, figures_.distances);
}

std::size_t SelfContact::stop_meeting(std::span<const double> before,
                                      PairMotion& motion) HAPTIC_REALTIME {
  std::size_t meeting = 0;
  for (std::size_t k = 0; k < active_count_; ++k) {
    const Active& active = active_[k];
    PairDistance met;
    if (figures_.distances > most_distances_) return 1;
    if (!may_meet(active, before, met)) continue;
    ++meeting;
    // The approach may go on to the thickness.
    const double gap = met.normal.dot(difference(met.weights, gather(active.pair, before)));
    const double wanted = -std::max(0.0, gap - settings_.thickness);
    if (separate(active.pair, met, wanted, settings_.friction, motion)) ++figures_.impulses;
  }
  return meeting;
}

std::size_t SelfContact::join_meeting(std::span<const double> before,
                                      PairMotion& motion) HAPTIC_REALTIME {
  std::size_t meeting = 0;
  for (std::size_t k = 0; k < active_count_; ++k) {
    PairDistance met;
    if (figures_.distances > most_distances_) return 1;
    if (!may_meet(active_[k], before, met)) continue;
    ++meeting;
    zones_.join(active_[k].pair);
  }
  if (meeting > 0) figures_.joined = zones_.move_as_one(motion);
  return meeting;
}

}  // namespace haptic::cloth

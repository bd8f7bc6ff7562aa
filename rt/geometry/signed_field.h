#pragma once

#include <cstdint>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Points that a field answers for in one call.
inline constexpr std::uint32_t kFieldBatch = 16;

/// Points of a batch in the field's material frame [m], by coordinate.
struct alignas(64) FieldPoints {
  double x[kFieldBatch], y[kFieldBatch], z[kFieldBatch];
};

/// What a field says of a batch.
struct alignas(64) FieldSamples {
  double distance[kFieldBatch];  ///< m, negative inside; NaN for a point that is not finite
  /// Radius about the point [m], >= 0, within which no point is in contact
  /// (docs/methods/contact-and-coupling.md, "Culling"); meaningless where distance < 0.
  double free_radius[kFieldBatch];
};

/// A material point of the field's body, to be found again after the body has moved and deformed.
struct FieldAnchor {
  std::uint32_t patch = 0;          ///< part of the body that carries it; 0 of a rigid one
  Vector3 local = Vector3::Zero();  ///< in coordinates of that part; of a rigid body the point [m]
};

/// How far a traversal trusts a field (docs/methods/contact-and-coupling.md, "Culling").
enum class Culling : std::uint8_t {
  kSafe,       ///< what the interpolated field can fall short of is taken off
  kPublished,  ///< the field is taken to be 1-Lipschitz: free_radius = distance
};

/// The side of a contact that answers how far away it is: a sampled, analytical or deformed signed
/// distance, in the material frame of its body. Queries come in batches, so that one virtual call
/// is spread over many points.
class SignedField {
 public:
  struct Sample {
    double distance;   ///< m
    Vector3 gradient;  ///< 1, material axes; outside a sampled box that of the lower bound
  };

  virtual ~SignedField() = default;

  /// Distance and free radius of the first `count` <= kFieldBatch points. The answer for a point
  /// does not depend on its place in a batch nor on its neighbours there, bit for bit.
  virtual void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                        FieldSamples& samples) const HAPTIC_REALTIME = 0;
  /// Fetches what `evaluate` would read towards the core; changes nothing.
  virtual void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME = 0;

  /// Distance and its derivative at one point.
  virtual Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME = 0;

  /// Length below which the field knows nothing: a sampled field's voxel edge [m]; of an analytical
  /// one, 1/128 of its size. The default of what a contact may penetrate.
  virtual double edge() const HAPTIC_REALTIME = 0;
  /// Radius about the material origin that holds every point with a distance below zero [m]; bounds
  /// how fast the field's inside moves when it turns.
  virtual double reach() const HAPTIC_REALTIME = 0;

  /// Reduced coordinates of the body behind the field; 0 for a rigid one.
  virtual std::uint32_t dimension() const HAPTIC_REALTIME { return 0; }
  /// Brings a deforming field to the state q [dimension()]; once a cycle, before any query.
  virtual void deform(std::span<const double> q) HAPTIC_REALTIME { static_cast<void>(q); }
  /// What `deform` costs, as a number of points that `evaluate` answers for; 0 for a rigid field.
  virtual std::uint32_t cost_of_deform() const HAPTIC_REALTIME { return 0; }
  /// Bound on how far any point of the inside moves between two states that differ by `dq` [m].
  virtual double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME {
    static_cast<void>(dq);
    return 0.0;
  }
  /// The body's material point that is now at p.
  virtual FieldAnchor anchor(const Vector3& p) const HAPTIC_REALTIME { return {0, p}; }
  /// Where a material point is now; inverse of `anchor` as long as the state is the same.
  virtual Vector3 anchor_position(const FieldAnchor& anchor) const HAPTIC_REALTIME {
    return anchor.local;
  }
  /// reduced_force += U(p)^T f of a force f [N] that acts on the field's body at p, both in its
  /// material frame (Barbic 2007, Section 3.12).
  virtual void add_reduced_force(const Vector3& p, const Vector3& f,
                                 std::span<double> reduced_force) const HAPTIC_REALTIME {
    static_cast<void>(p), static_cast<void>(f), static_cast<void>(reduced_force);
  }
};

}  // namespace haptic

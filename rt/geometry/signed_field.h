#pragma once

#include <cstdint>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Maximum number of points in one query of a field.
inline constexpr std::uint32_t kFieldBatch = 16;

/// Points of a batch in the field's material frame [m], by coordinate.
struct alignas(64) FieldPoints {
  double x[kFieldBatch], y[kFieldBatch], z[kFieldBatch];
};

/// Results of a query for a batch of points.
struct alignas(64) FieldSamples {
  double distance[kFieldBatch];  ///< m, negative inside; NaN if a coordinate of the point is NaN
  /// Radius about the point [m], >= 0, within which no point is in contact
  /// (docs/methods/contact-and-coupling.md, "Culling"); meaningless where distance < 0.
  double free_radius[kFieldBatch];
};

/// A material point of the field's body; it can be located after the body has moved and deformed.
struct FieldAnchor {
  std::uint32_t patch = 0;          ///< part of the body that contains it; 0 for a rigid body
  Vector3 local = Vector3::Zero();  ///< coordinates in that part; for a rigid body the point [m]
};

/// Which free radius a field returns (docs/methods/contact-and-coupling.md, "Culling").
enum class Culling : std::uint8_t {
  kSafe,       ///< the free radius is reduced by the error bound of the interpolated field
  kPublished,  ///< the field is assumed to be 1-Lipschitz: free_radius = distance
};

/// Interface of a signed distance field, sampled, analytical or deformed, in the material frame of
/// its body. Queries are batched to spread the cost of a virtual call over many points.
class SignedField {
 public:
  struct Sample {
    double distance;   ///< m
    Vector3 gradient;  ///< 1, material axes; of the lower bound outside the box of a sampled field
  };

  virtual ~SignedField() = default;

  /// Distance and free radius of the first `count` <= kFieldBatch points. The result for a point
  /// does not depend on its index in the batch or on the other points, bit for bit.
  virtual void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                        FieldSamples& samples) const HAPTIC_REALTIME = 0;
  /// Prefetches into cache what `evaluate` would read; has no other effect.
  virtual void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME = 0;

  /// Distance and its derivative at one point.
  virtual Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME = 0;

  /// Resolution of the field [m]: voxel edge of a sampled field, 1/128 of the size of an analytical
  /// one.
  virtual double edge() const HAPTIC_REALTIME = 0;
  /// Radius of a ball about the material origin that contains every point with negative distance
  /// [m]; bounds the motion of the field's inside under a rotation.
  virtual double reach() const HAPTIC_REALTIME = 0;
  /// Depth of the deepest point [m], of a deforming field at rest: half the thickness where the
  /// body is thickest. Infinity for a half-space; of a field that is sampled along its surface, the
  /// depth of its samples; where nothing is known, edge().
  virtual double inner_depth() const HAPTIC_REALTIME { return edge(); }

  /// Number of reduced coordinates of the field's body; 0 for a rigid body.
  virtual std::uint32_t dimension() const HAPTIC_REALTIME { return 0; }
  /// Sets a deforming field to the state q [dimension()], for all queries that follow.
  virtual void deform(std::span<const double> q) HAPTIC_REALTIME { static_cast<void>(q); }
  /// Cost of `deform`, in points of `evaluate`; 0 for a rigid field.
  virtual std::uint32_t cost_of_deform() const HAPTIC_REALTIME { return 0; }
  /// Upper bound on the displacement of any point inside the field between two states that differ
  /// by `dq` [m].
  virtual double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME {
    static_cast<void>(dq);
    return 0.0;
  }
  /// The body's material point at the current position p [m].
  virtual FieldAnchor anchor(const Vector3& p) const HAPTIC_REALTIME { return {0, p}; }
  /// Current position of a material point [m]; inverse of `anchor` in the same state.
  virtual Vector3 anchor_position(const FieldAnchor& anchor) const HAPTIC_REALTIME {
    return anchor.local;
  }
  /// reduced_force += U(p)^T f for a force f [N] that acts on the field's body at p, both in its
  /// material frame (Barbic 2007, Section 3.12).
  virtual void add_reduced_force(const Vector3& p, const Vector3& f,
                                 std::span<double> reduced_force) const HAPTIC_REALTIME {
    static_cast<void>(p), static_cast<void>(f), static_cast<void>(reduced_force);
  }
};

}  // namespace haptic

#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "host/mesh/triangle_mesh.h"
#include "shared/math/pose.h"

namespace haptic {

/// Part of a triangle mesh on which a nearest point lies.
enum class SurfaceFeature : std::uint8_t { kFace, kEdge, kVertex };

/// Nearest point of a surface.
struct NearestPoint {
  double distance = std::numeric_limits<double>::infinity();  ///< >= 0 [m]
  Vector3 point = Vector3::Zero();                            ///< on the surface [m]
  Vector3 pseudonormal = Vector3::Zero();  ///< unit, outward, angle-weighted, of the feature
  std::uint32_t triangle = 0;              ///< the triangle; the lowest index among equals
  SurfaceFeature feature = SurfaceFeature::kFace;
  bool ambiguous =
      false;  ///< sheets touch or a sliver ends there: the sign of the pseudonormal is unreliable
};

/// Exact distance to a triangle mesh: Embree finds the candidate triangles, the distance itself is
/// computed in double, so the result does not depend on the order of the search.
///
/// The sign comes from the angle-weighted pseudonormal of the nearest face, edge or vertex
/// (Baerentzen & Aanaes 2005): negative inside. It is meaningful only for closed surfaces that are
/// oriented outward and do not intersect themselves. Where sheets touch in an edge or vertex, the
/// sign is that of the winding number. Thread-safe after construction. Triangles without area are
/// ignored.
class SurfaceDistance {
 public:
  /// Keeps a copy of the mesh.
  /// @throws InputError if no triangle has an area
  explicit SurfaceDistance(const TriangleMesh& mesh);
  SurfaceDistance(SurfaceDistance&&) noexcept;
  SurfaceDistance& operator=(SurfaceDistance&&) noexcept;
  ~SurfaceDistance();

  const TriangleMesh& mesh() const;

  /// Nearest point. @param p [m]
  NearestPoint nearest(const Vector3& p) const;
  /// The same, faster where `hint` is a triangle near p (the answer for a neighbouring point).
  NearestPoint nearest(const Vector3& p, std::uint32_t hint) const;
  /// Nearest point of one triangle, with the pseudonormal of the feature it lies on.
  NearestPoint nearest_on_triangle(const Vector3& p, std::uint32_t triangle) const;

  double unsigned_distance(const Vector3& p) const;  ///< [m], >= 0
  double signed_distance(const Vector3& p) const;    ///< [m], < 0 inside
  /// Signed distance of p whose nearest point is known.
  double signed_distance(const Vector3& p, const NearestPoint& nearest) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace haptic

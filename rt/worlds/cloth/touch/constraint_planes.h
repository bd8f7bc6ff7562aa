#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// normal . x >= offset, with a normal of unit length.
struct HalfSpace {
  Vector3 normal;
  double offset;  ///< m
};

/// The point of an intersection of half spaces that is nearest to another one.
struct NearestPoint {
  Vector3 point = Vector3::Zero();        ///< x = p - N lambda [m]
  std::array<std::uint32_t, 3> active{};  ///< indices of the planes that hold it, the columns of N
  std::array<double, 3> lambda{};         ///< multipliers, <= 0 [m]
  std::size_t count = 0;                  ///< of active planes, <= 3
};

/// min |x - p| subject to normal . x >= offset, by exchange of the active planes:
/// lambda = (N^T N)^-1 (N^T p - d), with N^T N factored by orthogonalisation of the normals.
/// The plane that is most violated enters; of at most three old planes and the new one, the subset
/// whose multipliers have the right sign stays. |x - p| grows with every exchange, so no subset
/// returns, and exchanges are bounded.
/// Source: docs/methods/cloth.md, "Constraint planes"; Ruspini et al. 1997.
/// @param tolerance  a plane that is violated by less counts as satisfied [m], > 0
/// @returns false if no point was found: the half spaces have none in common, or their normals are
///          dependent to 1e-9
bool nearest_point(std::span<const HalfSpace> planes, const Vector3& p, double tolerance,
                   NearestPoint& result) HAPTIC_REALTIME;

}  // namespace haptic::cloth

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "shared/math/pose.h"

namespace haptic {

/// Nearest-neighbour search in a fixed set of points (k-d tree); equal distances go to the lowest
/// index. Thread-safe after construction.
class NearestPoints {
 public:
  /// @param points at least one; outlive the search
  explicit NearestPoints(std::span<const Vector3> points);
  ~NearestPoints();

  std::uint32_t nearest(const Vector3& p) const;
  /// The nearest whose direction has a positive component along `direction`; the nearest of all if
  /// there is none. @param directions one for each point
  std::uint32_t nearest_facing(const Vector3& p, const Vector3& direction,
                               std::span<const Vector3> directions) const;
  /// Distance of one of the points from the nearest other one; at least two points.
  double distance_to_other(std::uint32_t point) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace haptic

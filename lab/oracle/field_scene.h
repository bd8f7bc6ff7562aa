#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "rt/geometry/distance_field.h"
#include "shared/math/pose.h"

/// Plain, slow, independent makers of fields, and the random numbers of the contact tests.
namespace haptic::oracle {

using Random = std::mt19937_64;

Vector3 random_vector(Random& random, double half_side);
Vector3 random_direction(Random& random);
Pose random_pose(Random& random, double half_side);

/// Exact signed distances (negative inside) about the origin.
double box_distance(const Vector3& p, const Vector3& half_sides);
double sphere_distance(const Vector3& p, double radius);

/// Owner of what a DistanceField looks at.
struct FieldData {
  std::vector<float> values;
  std::vector<double> frame;
  DistanceField view() const { return {values, frame}; }
};

/// Samples `distance` on (n+1)^3 corners of the cube [-side/2, side/2]^3.
FieldData sample_field(const std::function<double(const Vector3&)>& distance, std::uint32_t n,
                       double side);

}  // namespace haptic::oracle

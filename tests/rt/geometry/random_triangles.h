#pragma once

#include <gtest/gtest.h>

#include <random>

#include "rt/geometry/triangle_distance.h"

namespace haptic {

/// Vectors and triangles about the origin, of size 1.
class RandomTriangles : public testing::Test {
 protected:
  Vector3 vector() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  Corners triangle() { return {vector(), vector(), vector()}; }
  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

}  // namespace haptic

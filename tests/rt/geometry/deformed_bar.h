#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lab/oracle/field_scene.h"
#include "rt/geometry/deformed_field.h"

namespace haptic::oracle {

/// Owner of proxy data; modes are those of the body at the proxies.
struct Proxies {
  std::uint32_t r = 0;
  std::vector<double> points, displacement, gradients;
  std::vector<std::uint32_t> domain;

  std::size_t size() const { return points.size() / 3; }
  void add(const Vector3& p) { points.insert(points.end(), {p.x(), p.y(), p.z()}); }
  Vector3 point(std::size_t i) const { return Vector3(&points[3 * i]); }
  ProxyData view() const { return {r, points, displacement, gradients, domain}; }
};

/// A bar along x, [-1, 1] x [-w, w]^2, that bends and twists: three modes that are not affine.
struct Bar {
  static constexpr double kHalf = 0.12;
  Bar() {
    data = sample_field(
        [](const Vector3& p) { return box_distance(p, Vector3(1.0, kHalf, kHalf)); }, 64, 2.6);
    Random random(41);
    for (int i = 0; i < 60; ++i) {
      Vector3 p = random_vector(random, 1.0).cwiseProduct(Vector3(1.0, kHalf, kHalf));
      p[1 + i % 2] = i % 4 < 2 ? kHalf : -kHalf;
      proxies.add(p);
    }
    proxies.r = 3;
    for (std::size_t i = 0; i < proxies.size(); ++i) {
      const Vector3 X = proxies.point(i);
      const double x = X.x(), y = X.y(), z = X.z();
      // u = (0, 0, x^2), (0, -x z, x y), (0.2 x^2, 0, 0)
      const double U[3][3] = {{0, 0, 0.2 * x * x}, {0, -x * z, 0}, {x * x, x * y, 0}};
      for (const auto& row : U)
        proxies.displacement.insert(proxies.displacement.end(), row, row + 3);
      const double G[9][3] = {{0, 0, 0.4 * x}, {0, 0, 0},     {0, 0, 0}, {0, -z, 0}, {0, 0, 0},
                              {0, -x, 0},      {2 * x, y, 0}, {0, x, 0}, {0, 0, 0}};
      for (const auto& row : G) proxies.gradients.insert(proxies.gradients.end(), row, row + 3);
    }
  }
  DeformedField field(ProxyForce force = ProxyForce::kNearest) const {
    std::vector<DistanceField> domains;
    domains.push_back(data.view());
    return {std::move(domains), proxies.view(), force};
  }
  FieldData data;
  Proxies proxies;
};

}  // namespace haptic::oracle

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/collision/self_contact.h"
#include "rt/worlds/cloth/implicit_euler.h"

namespace haptic::cloth {

/// Counts edges that pass through triangles without a common particle: an exact check that shares
/// no code with the response. Signs of volumes of tetrahedra; a sweep along x leaves out what is
/// apart.
class CrossingCount {
 public:
  explicit CrossingCount(const std::vector<TriangleCorners>& triangles) : triangles_(triangles) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const TriangleCorners& t : triangles) {
      for (std::size_t k = 0; k < 3; ++k) edges.insert(std::minmax(t[k], t[(k + 1) % 3]));
    }
    edges_.assign(edges.begin(), edges.end());
  }

  std::size_t operator()(const ParticleVectors& x) const {
    std::vector<std::size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto low = [&](std::size_t e) {
      return std::min(x[3 * edges_[e].first], x[3 * edges_[e].second]);
    };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return low(a) < low(b); });
    double longest = 0.0;
    for (const auto& [a, b] : edges_) longest = std::max(longest, std::abs(x[3 * a] - x[3 * b]));
    std::size_t count = 0;
    for (const TriangleCorners& t : triangles_) {
      const auto [least, most] = std::minmax({x[3 * t[0]], x[3 * t[1]], x[3 * t[2]]});
      auto e = std::partition_point(order.begin(), order.end(),
                                    [&](auto k) { return low(k) < least - longest; });
      for (; e != order.end() && low(*e) <= most; ++e) {
        const auto [a, b] = edges_[*e];
        if (!has(t, a) && !has(t, b)) count += crosses(x, a, b, t) ? 1 : 0;
      }
    }
    return count;
  }

 private:
  static bool has(const TriangleCorners& t, std::uint32_t i) {
    return std::find(t.begin(), t.end(), i) != t.end();
  }
  static bool crosses(const ParticleVectors& x, std::uint32_t a, std::uint32_t b,
                      const TriangleCorners& t) {
    const Vector3 p = at(x, a), q = at(x, b), u = at(x, t[0]), v = at(x, t[1]), w = at(x, t[2]);
    for (Eigen::Index k = 1; k < 3; ++k) {
      if (std::max(p[k], q[k]) < std::min({u[k], v[k], w[k]})) return false;
      if (std::min(p[k], q[k]) > std::max({u[k], v[k], w[k]})) return false;
    }
    const auto volume = [](const Vector3& d, const Vector3& e, const Vector3& f) {
      return d.cross(e).dot(f);
    };
    if (volume(v - u, w - u, p - u) * volume(v - u, w - u, q - u) > 0.0) return false;
    const double one = volume(q - p, u - p, v - p), two = volume(q - p, v - p, w - p),
                 three = volume(q - p, w - p, u - p);
    return (one > 0.0 && two > 0.0 && three > 0.0) || (one < 0.0 && two < 0.0 && three < 0.0);
  }

  std::vector<TriangleCorners> triangles_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

/// Kinetic energy [J].
inline double kinetic_energy(const ClothSystem& system, const ParticleVectors& v) {
  double energy = 0.0;
  for (std::size_t i = 0; i < system.size(); ++i) {
    energy += 0.5 * system.masses()[i] * at(v, i).squaredNorm();
  }
  return energy;
}

/// A cloth of 1 m that hangs in a vertical plane, a little crooked, and falls on a floor at z = 0,
/// where it folds. The floor is there for the particles alone; they stick to it by friction.
class FoldingCloth {
 public:
  FoldingCloth(std::uint32_t side, double dt, bool contact, double height = 0.1)
      : cloth_(square_cloth(side, 1.0 / (side - 1), cloth_materials(100.0, 0.02))),
        step_(cloth_.system, dt),
        contact_(cloth_.mesh.triangles, cloth_.state.x, settings(side)),
        before_(cloth_.state.x),
        enabled_(contact) {
    for (std::size_t i = 0; i < cloth_.system.size(); ++i) {
      const double u = cloth_.state.x[3 * i], w = cloth_.state.x[3 * i + 1];
      at(cloth_.state.x, i) =
          Vector3(u, 0.03 * std::sin(9.0 * w) + 0.01 * std::sin(5.0 * u + 3.0 * w), w + height);
    }
  }
  static SelfContact::Settings settings(std::uint32_t side) {
    SelfContact::Settings settings;
    settings.thickness = 0.1 / (side - 1);
    settings.slack = 0.05 / (side - 1);
    return settings;
  }

  /// The integrator's step, and the floor.
  void advance() {
    before_ = cloth_.state.x;
    solved_ = step_.step(cloth_.state) == ClothStepResult::kOk;
    ClothState& state = cloth_.state;
    for (std::size_t i = 0; i < cloth_.system.size(); ++i) {
      if (state.x[3 * i + 2] >= 0.0) continue;
      at(state.v, i).setZero();
      at(state.x, i) = at(before_, i);
      state.x[3 * i + 2] = std::max(0.0, before_[3 * i + 2]);
    }
  }
  SelfContact::Result respond() {
    if (!enabled_) return SelfContact::Result::kDone;
    return contact_.apply(cloth_.system.constraints(), cloth_.system.masses(), before_, step_.dt(),
                          cloth_.state);
  }

  SampleCloth& cloth() { return cloth_; }
  const SelfContact& contact() const { return contact_; }
  bool solved() const { return solved_; }

 private:
  SampleCloth cloth_;
  ImplicitEuler step_;
  SelfContact contact_;
  ParticleVectors before_;
  bool enabled_, solved_ = true;
};

}  // namespace haptic::cloth

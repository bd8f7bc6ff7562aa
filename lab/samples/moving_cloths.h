#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {

/// Sides of the grids with 162, 722, 1682, 3042 and 4802 triangles.
inline constexpr std::uint32_t kSides[5] = {10, 20, 30, 40, 50};

inline ParticleVectors positions(const ClothMesh& mesh) {
  ParticleVectors x;
  for (const auto& vertex : mesh.vertices) x.insert(x.end(), vertex.begin(), vertex.end());
  return x;
}

/// A square of 1 m in waves of `height` [m] at `phase`, rolled up by `roll` [rad] in all.
inline ParticleVectors waving(const ClothMesh& flat, double height, double phase,
                              double roll = 0.0) {
  ParticleVectors x = positions(flat);
  for (std::size_t i = 0; i < flat.vertices.size(); ++i) {
    const double u = x[3 * i], v = x[3 * i + 1];
    const double wave = height * std::sin(7.0 * u + phase) * std::cos(5.0 * v - 0.7 * phase);
    const double angle = roll * u;
    const double radius = roll > 0.0 ? 1.0 / roll + wave : 0.0;
    at(x, i) = roll > 0.0 ? Vector3(radius * std::sin(angle), v, radius * std::cos(angle))
                          : Vector3(u, v, wave);
  }
  return x;
}

inline Vector3 random_point(std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<double> uniform(low, high);
  const double x = uniform(random), y = uniform(random);
  return {x, y, uniform(random)};
}

template <class Item>
std::vector<Item> sorted(std::span<const Item> items) {
  std::vector<Item> list(items.begin(), items.end());
  std::sort(list.begin(), list.end());
  return list;
}

template <class Volume>
Volume volume_of(const TriangleCorners& corners, const ParticleVectors& x) {
  Volume volume;
  bound(at(x, corners[0]), at(x, corners[1]), at(x, corners[2]), volume);
  return volume;
}

/// Triangles whose own volume overlaps `shape`, one by one.
template <class Volume, class Shape>
std::vector<std::uint32_t> brute_force(const ClothMesh& mesh, const ParticleVectors& x,
                                       const Shape& shape) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (overlap(volume_of<Volume>(mesh.triangles[t], x), shape)) found.push_back(t);
  }
  return found;
}

/// Whether the segment from p to q meets the triangle, for one that is not parallel to it.
inline bool meets(const Vector3& p, const Vector3& q, const TriangleCorners& corners,
                  const ParticleVectors& x) {
  const Vector3 a = at(x, corners[0]), b = at(x, corners[1]), c = at(x, corners[2]);
  const Vector3 normal = (b - a).cross(c - a);
  const double from = normal.dot(p - a), to = normal.dot(q - a);
  if (from * to > 0.0 || from == to) return false;
  const Vector3 hit = p + from / (from - to) * (q - p);
  return normal.dot((b - a).cross(hit - a)) >= 0.0 && normal.dot((c - b).cross(hit - b)) >= 0.0 &&
         normal.dot((a - c).cross(hit - c)) >= 0.0;
}

/// Whether two triangles in general position intersect: an edge of one meets the other.
inline bool intersect(const TriangleCorners& s, const TriangleCorners& t,
                      const ParticleVectors& x) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (meets(at(x, s[k]), at(x, s[next]), t, x) || meets(at(x, t[k]), at(x, t[next]), s, x)) {
      return true;
    }
  }
  return false;
}

inline bool share_corner(const TriangleCorners& s, const TriangleCorners& t) {
  return std::any_of(s.begin(), s.end(),
                     [&](std::uint32_t i) { return std::find(t.begin(), t.end(), i) != t.end(); });
}

/// Pairs of triangles without a common corner that intersect, each with each.
inline std::set<TrianglePair> self_intersections(const ClothMesh& mesh, const ParticleVectors& x) {
  std::set<TrianglePair> pairs;
  const auto& triangles = mesh.triangles;
  for (std::uint32_t s = 0; s < triangles.size(); ++s) {
    const BoxVolume box = volume_of<BoxVolume>(triangles[s], x);
    for (std::uint32_t t = s + 1; t < triangles.size(); ++t) {
      if (share_corner(triangles[s], triangles[t])) continue;
      if (!overlap(box, volume_of<BoxVolume>(triangles[t], x))) continue;
      if (intersect(triangles[s], triangles[t], x)) pairs.insert({s, t});
    }
  }
  return pairs;
}

}  // namespace haptic::cloth

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/touch/god_object.h"

namespace haptic::cloth {

/// A square grid of particles about the origin, as a height over x and y.
struct TouchSheet {
  std::uint32_t side;
  double spacing;
  ClothMesh mesh;
  ParticleVectors x;

  TouchSheet(std::uint32_t particles, double cell)
      : side(particles),
        spacing(cell),
        mesh(make_grid({particles, particles}, cell * (particles - 1), cell * (particles - 1))),
        x(3 * mesh.vertices.size()) {
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      at(x, i) = Vector3(mesh.vertices[i][0] - half(), mesh.vertices[i][1] - half(), 0.0);
    }
  }
  double half() const { return 0.5 * spacing * (side - 1); }

  /// Moves every particle up or down by up to `amount`.
  void roughen(double amount, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-amount, amount);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) x[3 * i + 2] += uniform(random);
  }

  /// Height of the sheet at x, y: from the triangle whose projection has the point, without any
  /// code of the god-object. NaN outside.
  double height(double px, double py) const {
    for (const std::array<std::uint32_t, 3>& t : mesh.triangles) {
      const auto a = at(x, t[0]), b = at(x, t[1]), c = at(x, t[2]);
      const double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
      const double wb = ((px - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (py - a[1])) / area;
      const double wc = ((b[0] - a[0]) * (py - a[1]) - (px - a[0]) * (b[1] - a[1])) / area;
      if (wb >= -1e-12 && wc >= -1e-12 && wb + wc <= 1.0 + 1e-12) {
        return (1.0 - wb - wc) * a[2] + wb * b[2] + wc * c[2];
      }
    }
    return std::nan("");
  }
};

/// A god-object with its own scan of a mesh.
struct Touch {
  ScannedTriangles scan;
  GodObject god;

  explicit Touch(const ClothMesh& mesh, GodObjectSettings settings = {})
      : scan(mesh.triangles), god(mesh.triangles, scan, settings) {}
};

}  // namespace haptic::cloth

#include "host/fem/hexahedral_mesh.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "shared/error.h"

namespace haptic {
namespace {

void check_material(const Material& material, const std::string& key) {
  if (!(material.youngs_modulus > 0.0) || !std::isfinite(material.youngs_modulus)) {
    throw InputError("material", key + "youngs_modulus",
                     fmt::format("found {} Pa", material.youngs_modulus), "a number > 0");
  }
  if (!(material.poisson_ratio > -1.0 && material.poisson_ratio < 0.5)) {
    throw InputError("material", key + "poisson_ratio",
                     fmt::format("found {}", material.poisson_ratio), "a number in (-1, 0.5)");
  }
  if (!(material.density > 0.0) || !std::isfinite(material.density)) {
    throw InputError("material", key + "density", fmt::format("found {} kg/m^3", material.density),
                     "a number > 0");
  }
}

// Corners relative to corner 0 in units of 1e-10 of the element's size: equal for congruent
// elements. Two congruent elements that round apart only cost a second copy of the tables.
using ShapeKey = std::array<std::int64_t, 22>;

ShapeKey shape_key(const CornerVectors& relative, double size) {
  ShapeKey key;
  std::size_t next = 0;
  for (int a = 1; a < 8; ++a) {
    for (int d = 0; d < 3; ++d) {
      key[next++] = static_cast<std::int64_t>(std::llround(relative(d, a) / (1e-10 * size)));
    }
  }
  // The size itself on a logarithmic grid of the same resolution.
  key[next] = static_cast<std::int64_t>(std::llround(std::log(size) / 1e-10 + 0.25));
  return key;
}

}  // namespace

HexahedralMesh::HexahedralMesh(std::span<const double> vertices,
                               std::span<const std::uint32_t> elements,
                               std::vector<Material> materials)
    : vertices_(vertices.begin(), vertices.end()),
      elements_(elements.begin(), elements.end()),
      materials_(std::move(materials)) {
  if (vertices_.size() % 3 != 0 || elements_.size() % 8 != 0) {
    throw InputError("hexahedral mesh", "size",
                     fmt::format("found {} coordinates and {} element corners", vertices_.size(),
                                 elements_.size()),
                     "multiples of 3 and 8");
  }
  if (elements_.empty()) {
    throw InputError("hexahedral mesh", "elements", "found none", "at least one");
  }
  if (materials_.size() != 1 && materials_.size() != elements_.size() / 8) {
    throw InputError("hexahedral mesh", "materials", fmt::format("found {}", materials_.size()),
                     fmt::format("1 or {}", elements_.size() / 8));
  }
  for (std::size_t i = 0; i < materials_.size(); ++i) {
    check_material(materials_[i], materials_.size() == 1 ? "" : fmt::format("{}: ", i));
  }
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    if (!std::isfinite(vertices_[i])) {
      throw InputError("hexahedral mesh", fmt::format("vertex {}", i / 3),
                       fmt::format("found {}", vertices_[i]), "a finite number");
    }
  }

  std::vector<bool> used(vertices_.size() / 3, false);
  std::map<ShapeKey, std::uint32_t> known;
  shape_of_element_.reserve(elements_.size() / 8);
  for (int e = 0; e < element_count(); ++e) {
    const auto ids = element(e);
    for (std::size_t a = 0; a < 8; ++a) {
      if (ids[a] >= used.size()) {
        throw InputError("hexahedral mesh", fmt::format("element {}", e),
                         fmt::format("found vertex {}", ids[a]),
                         fmt::format("an index below {}", used.size()));
      }
      used[ids[a]] = true;
    }
    CornerVectors relative = corners(e);
    relative.colwise() -= Eigen::Vector3d(relative.col(0));
    const double size = relative.cwiseAbs().maxCoeff();
    if (!(size > 0.0)) {
      throw InputError("hexahedral mesh", fmt::format("element {}", e), "found no extent",
                       "eight distinct corners");
    }
    const auto [entry, is_new] =
        known.emplace(shape_key(relative, size), static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) {
      try {
        HexahedronQuadrature quadrature = hexahedron_quadrature(relative, 3);
        HexahedronQuadrature hessian_quadrature =
            hexahedron_quadrature(relative, is_parallelepiped(relative) ? 2 : 3);
        shapes_.push_back({relative, std::move(quadrature), std::move(hessian_quadrature)});
      } catch (const InputError& error) {
        throw InputError("hexahedral mesh", fmt::format("element {}", e), error.what());
      }
    }
    shape_of_element_.push_back(entry->second);
  }
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) {
      throw InputError("hexahedral mesh", fmt::format("vertex {}", v), "found in no element",
                       "every vertex in an element");
    }
  }
}

CornerVectors HexahedralMesh::corners(int e) const {
  CornerVectors corners;
  const auto ids = element(e);
  for (int a = 0; a < 8; ++a) corners.col(a) = vertex(static_cast<int>(ids[a]));
  return corners;
}

double HexahedralMesh::volume() const {
  double volume = 0.0;
  for (int e = 0; e < element_count(); ++e) {
    for (const double weight : shape(e).quadrature.weight) volume += weight;
  }
  return volume;
}

double HexahedralMesh::mass() const {
  double mass = 0.0;
  for (int e = 0; e < element_count(); ++e) {
    for (const double weight : shape(e).quadrature.weight) mass += weight * material(e).density;
  }
  return mass;
}

Vector3 HexahedralMesh::lower() const {
  Vector3 lower = vertex(0);
  for (int v = 1; v < vertex_count(); ++v) lower = lower.cwiseMin(vertex(v));
  return lower;
}

Vector3 HexahedralMesh::upper() const {
  Vector3 upper = vertex(0);
  for (int v = 1; v < vertex_count(); ++v) upper = upper.cwiseMax(vertex(v));
  return upper;
}

HexahedralMesh make_box_mesh(int nx, int ny, int nz, double h, const Material& material) {
  if (nx < 1 || ny < 1 || nz < 1 || !(h > 0.0)) {
    throw InputError("box mesh", "size", fmt::format("found {} x {} x {} of {} m", nx, ny, nz, h),
                     "counts >= 1 and an edge > 0");
  }
  std::vector<double> vertices;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) vertices.insert(vertices.end(), {i * h, j * h, k * h});
    }
  }
  const CornerVectors offsets = hexahedron_corner_offsets();
  std::vector<std::uint32_t> elements;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        for (int a = 0; a < 8; ++a) {
          const int x = i + static_cast<int>(offsets(0, a));
          const int y = j + static_cast<int>(offsets(1, a));
          const int z = k + static_cast<int>(offsets(2, a));
          elements.push_back(static_cast<std::uint32_t>(x + (nx + 1) * (y + (ny + 1) * z)));
        }
      }
    }
  }
  return {vertices, elements, material};
}

}  // namespace haptic

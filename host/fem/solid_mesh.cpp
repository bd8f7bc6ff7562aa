#include "host/fem/solid_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "host/fem/held_fraction.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Corners relative to corner 0 in units of 1e-10 of the element's size: equal for congruent
// elements. If rounding separates two congruent elements, they only cost a second copy of the
// tables.
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

[[noreturn]] void refuse(const std::string& key, const std::string& found,
                         const std::string& expected = {}) {
  throw InputError("solid mesh", key, found, expected);
}

[[noreturn]] void refuse_element(int e, const std::string& found,
                                 const std::string& expected = {}) {
  refuse(fmt::format("element {}", e), found, expected);
}

}  // namespace

SolidMesh::SolidMesh(ElementKind kind, std::span<const double> vertices,
                     std::span<const std::uint32_t> elements, MaterialGroups groups)
    : kind_(kind),
      vertices_(vertices.begin(), vertices.end()),
      elements_(elements.begin(), elements.end()),
      groups_(std::move(groups)) {
  check_numbers();
  check_connectivity();
  kind_ == ElementKind::kHexahedron ? build_hexahedra() : build_tetrahedra();
}

SolidMesh::SolidMesh(std::span<const double> vertices, std::span<const std::uint32_t> elements,
                     MaterialGroups groups, CellSettings cells)
    : SolidMesh(ElementKind::kHexahedron, vertices, elements, std::move(groups)) {
  cells_ = std::move(cells);
  if (!cells_.plain()) build_cells();
}

void SolidMesh::check_numbers() const {
  const auto corners = static_cast<std::size_t>(corners_per_element());
  if (vertices_.size() % 3 != 0 || elements_.size() % corners != 0) {
    refuse("size",
           fmt::format("found {} coordinates and {} element corners", vertices_.size(),
                       elements_.size()),
           fmt::format("multiples of 3 and {}", corners));
  }
  if (elements_.empty()) refuse("elements", "found none", "at least one");
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    if (!std::isfinite(vertices_[i])) {
      refuse(fmt::format("vertex {}", i / 3), fmt::format("found {}", vertices_[i]),
             "a finite number");
    }
  }
  if (groups_.materials.empty()) refuse("materials", "found none", "at least one");
  for (std::size_t g = 0; g < groups_.materials.size(); ++g) {
    groups_.materials[g].require_valid(groups_.materials.size() == 1 ? ""
                                                                     : fmt::format("group {}", g));
  }
  const auto& of_element = groups_.of_element;
  if (of_element.empty()) {
    if (groups_.materials.size() != 1) {
      refuse("materials", fmt::format("found {} groups and no element's", groups_.materials.size()),
             "a group for every element");
    }
    return;
  }
  const std::size_t m = elements_.size() / corners;
  if (of_element.size() != m) {
    refuse("materials", fmt::format("found the groups of {} elements", of_element.size()),
           fmt::format("those of {}", m));
  }
  for (std::size_t e = 0; e < m; ++e) {
    if (of_element[e] >= groups_.materials.size()) {
      refuse_element(static_cast<int>(e), fmt::format("found material group {}", of_element[e]),
                     fmt::format("a group below {}", groups_.materials.size()));
    }
  }
}

void SolidMesh::check_connectivity() const {
  std::vector<bool> used(vertices_.size() / 3, false);
  for (int e = 0; e < element_count(); ++e) {
    const auto ids = element(e);
    for (std::size_t a = 0; a < ids.size(); ++a) {
      if (ids[a] >= used.size()) {
        refuse_element(e, fmt::format("found vertex {}", ids[a]),
                       fmt::format("an index below {}", used.size()));
      }
      if (std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(a), ids[a]) !=
          ids.begin() + static_cast<std::ptrdiff_t>(a)) {
        refuse_element(e, fmt::format("found vertex {} twice", ids[a]),
                       fmt::format("{} distinct corners", ids.size()));
      }
      used[ids[a]] = true;
    }
  }
  const auto isolated = std::find(used.begin(), used.end(), false);
  if (isolated != used.end()) {
    refuse(fmt::format("vertex {}", isolated - used.begin()), "found in no element",
           "every vertex in an element");
  }
}

void SolidMesh::build_hexahedra() {
  std::map<ShapeKey, std::uint32_t> known;
  shape_of_element_.reserve(elements_.size() / 8);
  for (int e = 0; e < element_count(); ++e) {
    CornerVectors relative = corners<8>(e);
    relative.colwise() -= Eigen::Vector3d(relative.col(0));
    const double size = relative.cwiseAbs().maxCoeff();
    if (!(size > 0.0)) refuse_element(e, "found no extent", "eight distinct corners");
    const auto [entry, is_new] =
        known.emplace(shape_key(relative, size), static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) {
      try {
        HexahedronQuadrature quadrature = hexahedron_quadrature(relative, 3);
        HexahedronQuadrature hessian_quadrature =
            hexahedron_quadrature(relative, is_parallelepiped(relative) ? 2 : 3);
        shapes_.push_back({relative, std::move(quadrature), std::move(hessian_quadrature)});
      } catch (const InputError& error) {
        refuse_element(e, error.what());
      }
    }
    shape_of_element_.push_back(entry->second);
  }
}

void SolidMesh::build_tetrahedra() {
  tetrahedra_.reserve(elements_.size() / 4);
  for (int e = 0; e < element_count(); ++e) {
    try {
      tetrahedra_.push_back(tetrahedron_geometry(corners<4>(e)));
    } catch (const InputError& error) {
      refuse_element(e, error.what());
    }
  }
}

void SolidMesh::build_cells() {
  const CornerVectors& first = shapes_.front().corners;
  edges_ = first.col(6);
  const CornerVectors box = edges_.asDiagonal() * hexahedron_corner_offsets();
  if (shape_count() != 1 || (first - box).cwiseAbs().maxCoeff() > 1e-9 * edges_.maxCoeff()) {
    refuse("elements", "found hexahedra that are not equal axis-parallel boxes",
           "boxes, or elements of the plain kind");
  }
  const auto m = static_cast<std::size_t>(element_count());
  if (!cells_.parts.empty() && cells_.parts.size() != m) {
    refuse("moments", fmt::format("found those of {} elements", cells_.parts.size()),
           fmt::format("those of {}", m));
  }
  for (std::size_t e = 0; e < cells_.parts.size(); ++e) {
    const CellPart& part = cells_.parts[e];
    // A part of the cell has its centre in it, but for rounding of the moments.
    const double volume = part[0], reach = (0.5 + 1e-6) * volume;
    const bool fits = volume > 0.0 && volume <= 1.0 + 1e-6 && std::abs(part[1]) <= reach &&
                      std::abs(part[2]) <= reach && std::abs(part[3]) <= reach;
    if (!fits) {
      refuse_element(static_cast<int>(e),
                     fmt::format("found moments of a volume {:g} about ({:g}, {:g}, {:g})", volume,
                                 part[1], part[2], part[3]),
                     "those of a part of a cell of volume 1 about its centre");
    }
  }
  if (!cells_.held.empty() && cells_.held.size() != m) {
    refuse("held", fmt::format("found the fractions of {} elements", cells_.held.size()),
           fmt::format("those of {}", m));
  }
  for (std::size_t e = 0; e < cells_.held.size(); ++e) {
    if (cells_.held[e] >= 0.0 && cells_.held[e] <= kMaxHeldFraction) continue;
    refuse_element(static_cast<int>(e),
                   fmt::format("found a held fraction of {:g}", cells_.held[e]),
                   fmt::format("0 to {:g}", kMaxHeldFraction));
  }
  for (const SolidMaterial& material : groups_.materials) {
    mean_shares_.push_back(cells_.sampling == StrainSampling::kAssumed
                               ? mean_dilatation_share(material.elasticity())
                               : 0.0);
    whole_rules_.push_back(
        assumed_strain_rule(edges_, kWholeCell, cells_.sampling, mean_shares_.back()));
  }
}

AssumedStrainRule SolidMesh::cell_rule(int e) const {
  const auto g = static_cast<std::size_t>(group(e)), i = static_cast<std::size_t>(e);
  if (cells_.is_whole(i)) return whole_rules_[g];
  AssumedStrainRule rule =
      assumed_strain_rule(edges_, cells_.parts.empty() ? kWholeCell : cells_.parts[i],
                          cells_.sampling, mean_shares_[g]);
  if (!cells_.held.empty()) {
    for (double& weight : rule.weight) weight /= 1.0 - cells_.held[i];
  }
  return rule;
}

bool SolidMesh::is_isotropic() const {
  return std::all_of(groups_.materials.begin(), groups_.materials.end(),
                     [](const SolidMaterial& m) { return m.is_isotropic(); });
}

double SolidMesh::element_volume(int e) const {
  if (kind_ == ElementKind::kTetrahedron) return tetrahedron(e).weight[0];
  double volume = 0.0;
  for (const double weight : shape(e).quadrature.weight) volume += weight;
  return cells_.parts.empty() ? volume : volume * cells_.parts[static_cast<std::size_t>(e)][0];
}

double SolidMesh::volume() const {
  double volume = 0.0;
  for (int e = 0; e < element_count(); ++e) volume += element_volume(e);
  return volume;
}

double SolidMesh::mass() const {
  double mass = 0.0;
  for (int e = 0; e < element_count(); ++e) mass += element_volume(e) * material(e).density();
  return mass;
}

Vector3 SolidMesh::lower() const {
  Vector3 lower = vertex(0);
  for (int v = 1; v < vertex_count(); ++v) lower = lower.cwiseMin(vertex(v));
  return lower;
}

Vector3 SolidMesh::upper() const {
  Vector3 upper = vertex(0);
  for (int v = 1; v < vertex_count(); ++v) upper = upper.cwiseMax(vertex(v));
  return upper;
}

}  // namespace haptic

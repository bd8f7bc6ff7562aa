#include "host/fem/refined_mesh.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <map>

#include "shared/assert.h"

namespace haptic {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Vertices of the refined mesh, each the mean of some of the other one's.
class Means {
 public:
  Means(const SolidMesh& mesh, std::span<const std::uint32_t> held)
      : mesh_(mesh), is_fixed_(static_cast<std::size_t>(mesh.vertex_count()), false) {
    for (const std::uint32_t v : held) is_fixed_[v] = true;
  }

  std::uint32_t of(std::span<const std::uint32_t> ids) {
    Key key;
    key.fill(kNone);
    std::ranges::copy(ids, key.begin());
    std::sort(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(ids.size()));
    const auto [entry, is_new] =
        known_.emplace(key, static_cast<std::uint32_t>(vertices.size() / 3));
    if (!is_new) return entry->second;
    Vector3 sum = Vector3::Zero();
    bool all_fixed = true;
    for (const std::uint32_t v : ids) {
      sum += mesh_.vertex(static_cast<int>(v));
      all_fixed = all_fixed && is_fixed_[v];
    }
    sum /= static_cast<double>(ids.size());
    if (all_fixed) fixed.push_back(entry->second);
    vertices.insert(vertices.end(), sum.data(), sum.data() + 3);
    return entry->second;
  }

  std::vector<double> vertices;
  std::vector<std::uint32_t> fixed;  // ascending, as vertices are added

 private:
  using Key = std::array<std::uint32_t, 8>;
  const SolidMesh& mesh_;
  std::vector<bool> is_fixed_;
  std::map<Key, std::uint32_t> known_;
};

void cut_hexahedron(std::span<const std::uint32_t> corners, Means& means,
                    std::vector<std::uint32_t>& elements) {
  const CornerVectors offsets = hexahedron_corner_offsets();
  std::array<std::uint32_t, 27> grid{};
  for (int node = 0; node < 27; ++node) {
    const std::array<int, 3> at = {node % 3, node / 3 % 3, node / 9};
    std::vector<std::uint32_t>
        ids;  // of the corners on its side of each axis that it is not between
    for (int a = 0; a < 8; ++a) {
      bool counts = true;
      for (std::size_t d = 0; d < 3; ++d) {
        counts = counts && (at[d] == 1 || (at[d] == 2) == (offsets(static_cast<int>(d), a) > 0.5));
      }
      if (counts) ids.push_back(corners[static_cast<std::size_t>(a)]);
    }
    grid[static_cast<std::size_t>(node)] = means.of(ids);
  }
  for (int part = 0; part < 8; ++part) {
    for (int a = 0; a < 8; ++a) {
      const auto step = [&](int d, int size) {
        return ((part >> d & 1) + (offsets(d, a) > 0.5 ? 1 : 0)) * size;
      };
      elements.push_back(grid[static_cast<std::size_t>(step(0, 1) + step(1, 3) + step(2, 9))]);
    }
  }
}

void cut_tetrahedron(std::span<const std::uint32_t> corners, Means& means,
                     std::vector<std::uint32_t>& elements) {
  const auto node = [&](std::size_t a, std::size_t b) {
    const std::array<std::uint32_t, 2> ids = {corners[a], corners[b]};
    return means.of(std::span(ids).first(a == b ? 1 : 2));
  };
  using Pair = std::array<std::size_t, 2>;
  // Four at the corners, four around the diagonal from 02 to 13 of what is left.
  constexpr std::array<std::array<Pair, 4>, 8> kParts = {{{{{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
                                                          {{{0, 1}, {1, 1}, {1, 2}, {1, 3}}},
                                                          {{{0, 2}, {1, 2}, {2, 2}, {2, 3}}},
                                                          {{{0, 3}, {1, 3}, {2, 3}, {3, 3}}},
                                                          {{{0, 2}, {1, 3}, {0, 1}, {1, 2}}},
                                                          {{{0, 2}, {1, 3}, {1, 2}, {2, 3}}},
                                                          {{{0, 2}, {1, 3}, {2, 3}, {0, 3}}},
                                                          {{{0, 2}, {1, 3}, {0, 3}, {0, 1}}}}};
  for (const auto& part : kParts) {
    std::array<std::uint32_t, 4> ids{};
    for (std::size_t a = 0; a < 4; ++a) ids[a] = node(part[a][0], part[a][1]);
    Eigen::Matrix3d edges;
    const auto vertex = [&](std::uint32_t v) {
      return Vector3(&means.vertices[3 * static_cast<std::size_t>(v)]);
    };
    for (std::size_t a = 1; a < 4; ++a) {
      edges.col(static_cast<Eigen::Index>(a) - 1) = vertex(ids[a]) - vertex(ids[0]);
    }
    if (edges.determinant() < 0.0) std::swap(ids[2], ids[3]);
    elements.insert(elements.end(), ids.begin(), ids.end());
  }
}

}  // namespace

RefinedMesh refined(const SolidMesh& mesh, std::span<const std::uint32_t> fixed) {
  HAPTIC_DEMAND(mesh.cells().parts.empty() && mesh.cells().held.empty());
  Means means(mesh, fixed);
  std::vector<std::uint32_t> elements;
  MaterialGroups groups{mesh.groups().materials, {}};
  for (int e = 0; e < mesh.element_count(); ++e) {
    if (mesh.kind() == ElementKind::kTetrahedron) {
      cut_tetrahedron(mesh.element(e), means, elements);
    } else {
      cut_hexahedron(mesh.element(e), means, elements);
    }
    if (!mesh.groups().of_element.empty()) {
      groups.of_element.insert(groups.of_element.end(), 8,
                               static_cast<std::uint32_t>(mesh.group(e)));
    }
  }
  if (mesh.kind() == ElementKind::kTetrahedron) {
    return {SolidMesh(mesh.kind(), means.vertices, elements, std::move(groups)),
            std::move(means.fixed)};
  }
  return {SolidMesh(means.vertices, elements, std::move(groups), {mesh.cells().sampling, {}, {}}),
          std::move(means.fixed)};
}

}  // namespace haptic

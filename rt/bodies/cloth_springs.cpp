#include "rt/bodies/cloth_springs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::array<std::string_view, kSpringKinds> kNames = {"structural", "shear", "bend",
                                                               "sequential", "interlaced"};

void check_materials(const SpringMaterials& materials) {
  for (std::size_t kind = 0; kind < kSpringKinds; ++kind) {
    const SpringMaterial& of = materials[kind];
    const struct {
      std::string_view name, unit;
      double value;
    } constants[] = {{"stiffness", "N/m", of.stiffness},
                     {"damping", "kg/s", of.damping},
                     {"bending", "N m^2", of.bending}};
    for (const auto& [name, unit, value] : constants) {
      if (std::isfinite(value) && value >= 0.0) continue;
      throw InputError("", fmt::format("{} {}", kNames[kind], name),
                       fmt::format("{} {}", value, unit), fmt::format("a number >= 0 [{}]", unit));
    }
  }
}

/// Collects springs; of those that join the same particles the first counts.
class SpringList {
 public:
  SpringList(const ClothMesh& mesh, const SpringMaterials& materials)
      : mesh_(mesh), materials_(materials) {}

  void add(SpringKind kind, std::uint32_t a, std::uint32_t b) {
    added_.push_back({std::minmax(a, b), kind});
  }

  Springs take() {
    const std::vector<bool> repeated = repeats();
    Springs springs;
    for (std::size_t s = 0; s < added_.size(); ++s) {
      if (!repeated[s]) append(added_[s], springs);
    }
    return springs;
  }

 private:
  struct Added {
    Pair pair;
    SpringKind kind;
  };

  std::vector<bool> repeats() const {
    std::vector<std::pair<Pair, std::size_t>> sorted;
    sorted.reserve(added_.size());
    for (std::size_t s = 0; s < added_.size(); ++s) sorted.emplace_back(added_[s].pair, s);
    std::sort(sorted.begin(), sorted.end());
    std::vector<bool> repeated(added_.size(), false);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].first == sorted[i - 1].first) repeated[sorted[i].second] = true;
    }
    return repeated;
  }

  void append(const Added& added, Springs& springs) const {
    const auto [a, b] = added.pair;
    const auto &p = mesh_.vertices[a], &q = mesh_.vertices[b];
    const double length = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    if (!(length > 0.0)) {
      throw InputError("", fmt::format("vertices {} and {}", a, b), "both at the same place",
                       "a distance, which is the rest length of their spring");
    }
    const SpringMaterial& material = materials_[static_cast<std::size_t>(added.kind)];
    springs.first.push_back(a);
    springs.second.push_back(b);
    springs.kind.push_back(added.kind);
    springs.rest.push_back(length);
    springs.stiffness.push_back(material.stiffness);
    springs.damping.push_back(material.damping);
    springs.bending.push_back(material.bending);
  }

  const ClothMesh& mesh_;
  SpringMaterials materials_;
  std::vector<Added> added_;
};

/// Springs from each particle of the grid by (di, dj), where both ends are inside.
void add_offsets(SpringList& list, GridSize grid, SpringKind kind,
                 std::initializer_list<std::pair<int, int>> offsets) {
  const int nx = static_cast<int>(grid.nx), ny = static_cast<int>(grid.ny);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      for (const auto& [di, dj] : offsets) {
        const int k = i + di, l = j + dj;
        if (k < 0 || k >= nx || l >= ny) continue;
        list.add(kind, static_cast<std::uint32_t>(j * nx + i),
                 static_cast<std::uint32_t>(l * nx + k));
      }
    }
  }
}

/// Diagonals of the quads, ordered.
std::vector<Pair> diagonals(const ClothMesh& mesh) {
  std::vector<Pair> found;
  for (const auto& q : mesh.quads) {
    found.push_back(std::minmax(q[0], q[2]));
    found.push_back(std::minmax(q[1], q[3]));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void add_grid(SpringList& list, GridSize grid, bool choi_ko) {
  using enum SpringKind;
  add_offsets(list, grid, choi_ko ? kSequential : kStructural, {{1, 0}, {0, 1}});
  add_offsets(list, grid, choi_ko ? kSequential : kShear, {{1, 1}, {-1, 1}});
  if (choi_ko) {
    add_offsets(list, grid, kInterlaced, {{2, 0}, {0, 2}, {2, 2}, {-2, 2}});
  } else {
    add_offsets(list, grid, kBend, {{2, 0}, {0, 2}});
  }
}

void add_mesh(SpringList& list, const ClothMesh& mesh, bool choi_ko) {
  using enum SpringKind;
  const std::vector<MeshEdge> edges = mesh_edges(mesh);
  const std::vector<Pair> shear = diagonals(mesh);
  const auto is_shear = [&](const MeshEdge& edge) {
    return std::ranges::binary_search(shear, Pair(edge.a, edge.b));
  };
  const auto is_inner = [](const MeshEdge& edge) {
    return edge.opposite[1] != MeshEdge::kNone && edge.opposite[0] != edge.opposite[1];
  };
  for (const MeshEdge& edge : edges) {
    if (!is_shear(edge)) list.add(choi_ko ? kSequential : kStructural, edge.a, edge.b);
  }
  for (const MeshEdge& edge : edges) {
    if (!is_shear(edge)) continue;
    list.add(choi_ko ? kSequential : kShear, edge.a, edge.b);
    if (is_inner(edge)) {
      list.add(choi_ko ? kSequential : kShear, edge.opposite[0], edge.opposite[1]);
    }
  }
  for (const MeshEdge& edge : edges) {
    if (is_shear(edge) || !is_inner(edge)) continue;
    list.add(choi_ko ? kInterlaced : kBend, edge.opposite[0], edge.opposite[1]);
  }
}

}  // namespace

std::size_t Springs::count(SpringKind of) const {
  return static_cast<std::size_t>(std::count(kind.begin(), kind.end(), of));
}

Springs make_springs(const ClothMesh& mesh, SpringTopology topology,
                     const SpringMaterials& materials) {
  if (topology == SpringTopology::kEdges) {
    SpringList list(mesh, SpringMaterials{});
    for (const MeshEdge& edge : mesh_edges(mesh)) list.add(SpringKind::kStructural, edge.a, edge.b);
    return list.take();
  }
  check_materials(materials);
  SpringList list(mesh, materials);
  const bool choi_ko = topology == SpringTopology::kChoiKo;
  if (mesh.grid) {
    add_grid(list, *mesh.grid, choi_ko);
  } else {
    add_mesh(list, mesh, choi_ko);
  }
  return list.take();
}

}  // namespace haptic

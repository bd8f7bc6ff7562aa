#include "rt/bodies/cloth_springs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
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

/// Adds springs to the list, each pair of particles once.
class SpringList {
 public:
  SpringList(const ClothMesh& mesh, const SpringMaterials& materials)
      : mesh_(mesh), materials_(materials) {}

  void add(SpringKind kind, std::uint32_t a, std::uint32_t b) {
    if (!pairs_.insert(std::minmax(a, b)).second) return;
    const auto &p = mesh_.vertices[a], &q = mesh_.vertices[b];
    const double length = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    if (!(length > 0.0)) {
      throw InputError("", fmt::format("vertices {} and {}", a, b), "both at the same place",
                       "a distance, which is the rest length of their spring");
    }
    const SpringMaterial& material = materials_[static_cast<std::size_t>(kind)];
    springs_.first.push_back(std::min(a, b));
    springs_.second.push_back(std::max(a, b));
    springs_.kind.push_back(kind);
    springs_.rest.push_back(length);
    springs_.stiffness.push_back(material.stiffness);
    springs_.damping.push_back(material.damping);
    springs_.bending.push_back(material.bending);
  }

  Springs take() { return std::move(springs_); }

 private:
  const ClothMesh& mesh_;
  SpringMaterials materials_;
  Springs springs_;
  std::set<Pair> pairs_;
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

/// Diagonals of the quads.
std::set<Pair> diagonals(const ClothMesh& mesh) {
  std::set<Pair> found;
  for (const auto& q : mesh.quads) {
    found.insert(std::minmax(q[0], q[2]));
    found.insert(std::minmax(q[1], q[3]));
  }
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
  const std::set<Pair> shear = diagonals(mesh);
  const auto is_shear = [&](const MeshEdge& edge) { return shear.contains({edge.a, edge.b}); };
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

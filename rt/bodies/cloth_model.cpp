#include "rt/bodies/cloth_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rt/bodies/fabric_springs.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kMasses = "/cloth/masses";
constexpr std::string_view kGrid = "/cloth/grid";
constexpr std::string_view kQuads = "/cloth/quads";
constexpr std::string_view kParticles = "/cloth/springs/particles";
constexpr std::string_view kKind = "/cloth/springs/kind";
constexpr std::string_view kRest = "/cloth/springs/rest";

[[noreturn]] void refuse_cloth(const ModelFile& model, std::string_view section,
                               const std::string& found, std::string_view expected) {
  throw InputError(model.path().string(), section, found, expected);
}

template <typename T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

template <typename T, std::size_t N>
std::vector<std::array<T, N>> rows_of(std::span<const T> values) {
  std::vector<std::array<T, N>> rows(values.size() / N);
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&values[N * i], N, rows[i].begin());
  return rows;
}

/// The quads of a grid are its cells, in the order of make_grid.
void require_cells(const ModelFile& model, const ClothMesh& mesh, GridSize grid) {
  const std::uint64_t cells = std::uint64_t{grid.nx - 1} * (grid.ny - 1);
  if (mesh.quads.size() != cells) {
    refuse_cloth(
        model, kQuads,
        fmt::format("found {} quads for a grid of {} x {}", mesh.quads.size(), grid.nx, grid.ny),
        fmt::format("its {} cells", cells));
  }
  for (std::uint32_t q = 0; q < mesh.quads.size(); ++q) {
    const std::uint32_t a = q / (grid.nx - 1) * grid.nx + q % (grid.nx - 1);
    const std::array<std::uint32_t, 4> cell = {a, a + 1, a + 1 + grid.nx, a + grid.nx};
    if (mesh.quads[q] == cell) continue;
    refuse_cloth(model, kQuads,
                 fmt::format("found {} in quad {}", fmt::join(mesh.quads[q], ", "), q),
                 fmt::format("{}, the cell of the grid", fmt::join(cell, ", ")));
  }
}

ClothMesh read_cloth_mesh(const ModelFile& model) {
  ClothMesh mesh;
  mesh.vertices = rows_of<double, 3>(model.doubles("/surface/vertices"));
  mesh.triangles = rows_of<std::uint32_t, 3>(model.indices("/surface/triangles"));
  if (model.has(kQuads)) mesh.quads = rows_of<std::uint32_t, 4>(model.indices(kQuads));
  if (model.has(kGrid)) {
    const std::span<const std::uint32_t> sides = model.indices(kGrid);
    const GridSize grid{sides[0], sides[1]};
    if (grid.nx < 2 || grid.ny < 2 || std::uint64_t{grid.nx} * grid.ny != mesh.vertices.size()) {
      refuse_cloth(model, kGrid, fmt::format("found {} x {}", grid.nx, grid.ny),
                   fmt::format("sides of at least 2 particles, {} in all", mesh.vertices.size()));
    }
    require_cells(model, mesh, grid);
    mesh.grid = grid;
  }
  check_cloth_mesh(mesh, fmt::format("{}: /surface{}", model.path().string(),
                                     mesh.quads.empty() ? "" : " and /cloth/quads"));
  return mesh;
}

std::vector<double> read_masses(const ModelFile& model, std::size_t particles) {
  const std::span<const double> masses = model.doubles(kMasses);
  if (masses.size() != particles) {
    refuse_cloth(model, kMasses, fmt::format("found {} masses", masses.size()),
                 fmt::format("{}, one for each surface vertex", particles));
  }
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (std::isfinite(masses[i]) && masses[i] > 0.0) continue;
    refuse_cloth(model, kMasses, fmt::format("found {} kg at particle {}", masses[i], i),
                 "numbers > 0");
  }
  return copied(masses);
}

void read_ends(const ModelFile& model, std::size_t particles, Springs& springs) {
  const std::span<const std::uint32_t> ends = model.indices(kParticles);
  std::vector<std::uint64_t> pairs;
  for (std::size_t s = 0; s < ends.size() / 2; ++s) {
    const std::uint32_t a = ends[2 * s], b = ends[2 * s + 1];
    if (a >= particles || b >= particles || a >= b) {
      refuse_cloth(model, kParticles, fmt::format("found {}, {} at spring {}", a, b, s),
                   fmt::format("two particles below {}, the smaller number first", particles));
    }
    springs.first.push_back(a);
    springs.second.push_back(b);
    pairs.push_back(std::uint64_t{a} << 32 | b);
  }
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
  if (twice == pairs.end()) return;
  refuse_cloth(model, kParticles,
               fmt::format("found two springs between {} and {}", *twice >> 32,
                           static_cast<std::uint32_t>(*twice)),
               "one spring between two particles");
}

void read_kinds(const ModelFile& model, Springs& springs) {
  for (const std::uint8_t kind : model.bytes(kKind)) {
    if (kind >= kSpringKinds) {
      refuse_cloth(model, kKind, fmt::format("found {} at spring {}", kind, springs.kind.size()),
                   fmt::format("kinds below {}", kSpringKinds));
    }
    // SpringForces has the strips at the end.
    if (!springs.kind.empty() && springs.kind.back() == SpringKind::kInterlaced &&
        static_cast<SpringKind>(kind) != SpringKind::kInterlaced) {
      refuse_cloth(
          model, kKind,
          fmt::format("found {} at spring {}, after an interlaced one", kind, springs.kind.size()),
          "interlaced springs after all others");
    }
    springs.kind.push_back(static_cast<SpringKind>(kind));
  }
}

/// @param zero  whether 0 is allowed
std::vector<double> read_constants(const ModelFile& model, std::string_view name, bool zero) {
  const std::span<const double> values = model.doubles(name);
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (std::isfinite(values[s]) && (values[s] > 0.0 || (zero && values[s] == 0.0))) continue;
    refuse_cloth(model, name, fmt::format("found {} at spring {}", values[s], s),
                 zero ? "numbers >= 0" : "numbers > 0");
  }
  return copied(values);
}

}  // namespace

ClothModel read_cloth_model(const ModelFile& model) {
  if (!model.has(kMasses)) {
    refuse_cloth(model, kMasses, "missing", "the model of a recipe with [cloth]");
  }
  ClothModel cloth;
  cloth.mesh = read_cloth_mesh(model);
  cloth.masses = read_masses(model, cloth.mesh.vertices.size());
  Springs& springs = cloth.springs;
  read_ends(model, cloth.mesh.vertices.size(), springs);
  read_kinds(model, springs);
  springs.rest = read_constants(model, kRest, false);
  springs.stiffness = read_constants(model, "/cloth/springs/stiffness", true);
  springs.damping = read_constants(model, "/cloth/springs/damping", true);
  springs.bending = read_constants(model, "/cloth/springs/bending", true);
  try {
    add_plate_stiffness(cloth.mesh, springs);
  } catch (const InputError& error) {
    refuse_cloth(model, "/cloth/springs/bending", error.what(), "the springs of a fabric");
  }
  return cloth;
}

void require_no_cloth(const ModelFile& model, const std::string& source, const std::string& body) {
  if (!model.has("/cloth/masses")) return;
  throw InputError(source, body, fmt::format("found {}, a cloth", model.path().string()),
                   "a body; a model that was baked with [cloth] needs world = \"cloth\"");
}

}  // namespace haptic

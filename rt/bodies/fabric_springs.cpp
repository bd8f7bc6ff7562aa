#include "rt/bodies/fabric_springs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Sides of the cells [m].
struct Cell {
  double x = 0.0, y = 0.0;
};

double rest_distance(const ClothMesh& mesh, std::uint32_t a, std::uint32_t b) {
  const auto &p = mesh.vertices[a], &q = mesh.vertices[b];
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/// @pre the mesh is a grid
Cell cell_of(const ClothMesh& mesh) {
  return {rest_distance(mesh, 0, 1), rest_distance(mesh, 0, mesh.grid->nx)};
}

/// Stiffness against a strain that keeps the width, C11 = C22, from that of a pull that does not:
/// Y = C - G^2 / C, since the diagonals make C12 = G.
double clamped_stiffness(double membrane, double shear) {
  return 0.5 * (membrane + std::hypot(membrane, 2.0 * shear));
}

void require_constant(bool holds, std::string_view key, double value, std::string_view expected) {
  if (holds && std::isfinite(value)) return;
  throw InputError("", key, fmt::format("found {}", value), expected);
}

void check_material(const ClothMesh& mesh, const FabricMaterial& m) {
  if (!mesh.grid) {
    throw InputError("", "springs", "found a fabric on a mesh", "a grid, whose threads are known");
  }
  require_constant(m.membrane > 0.0, "membrane", m.membrane, "a number > 0 [N/m]");
  require_constant(m.shear >= 0.0, "membrane_shear", m.shear, "a number >= 0 [N/m]");
  require_constant(m.bending >= 0.0, "bending", m.bending, "a number >= 0 [N m]");
  require_constant(m.damping >= 0.0, "membrane_damping", m.damping, "a number >= 0 [N s/m]");
  const Cell cell = cell_of(mesh);
  const double most = largest_shear(cell.x, cell.y, m.membrane);
  if (m.shear <= most) return;
  throw InputError("", "membrane_shear", fmt::format("found {:g} N/m", m.shear),
                   fmt::format("at most {:.4g} N/m with cells of {:.4g} m x {:.4g} m, or squarer "
                               "cells (source.grid)",
                               most, cell.x, cell.y));
}

/// Whether the flexural rigidities are those of a fabric: of bend and shear springs, and only them.
/// Those of other springs are of no force, as before there were fabrics.
bool is_plate(const ClothMesh& mesh, const Springs& springs) {
  bool any = false;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    if (springs.bending[s] == 0.0) continue;
    if (springs.kind[s] != SpringKind::kBend && springs.kind[s] != SpringKind::kShear) return false;
    any = true;
  }
  return any && mesh.grid.has_value();
}

/// Bending is measured from a plane.
void require_rectangle(const ClothMesh& mesh) {
  const auto& v = mesh.vertices;
  const std::uint32_t nx = mesh.grid->nx;
  const Cell cell = cell_of(mesh);
  double farthest = 0.0, along = 0.0;
  for (std::size_t c = 0; c < 3; ++c) along += (v[1][c] - v[0][c]) * (v[nx][c] - v[0][c]);
  for (std::uint32_t p = 0; p < v.size(); ++p) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double expected =
          v[0][c] + p % nx * (v[1][c] - v[0][c]) + p / nx * (v[nx][c] - v[0][c]);
      farthest = std::max(farthest, std::abs(v[p][c] - expected));
    }
  }
  constexpr double kRounding = 1e-6;
  if (farthest <= kRounding * std::min(cell.x, cell.y) &&
      std::abs(along) <= kRounding * cell.x * cell.y) {
    return;
  }
  throw InputError("", "springs",
                   "found a flexural rigidity of bend springs on a grid that is bent",
                   "a flat rectangle of equal cells");
}

/// Where the particles of a spring are in the grid, those of the first one and the steps to the
/// second.
struct GridStep {
  std::uint32_t i, j;
  std::int64_t di, dj;
};

GridStep step_of(GridSize grid, const Springs& springs, std::size_t s) {
  const std::uint32_t a = springs.first[s], b = springs.second[s];
  return {a % grid.nx, a / grid.nx, std::int64_t{b % grid.nx} - std::int64_t{a % grid.nx},
          std::int64_t{b / grid.nx} - std::int64_t{a / grid.nx}};
}

/// Adds energies 1/2 e |sum w x|^2, sum w = 0, as springs of no length at rest between the pairs.
class PlateSprings {
 public:
  explicit PlateSprings(Springs& springs) : springs_(springs) {
    for (std::uint32_t s = 0; s < springs.size(); ++s) {
      number_.push_back({{springs.first[s], springs.second[s]}, s});
    }
    std::ranges::sort(number_);
    springs.plate.assign(springs.size(), 0.0);
  }

  void add(double energy, std::initializer_list<std::pair<std::uint32_t, double>> weights) {
    for (const auto& [a, of_a] : weights) {
      for (const auto& [b, of_b] : weights) {
        if (a >= b) continue;
        const auto spring = std::ranges::lower_bound(number_, Pair(a, b), {}, &Numbered::first);
        if (spring == number_.end() || spring->first != Pair(a, b)) refuse(a, b);
        springs_.plate[spring->second] -= energy * of_a * of_b;
      }
    }
  }

 private:
  [[noreturn]] static void refuse(std::uint32_t a, std::uint32_t b) {
    throw InputError("", "springs", fmt::format("found none between particles {} and {}", a, b),
                     "the springs of a fabric, which has a flexural rigidity there");
  }

  using Numbered = std::pair<Pair, std::uint32_t>;

  Springs& springs_;
  std::vector<Numbered> number_;
};

}  // namespace

double largest_shear(double x, double y, double membrane) {
  const double ratio = std::max(x / y, y / x), r2 = ratio * ratio;
  // C = G r^2 in Y = C - G^2 / C.
  return r2 > 1.0 ? membrane * r2 / (r2 * r2 - 1.0) : std::numeric_limits<double>::infinity();
}

Springs make_fabric_springs(const ClothMesh& mesh, const FabricMaterial& m) {
  check_material(mesh, m);
  const GridSize grid = *mesh.grid;
  const Cell cell = cell_of(mesh);
  const double length2 = cell.x * cell.x + cell.y * cell.y, area = cell.x * cell.y;
  const double clamped = clamped_stiffness(m.membrane, m.shear);
  const double along_x = clamped - m.shear * cell.x * cell.x / (cell.y * cell.y);
  const double along_y = clamped - m.shear * cell.y * cell.y / (cell.x * cell.x);
  Springs springs = make_springs(mesh, SpringTopology::kFabric, {});
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const GridStep at = step_of(grid, springs, s);
    const bool row = at.dj == 0;
    const bool border = row ? at.j == 0 || at.j == grid.ny - 1 : at.i == 0 || at.i == grid.nx - 1;
    const double width = (row ? cell.y : cell.x) * (border ? 0.5 : 1.0);
    switch (springs.kind[s]) {
      case SpringKind::kStructural:
        springs.stiffness[s] = std::max(row ? along_x / cell.x : along_y / cell.y, 0.0) * width;
        break;
      case SpringKind::kShear:
        springs.stiffness[s] = 0.5 * m.shear * length2 / area;
        springs.bending[s] = m.bending * area / std::sqrt(length2);
        break;
      default:
        springs.bending[s] = m.bending * width;
        break;
    }
    springs.damping[s] = springs.stiffness[s] * (m.damping / m.membrane);
  }
  add_plate_stiffness(mesh, springs);
  return springs;
}

void add_plate_stiffness(const ClothMesh& mesh, Springs& springs) {
  springs.plate.clear();
  if (!is_plate(mesh, springs)) return;
  require_rectangle(mesh);
  const std::uint32_t nx = mesh.grid->nx;
  const Cell cell = cell_of(mesh);
  const double area = cell.x * cell.y;
  PlateSprings plate(springs);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const double bending = springs.bending[s], length = springs.rest[s];
    if (bending == 0.0) continue;
    const GridStep at = step_of(*mesh.grid, springs, s);
    const std::uint32_t a = springs.first[s], b = springs.second[s];
    if ((at.di == 2 && at.dj == 0) || (at.di == 0 && at.dj == 2)) {
      const double h = 0.5 * length;
      plate.add(bending / (h * h * h), {{a, 1.0}, {(a + b) / 2, -2.0}, {b, 1.0}});
    } else if (std::abs(at.di) == 1 && at.dj == 1) {
      const std::uint32_t beside = at.di == 1 ? a + 1 : a - 1;
      plate.add(bending * length / (area * area),
                {{a, 1.0}, {beside, -1.0}, {a + nx, -1.0}, {b, 1.0}});
    } else {
      throw InputError(
          "", "springs",
          fmt::format("found a flexural rigidity of the spring between {} and {}", a, b),
          "one of bend springs along the threads and of the diagonals of cells");
    }
  }
}

std::vector<double> cell_masses(GridSize grid, double total) {
  const double quarter = total / (4.0 * double(grid.nx - 1) * double(grid.ny - 1));
  std::vector<double> masses;
  masses.reserve(std::size_t{grid.nx} * grid.ny);
  for (std::uint32_t j = 0; j < grid.ny; ++j) {
    for (std::uint32_t i = 0; i < grid.nx; ++i) {
      const int along_x = i == 0 || i == grid.nx - 1 ? 1 : 2;
      const int along_y = j == 0 || j == grid.ny - 1 ? 1 : 2;
      masses.push_back(quarter * along_x * along_y);
    }
  }
  return masses;
}

}  // namespace haptic

#include "host/cells/cell_moments.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/parallel/parallel_ranges.h"

namespace haptic {
namespace {

/// Powers of x, y, z in the integrals of a CellPart.
struct Monomial {
  std::size_t x, y, z;
};
constexpr std::array<Monomial, 10> kMonomials = {{{0, 0, 0},
                                                  {1, 0, 0},
                                                  {0, 1, 0},
                                                  {0, 0, 1},
                                                  {2, 0, 0},
                                                  {0, 2, 0},
                                                  {0, 0, 2},
                                                  {1, 1, 0},
                                                  {1, 0, 1},
                                                  {0, 1, 1}}};
/// Int t^a dt over [-1/2, 1/2].
constexpr std::array<double, 3> kWholeAxis = {1.0, 0.0, 1.0 / 12.0};

/// Convex polygon of a triangle that planes have clipped: each adds at most one corner to three.
struct Polygon {
  std::array<Vector3, 12> corners;
  std::size_t size = 0;

  void add(const Vector3& corner) { corners[size++] = corner; }
};

/// The part with a coordinate below or above a bound.
Polygon clipped(const Polygon& polygon, int axis, double bound, bool above) {
  Polygon part;
  const auto inside = [&](const Vector3& p) { return above ? p[axis] >= bound : p[axis] <= bound; };
  for (std::size_t i = 0; i < polygon.size; ++i) {
    const Vector3& from = polygon.corners[i];
    const Vector3& to = polygon.corners[(i + 1) % polygon.size];
    if (inside(from)) part.add(from);
    if (inside(from) == inside(to)) continue;
    Vector3 crossing = from + (bound - from[axis]) / (to[axis] - from[axis]) * (to - from);
    crossing[axis] = bound;
    part.add(crossing);
  }
  return part;
}

Polygon clipped(const Polygon& polygon, int axis, double low) {
  const auto [least, most] = [&] {
    double a = polygon.corners[0][axis], b = a;
    for (std::size_t i = 1; i < polygon.size; ++i) {
      a = std::min(a, polygon.corners[i][axis]);
      b = std::max(b, polygon.corners[i][axis]);
    }
    return std::pair(a, b);
  }();
  Polygon part = polygon;
  if (least < low) part = clipped(part, axis, low, true);
  if (part.size > 0 && most > low + 1.0) part = clipped(part, axis, low + 1.0, false);
  return part;
}

/// Points of a triangle and their shares of its area, exact for polynomials of degree 4
/// (Dunavant 1985).
struct TrianglePoint {
  double a, b, share;
};
constexpr double kNear = 0.445948490915965, kNearShare = 0.223381589678011;
constexpr double kFar = 0.091576213509771, kFarShare = 0.109951743655322;
constexpr std::array<TrianglePoint, 6> kTrianglePoints = {{{kNear, kNear, kNearShare},
                                                           {kNear, 1.0 - 2.0 * kNear, kNearShare},
                                                           {1.0 - 2.0 * kNear, kNear, kNearShare},
                                                           {kFar, kFar, kFarShare},
                                                           {kFar, 1.0 - 2.0 * kFar, kFarShare},
                                                           {1.0 - 2.0 * kFar, kFar, kFarShare}}};

std::array<double, 3> powers(double t) {
  return {1.0, t, t * t};
}

/// Int s^a ds from -1/2 to t.
std::array<double, 3> primitives(double t) {
  return {t + 0.5, (t * t - 0.25) / 2.0, (t * t * t + 0.125) / 3.0};
}

/// Sums over the triangles in one cell of a row.
struct Column {
  CellPart own{};     ///< with the primitive of x^a, for this cell
  CellPart beyond{};  ///< with that of a whole cell, for every cell with a smaller x

  /// Adds a polygon in the cell's frame, with the x component of its area.
  void add(const Polygon& polygon, const Vector3& centre) {
    for (std::size_t i = 1; i + 1 < polygon.size; ++i) {
      const Vector3 p = polygon.corners[0] - centre, q = polygon.corners[i] - centre,
                    r = polygon.corners[i + 1] - centre;
      const Vector3 to_q = q - p, to_r = r - p;
      const double area = 0.5 * (to_q.y() * to_r.z() - to_q.z() * to_r.y());
      if (area == 0.0) continue;
      for (const TrianglePoint& at : kTrianglePoints) {
        const Vector3 x = p + at.a * to_q + at.b * to_r;
        const auto along = primitives(std::clamp(x.x(), -0.5, 0.5));
        const auto y = powers(x.y()), z = powers(x.z());
        for (std::size_t m = 0; m < kMonomials.size(); ++m) {
          const Monomial& power = kMonomials[m];
          const double across = area * at.share * y[power.y] * z[power.z];
          own[m] += across * along[power.x];
          beyond[m] += across * kWholeAxis[power.x];
        }
      }
    }
  }
};

/// One row of cells along x.
class Row {
 public:
  explicit Row(const VoxelMesh& grid) : grid_(grid), columns_(grid.dims[0]) {}

  void clear() { std::ranges::fill(columns_, Column{}); }

  /// @param triangle corners from the grid's origin, with the edge of a cell as unit
  void add(const Polygon& triangle, std::uint32_t j, std::uint32_t k) {
    Polygon part = clipped(triangle, 1, j);
    if (part.size > 0) part = clipped(part, 2, k);
    if (part.size < 3) return;
    double least = part.corners[0].x(), most = least;
    for (std::size_t i = 1; i < part.size; ++i) {
      least = std::min(least, part.corners[i].x());
      most = std::max(most, part.corners[i].x());
    }
    const auto last = static_cast<double>(columns_.size() - 1);
    const auto first = static_cast<std::size_t>(std::clamp(std::floor(least), 0.0, last));
    const auto end = static_cast<std::size_t>(std::clamp(std::ceil(most) - 1.0, 0.0, last));
    for (std::size_t i = first; i <= std::max(first, end); ++i) {
      const double low = static_cast<double>(i);
      // What lies outside the grid by rounding belongs to the cell at its border.
      Polygon piece = part;
      if (i > first) piece = clipped(piece, 0, low, true);
      if (i < end) piece = clipped(piece, 0, low + 1.0, false);
      if (piece.size >= 3) columns_[i].add(piece, Vector3(low + 0.5, j + 0.5, k + 0.5));
    }
  }

  void finish(std::uint32_t j, std::uint32_t k, std::vector<CellPart>& parts) const {
    CellPart beyond{};
    for (std::uint32_t i = grid_.dims[0]; i-- > 0;) {
      const std::uint32_t element = grid_.element_of_cell[grid_.cell_index(i, j, k)];
      for (std::size_t m = 0; m < beyond.size(); ++m) {
        if (element != VoxelMesh::kNoElement) parts[element][m] = columns_[i].own[m] + beyond[m];
        beyond[m] += columns_[i].beyond[m];
      }
    }
  }

 private:
  const VoxelMesh& grid_;
  std::vector<Column> columns_;
};

/// Triangles that each row of cells meets.
struct RowLists {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> triangles;
};

template <typename Visit>
void for_each_row(const VoxelMesh& grid, const Polygon& triangle, const Visit& visit) {
  std::array<std::uint32_t, 2> low{}, high{};
  for (int axis = 1; axis <= 2; ++axis) {
    double least = triangle.corners[0][axis], most = least;
    for (std::size_t i = 1; i < 3; ++i) {
      least = std::min(least, triangle.corners[i][axis]);
      most = std::max(most, triangle.corners[i][axis]);
    }
    const double last = grid.dims[static_cast<std::size_t>(axis)] - 1.0;
    const auto at = static_cast<std::size_t>(axis - 1);
    low[at] = static_cast<std::uint32_t>(std::clamp(std::floor(least), 0.0, last));
    high[at] = static_cast<std::uint32_t>(std::clamp(std::floor(most), 0.0, last));
  }
  for (std::uint32_t k = low[1]; k <= high[1]; ++k) {
    for (std::uint32_t j = low[0]; j <= high[0]; ++j) {
      visit(static_cast<std::size_t>(k) * grid.dims[1] + j);
    }
  }
}

RowLists list_rows(const VoxelMesh& grid, const std::vector<Polygon>& triangles) {
  const std::size_t rows = static_cast<std::size_t>(grid.dims[1]) * grid.dims[2];
  RowLists lists;
  lists.begin.assign(rows + 1, 0);
  for (const Polygon& triangle : triangles) {
    for_each_row(grid, triangle, [&](std::size_t row) { ++lists.begin[row + 1]; });
  }
  for (std::size_t row = 0; row < rows; ++row) lists.begin[row + 1] += lists.begin[row];
  lists.triangles.resize(lists.begin.back());
  std::vector<std::size_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for_each_row(grid, triangles[t], [&](std::size_t row) { lists.triangles[next[row]++] = t; });
  }
  return lists;
}

}  // namespace

std::vector<CellPart> cell_moments(const TriangleMesh& surface, const VoxelMesh& grid) {
  std::vector<Polygon> triangles(surface.triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : surface.triangles[t]) {
      triangles[t].add((surface.vertices[v] - grid.origin) / grid.edge);
    }
  }
  const RowLists lists = list_rows(grid, triangles);
  std::vector<CellPart> parts(grid.elements.size());
  parallel_ranges(lists.begin.size() - 1, 16, [&](std::size_t begin, std::size_t end) {
    Row row(grid);
    for (std::size_t r = begin; r != end; ++r) {
      const auto j = static_cast<std::uint32_t>(r % grid.dims[1]);
      const auto k = static_cast<std::uint32_t>(r / grid.dims[1]);
      row.clear();
      for (std::size_t i = lists.begin[r]; i < lists.begin[r + 1]; ++i) {
        row.add(triangles[lists.triangles[i]], j, k);
      }
      row.finish(j, k, parts);
    }
  });
  return parts;
}

}  // namespace haptic

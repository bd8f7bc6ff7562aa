#include "host/mesh/embedding.h"

#include <algorithm>
#include <cmath>

#include "host/mesh/tetrahedron_locator.h"
#include "host/parallel/parallel_ranges.h"
#include "shared/assert.h"

namespace haptic {
namespace {

/// Squared distance from a point to an element's closed cube.
double distance_squared(const VoxelMesh& mesh, std::uint32_t cell, const Vector3& local) {
  const auto at = mesh.cell_coordinates(cell);
  double sum = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = local[axis] - at[static_cast<std::size_t>(axis)];
    const double outside = std::max({-x, x - 1.0, 0.0});
    sum += outside * outside;
  }
  return sum;
}

struct CellRange {
  std::array<std::int64_t, 3> low, high;  ///< inclusive
};

/// Lowest element of the nearest cells in a range; ties within rounding go to the lower id.
struct Nearest {
  std::uint32_t element = VoxelMesh::kNoElement;
  double distance_squared = std::numeric_limits<double>::infinity();
};

void consider(const VoxelMesh& mesh, std::uint32_t cell, const Vector3& local, Nearest& best) {
  const std::uint32_t element = mesh.element_of_cell[cell];
  if (element == VoxelMesh::kNoElement) return;
  const double d2 = distance_squared(mesh, cell, local);
  constexpr double kTie = 1e-12;  // in squared voxel edges; rounding of local coordinates
  if (d2 < best.distance_squared - kTie ||
      (d2 <= best.distance_squared + kTie && element < best.element)) {
    best = {element, std::min(d2, best.distance_squared)};
  }
}

template <typename Scalar>
void embed_basis_as(std::span<const EmbeddedPoint> points, std::span<const double> basis,
                    std::size_t r, std::span<Scalar> result) {
  HAPTIC_DEMAND(result.size() == 3 * r * points.size());
  parallel_ranges(points.size(), 256, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(r);
    for (std::size_t p = begin; p != end; ++p) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t b = 0; b < 8; ++b) {
          const double weight = points[p].weights[b];
          const double* source = &basis[(3 * points[p].vertices[b] + axis) * r];
          for (std::size_t j = 0; j < r; ++j) row[j] += weight * source[j];
        }
        Scalar* target = &result[(3 * p + axis) * r];
        for (std::size_t j = 0; j < r; ++j) target[j] = static_cast<Scalar>(row[j]);
      }
    }
  });
}

}  // namespace

Embedding::Embedding(const VoxelMesh& mesh) : voxels_(&mesh) {
  HAPTIC_DEMAND(!mesh.elements.empty());
}

Embedding::Embedding(const TetrahedralMesh& mesh)
    : tetrahedra_(&mesh), locator_(std::make_unique<TetrahedronLocator>(mesh)) {
  Vector3 lower = mesh.vertices.front(), upper = lower;
  for (const Vector3& v : mesh.vertices) {
    lower = lower.cwiseMin(v);
    upper = upper.cwiseMax(v);
  }
  inside_squared_ = 1e-24 * (upper - lower).squaredNorm();
}

Embedding::~Embedding() = default;

std::uint32_t Embedding::element_at(const Vector3& point, bool& inside) const {
  if (voxels_ != nullptr) return voxel_at(point, inside);
  const TetrahedronLocator::Found found = locator_->nearest(point);
  inside = found.distance_squared <= inside_squared_;
  return found.element;
}

EmbeddedPoint Embedding::embed(const Vector3& point) const {
  return voxels_ != nullptr ? embed_in_voxel(point) : embed_in_tetrahedron(point);
}

EmbeddedPoint Embedding::embed_in_tetrahedron(const Vector3& point) const {
  EmbeddedPoint result;
  result.element = element_at(point, result.inside);
  const auto& corners = tetrahedra_->tetrahedra[result.element];
  const Barycentric weights = locator_->coordinates(result.element, point);
  const Eigen::Matrix<double, 3, 4> gradients = locator_->gradients(result.element);
  result.vertices.fill(corners[0]);
  result.gradients.fill(Vector3::Zero());
  for (std::size_t a = 0; a < 4; ++a) {
    const auto at = static_cast<Eigen::Index>(a);
    result.vertices[a] = corners[a];
    result.weights[a] = weights[at];
    result.gradients[a] = gradients.col(at);
  }
  return result;
}

std::uint32_t Embedding::voxel_at(const Vector3& point, bool& inside) const {
  const VoxelMesh& mesh = *voxels_;
  const Vector3 local = (point - mesh.origin) / mesh.edge;

  // Rings of cells around the nearest grid cell. Every cell of ring k + 1 or beyond is at least
  // k away from the point's projection on the grid, so the search stops when that exceeds the best.
  std::array<std::int64_t, 3> centre{};
  std::int64_t last_ring = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto top = static_cast<std::int64_t>(mesh.dims[axis]) - 1;
    const double x = std::clamp(local[static_cast<int>(axis)], 0.0, static_cast<double>(top));
    centre[axis] = static_cast<std::int64_t>(std::floor(x));
    last_ring = std::max({last_ring, centre[axis], top - centre[axis]});
  }
  Nearest best;
  for (std::int64_t ring = 0; ring <= last_ring; ++ring) {
    if (ring >= 2 && best.element != VoxelMesh::kNoElement &&
        static_cast<double>((ring - 1) * (ring - 1)) > best.distance_squared + 1e-9) {
      break;
    }
    std::array<std::int64_t, 3> low{}, high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::max<std::int64_t>(0, centre[axis] - ring);
      high[axis] = std::min<std::int64_t>(mesh.dims[axis] - 1, centre[axis] + ring);
    }
    for (std::int64_t k = low[2]; k <= high[2]; ++k) {
      for (std::int64_t j = low[1]; j <= high[1]; ++j) {
        const bool on_shell = std::abs(k - centre[2]) == ring || std::abs(j - centre[1]) == ring;
        // Inside the ring only its two end cells along x are new.
        const std::int64_t step = on_shell || ring == 0 ? 1 : 2 * ring;
        for (std::int64_t i = on_shell ? low[0] : centre[0] - ring; i <= high[0]; i += step) {
          if (i < low[0]) continue;
          consider(mesh,
                   mesh.cell_index(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                                   static_cast<std::uint32_t>(k)),
                   local, best);
        }
      }
    }
  }
  inside = best.distance_squared <= 1e-12;
  return best.element;
}

EmbeddedPoint Embedding::embed_in_voxel(const Vector3& point) const {
  EmbeddedPoint result;
  result.element = voxel_at(point, result.inside);
  result.vertices = voxels_->elements[result.element];
  const Vector3 x = (point - voxels_->lower_corner(result.element)) / voxels_->edge;
  for (std::size_t b = 0; b < 8; ++b) {
    std::array<double, 3> factor{}, slope{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double s = x[static_cast<int>(axis)];
      const bool upper = kCornerOffsets[b][axis] == 1;
      factor[axis] = upper ? s : 1.0 - s;
      slope[axis] = (upper ? 1.0 : -1.0) / voxels_->edge;
    }
    result.weights[b] = factor[0] * factor[1] * factor[2];
    result.gradients[b] = {slope[0] * factor[1] * factor[2], factor[0] * slope[1] * factor[2],
                           factor[0] * factor[1] * slope[2]};
  }
  return result;
}

std::vector<EmbeddedPoint> Embedding::embed(std::span<const Vector3> points) const {
  std::vector<EmbeddedPoint> result(points.size());
  parallel_ranges(points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p != end; ++p) result[p] = embed(points[p]);
  });
  return result;
}

void embed_basis(std::span<const EmbeddedPoint> points, std::span<const double> basis,
                 std::size_t r, std::span<double> result) {
  embed_basis_as(points, basis, r, result);
}

void embed_basis(std::span<const EmbeddedPoint> points, std::span<const double> basis,
                 std::size_t r, std::span<float> result) {
  embed_basis_as(points, basis, r, result);
}

}  // namespace haptic

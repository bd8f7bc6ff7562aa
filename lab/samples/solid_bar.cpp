#include "lab/samples/solid_bar.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "host/mesh/embedding.h"
#include "host/reduction/linear_modes.h"

namespace haptic {

CutBody::CutBody(const TriangleMesh& surface, const Settings& settings)
    : CutBody(surface, make(surface, settings)) {}

CutBody::CutBody(const TriangleMesh& surface, Made made)
    : box_(bounding_box(surface)),
      grid_(std::move(made.grid)),
      model_(std::move(made.mesh), made.held) {}

CutBody::Made CutBody::make(const TriangleMesh& surface, const Settings& settings) {
  const BoundingBox box = bounding_box(surface);
  const double side = box.longest_side();
  VoxelSettings voxels;
  voxels.resolution = static_cast<std::uint32_t>(std::ceil(side / settings.edge - 1e-9));
  voxels.enlargement = std::max(1.0, settings.edge * voxels.resolution / side);
  if (settings.published) voxels.enlargement *= 1.001;
  if (settings.held_below >= 0.0) voxels.planes[0] = box.lower.x() + settings.held_below;
  Made made{voxelize(surface, voxels), make_box_mesh(1, 1, 1, 1.0, settings.material), {}};
  CellSettings cells;
  if (!settings.published) {
    CutCells cut = cut_cells(surface, made.grid);
    made.grid = std::move(cut.grid);
    cells = {StrainSampling::kAssumed, std::move(cut.parts), {}};
  }
  std::vector<double> vertices;
  for (const Vector3& v : made.grid.vertices) {
    if (v.x() <= box.lower.x() + settings.held_below + 1e-9 * side && settings.held_below >= 0.0) {
      made.held.push_back(static_cast<std::uint32_t>(vertices.size() / 3));
    }
    vertices.insert(vertices.end(), v.data(), v.data() + 3);
  }
  std::vector<std::uint32_t> elements;
  for (const auto& e : made.grid.elements) elements.insert(elements.end(), e.begin(), e.end());
  made.mesh = SolidMesh(vertices, elements, MaterialGroups{{settings.material}, {}}, cells);
  return made;
}

double CutBody::mass() const {
  return StvkModel(model_.mesh(), {}).scalar_mass().sum();
}

double CutBody::first_free_frequency() const {
  return std::sqrt(free_linear_modes(model_, 7).eigenvalues[6]) / (2.0 * std::numbers::pi);
}

double CutBody::first_held_frequency() const {
  const double lambda = linear_modes(model_, factor_rest_stiffness(model_), 1).eigenvalues[0];
  return std::sqrt(lambda) / (2.0 * std::numbers::pi);
}

Eigen::VectorXd CutBody::end_load(const std::function<Vector3(const Vector3&)>& traction) const {
  const Embedding embedding(grid_);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(model_.dof_count());
  constexpr int kSide = 40;  // midpoints along each side of the face's box
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      Vector3 at = box_.lower + Vector3(0.0, (i + 0.5) / kSide * box_.size().y(),
                                        (j + 0.5) / kSide * box_.size().z());
      at.x() = box_.upper.x() - 1e-9 * box_.size().x();
      const EmbeddedPoint point = embedding.embed(at);
      const Vector3 force = traction(at - box_.centre()) / (kSide * kSide);
      for (std::size_t b = 0; b < 8; ++b) {
        load.segment<3>(3 * Eigen::Index{point.vertices[b]}) += point.weights[b] * force;
      }
    }
  }
  return load;
}

Eigen::VectorXd CutBody::end_force(const Vector3& direction) const {
  return end_load([&](const Vector3&) { return direction; });
}

Eigen::VectorXd CutBody::end_couple() const {
  const auto swirl = [](const Vector3& at) { return Vector3(0.0, -at.z(), at.y()); };
  const Vector3 size = box_.size();
  const double couple = (size.y() * size.y() + size.z() * size.z()) / 12.0;  // of that traction
  return end_load(swirl) / couple;
}

double CutBody::end_stiffness(const Vector3& direction) const {
  const Eigen::VectorXd free = model_.restrict_to_free(end_force(direction));
  const SparseFactorization factor = factor_rest_stiffness(model_);
  return 1.0 / free.dot(Eigen::VectorXd(factor.solve(free)));
}

TriangleMesh bar_surface(const Vector3& size) {
  TriangleMesh mesh;
  for (int v = 0; v < 8; ++v) {
    mesh.vertices.emplace_back(v & 1 ? size.x() : 0.0, v & 2 ? size.y() : 0.0,
                               v & 4 ? size.z() : 0.0);
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TriangleMesh round_bar_surface(double radius, double length) {
  constexpr std::uint32_t kSides = 96;
  const double turn = 2.0 * std::numbers::pi / kSides;
  const double r = radius * std::sqrt(turn / std::sin(turn));  // the area of the circle
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < kSides; ++i) {
    const double y = r * std::cos(i * turn), z = r * std::sin(i * turn);
    mesh.vertices.emplace_back(0.0, y, z);
    mesh.vertices.emplace_back(length, y, z);
  }
  mesh.vertices.emplace_back(0.0, 0.0, 0.0);
  mesh.vertices.emplace_back(length, 0.0, 0.0);
  for (std::uint32_t i = 0; i < kSides; ++i) {
    const std::uint32_t a = 2 * i, b = 2 * ((i + 1) % kSides);
    mesh.triangles.push_back({a, b, b + 1});
    mesh.triangles.push_back({a, b + 1, a + 1});
    mesh.triangles.push_back({2 * kSides, b, a});
    mesh.triangles.push_back({2 * kSides + 1, a + 1, b + 1});
  }
  return mesh;
}

TriangleMesh turned(const TriangleMesh& mesh, const Vector3& axis, double degrees) {
  Placement turn;
  turn.rotation =
      Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()).toRotationMatrix();
  return placed(mesh, turn);
}

}  // namespace haptic

#include "host/view/display_basis.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/sampling/modal_blocks.h"
#include "host/view/deformed_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// One display vertex per surface vertex and rest normal.
void split_at_creases(const ModelFile& model, DisplayBasis& basis) {
  const auto rest = model.doubles("/surface/vertices");
  const auto triangles = model.indices("/surface/triangles");
  SurfacePoints x(static_cast<Eigen::Index>(rest.size() / 3), 3);
  for (std::size_t i = 0; i < rest.size(); ++i) x.data()[i] = static_cast<float>(rest[i]);
  const SurfacePoints normals = corner_normals(x, triangles);
  std::vector<std::vector<std::uint32_t>> copies(rest.size() / 3);
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    const std::uint32_t v = triangles[c];
    const Eigen::RowVector3f n = normals.row(static_cast<Eigen::Index>(c));
    const auto found = std::find_if(copies[v].begin(), copies[v].end(), [&](std::uint32_t k) {
      return (Eigen::Map<const Eigen::RowVector3f>(&basis.normals[3 * std::size_t{k}]) - n).norm() <
             1e-5F;  // the same faces summed in another order
    });
    if (found != copies[v].end()) {
      basis.indices.push_back(*found);
      continue;
    }
    const auto k = static_cast<std::uint32_t>(basis.surface_vertex.size());
    copies[v].push_back(k);
    basis.surface_vertex.push_back(v);
    basis.indices.push_back(k);
    for (int axis = 0; axis < 3; ++axis) {
      basis.positions.push_back(x(v, axis));
      basis.normals.push_back(n[axis]);
    }
  }
}

}  // namespace

SolidBody solid_of_model(const ModelFile& model) {
  const auto vertices = model.doubles("/mesh/vertices");
  if (model.has("/mesh/elements")) {
    const auto elements = model.indices("/mesh/elements");
    return solid_of_cubes({vertices.begin(), vertices.end()}, {elements.begin(), elements.end()},
                          model.path().string());
  }
  const auto elements = model.indices("/mesh/tetrahedra");
  TetrahedralMesh mesh;
  for (std::size_t i = 0; i < vertices.size(); i += 3) mesh.vertices.emplace_back(&vertices[i]);
  mesh.tetrahedra.resize(elements.size() / 4);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    std::copy_n(&elements[4 * e], 4, mesh.tetrahedra[e].begin());
  }
  return solid_of_tetrahedra(std::move(mesh));
}

bool has_display_basis(const ModelFile& model) {
  if (!model.has("/surface/vertices") || !model.has("/surface/triangles")) return false;
  if (model.reduced_dimension() == 0) return !model.has("/surface/basis");
  return model.has("/surface/basis") && model.has("/reduced/basis") &&
         model.has("/mesh/vertices") &&
         (model.has("/mesh/elements") || model.has("/mesh/tetrahedra"));
}

DisplayBasis make_display_basis(const ModelFile& model) {
  DisplayBasis basis;
  split_at_creases(model, basis);
  basis.dimension = model.reduced_dimension();
  if (basis.dimension == 0) return basis;

  const auto U = model.floats("/surface/basis");
  const std::size_t block = 3 * std::size_t{basis.dimension};
  std::vector<Vector3> points, normals;
  for (std::size_t k = 0; k < basis.vertex_count(); ++k) {
    const float* row = &U[basis.surface_vertex[k] * block];
    basis.displacement.insert(basis.displacement.end(), row, row + block);
    const double* X = &model.doubles("/surface/vertices")[3 * std::size_t{basis.surface_vertex[k]}];
    points.emplace_back(X);
    normals.push_back(Eigen::Map<const Eigen::Vector3f>(&basis.normals[3 * k]).cast<double>());
  }
  const SolidBody solid = solid_of_model(model);
  basis.normal_correction = build_modal_blocks(model.doubles("/reduced/basis"), basis.dimension,
                                               embed_points(solid, points), normals)
                                .normal_correction;
  return basis;
}

}  // namespace haptic

#include "host/bake/body_figures.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/bake/group_mass.h"
#include "host/fem/tetrahedron_locking.h"

namespace haptic {
namespace {

constexpr std::size_t kFrequencies = 3;

/// With a space between; what is rounding beside `scale` is 0.
std::string numbers_of(std::initializer_list<double> values, double scale) {
  constexpr double kRounding = 1e-12;
  std::string text;
  for (const double value : values) {
    const double shown = std::abs(value) > kRounding * scale ? value : 0.0;
    text += fmt::format("{}{:.6g}", text.empty() ? "" : " ", shown);
  }
  return text;
}
std::string numbers_of(const Vector3& v, double scale) {
  return numbers_of({v.x(), v.y(), v.z()}, scale);
}
std::string numbers_of(const Matrix3& m) {
  return numbers_of({m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}, m.norm());
}

Vector3 size_of(const SolidBody& solid) {
  BoundingBox box{Vector3(solid.vertices.data()), Vector3(solid.vertices.data())};
  for (std::size_t v = 0; v < solid.vertex_count(); ++v)
    box.include(Vector3(&solid.vertices[3 * v]));
  return box.size();
}

/// Of a symmetric 3 x 3 compliance [m/N].
double largest_compliance(const Matrix3& C) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(C, Eigen::EigenvaluesOnly).eigenvalues()[2];
}

SoftestPlace softest_vertex(const CondensedBody& body) {
  const CondensedEmbedding& embedding = body.embedding;
  const std::size_t s = body.compliance.dof;
  const auto entry = [&](std::size_t row, std::size_t column) {
    return body.compliance.full.empty()
               ? static_cast<double>(body.compliance.single[row * s + column])
               : body.compliance.full[row * s + column];
  };
  constexpr std::size_t corners = 8;
  SoftestPlace softest;
  double most = 0.0;
  for (std::size_t v = 0; v * corners < embedding.nodes.size(); ++v) {
    Matrix3 C = Matrix3::Zero();
    for (std::size_t a = 0; a < corners * corners; ++a) {
      const std::size_t i = v * corners + a / corners, j = v * corners + a % corners;
      const std::size_t from = embedding.nodes[i], to = embedding.nodes[j];
      if (3 * from >= s || 3 * to >= s) continue;  // a fixed node
      for (std::size_t d = 0; d < 9; ++d) {
        C(static_cast<Eigen::Index>(d / 3), static_cast<Eigen::Index>(d % 3)) +=
            embedding.weights[i] * embedding.weights[j] * entry(3 * from + d / 3, 3 * to + d % 3);
      }
    }
    const double compliance = largest_compliance(C);
    if (!(compliance > most)) continue;
    most = compliance;
    softest = {1.0 / compliance, v};
  }
  return softest;
}

void write_softest(ModelWriter& writer, const SoftestPlace& softest, const TriangleMesh& surface) {
  if (!(softest.stiffness > 0.0)) return;
  writer.set_attribute("/body", "stiffness_N_m", softest.stiffness);
  writer.set_attribute(
      "/body", "stiffness_place_m",
      numbers_of(surface.vertices[softest.point], bounding_box(surface).longest_side()));
}

void write_frequencies(ModelWriter& writer, std::span<const double> eigenvalues) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kFrequencies, eigenvalues.size()); ++i) {
    text += fmt::format("{}{:.4g}", i > 0 ? " " : "",
                        std::sqrt(eigenvalues[i]) / (2.0 * std::numbers::pi));
  }
  writer.set_attribute("/body", "frequencies_Hz", text);
}

/// A line where linear tetrahedra are too stiff in bending by more than a tenth.
void add_locking(const Recipe& recipe, const ThinnestPlace& wall, const TetrahedralMesh& mesh,
                 std::vector<std::string>& lines) {
  constexpr double kExcess = 0.1;
  double volume = 0.0;
  for (const auto& [i, j, k, l] : mesh.tetrahedra) {
    const Vector3 &a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[k],
                  &d = mesh.vertices[l];
    volume += (b - a).cross(c - a).dot(d - a);  // six times that of the tetrahedron, a cube's
  }
  const double layers =
      wall.thickness / std::cbrt(volume / static_cast<double>(mesh.tetrahedra.size()));
  double excess = 0.0;
  for (const MaterialGroupRecipe& group : recipe.groups) {
    excess = std::max(excess, tetrahedron_bending_excess(layers, group.material.elasticity()));
  }
  if (!(excess > kExcess)) return;
  lines.push_back(fmt::format(
      "the thinnest wall has about {:.2g} linear tetrahedra at ({:.4g}, {:.4g}, {:.4g}) "
      "m, which is too stiff in bending by some {:.0f} %; haptic verify --physics "
      "measures it, a finer mesh or voxels mend it",
      layers, wall.place.x(), wall.place.y(), wall.place.z(), 100.0 * excess));
}

/// Fixed spheres and cylinders that contain too few vertices to hold the body well.
void add_small_regions(const Constraints& constraints, double edge,
                       std::vector<std::string>& lines) {
  constexpr double kVoxels = 2.0;
  const auto add = [&](std::string_view key, const auto& regions) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const double voxels = regions[i].radius / edge;
      if (voxels >= kVoxels) continue;
      lines.push_back(
          fmt::format("constraints.{}[{}] has a radius of {:.2g} voxels: the body may be up to "
                      "30 % too compliant there; a larger mesh.resolution resolves it",
                      key, i, voxels));
    }
  };
  add("spheres", constraints.spheres);
  add("patches", constraints.patches);
  add("cylinders", constraints.cylinders);
}

/// Material groups whose border does not lie on planes of the grid: each voxel has one material.
void add_group_borders(const Recipe& recipe, const BoundingBox& box, const VoxelMesh& grid,
                       std::vector<std::string>& lines) {
  const auto off_grid = [&](int axis, double distance) {
    if (distance <= 0.0 || distance >= box.size()[axis]) return false;
    const double place = (box.lower[axis] + distance - grid.origin[axis]) / grid.edge;
    return std::abs(place - std::round(place)) > 1e-6;
  };
  const auto is_off = [&](const auto& region) {
    using Region = std::remove_cvref_t<decltype(region)>;
    if constexpr (std::is_same_v<Region, PlaneConstraint>) {
      return off_grid(region.axis, region.distance);
    } else if constexpr (std::is_same_v<Region, BoxConstraint>) {
      for (int axis = 0; axis < 3; ++axis) {
        if (off_grid(axis, region.min[axis]) || off_grid(axis, region.max[axis])) return true;
      }
      return false;
    } else {
      return std::is_same_v<Region, SphereConstraint> || std::is_same_v<Region, CylinderConstraint>;
    }
  };
  for (const MaterialGroupRecipe& group : recipe.groups) {
    if (!std::visit(is_off, group.selection)) continue;
    lines.push_back(fmt::format(
        "{} \"{}\" ends inside voxels, and each voxel has one material: its border is off by up to "
        "half a voxel, {:.2g} m; a larger mesh.resolution reduces the error",
        group.key, group.name, 0.5 * grid.edge));
  }
}

}  // namespace

SurfaceGaps find_gaps(const StageResult<SourceSurface>& source, const Stages& stages) {
  StageKey key("walls");
  key.add(source.digest);
  auto result = stages.run<SurfaceGaps>("walls", key, Stages::RunOn::kFirst, Stages::ResultOn::kAll,
                                        [&](const Stages::Fraction&) {
                                          SurfaceGaps gaps;
                                          if (!source.value.report.closed_manifold()) return gaps;
                                          TriangleMesh mesh = source.value.mesh;
                                          gaps.wall = thinnest_place(mesh);
                                          for (auto& triangle : mesh.triangles)
                                            std::swap(triangle[1], triangle[2]);
                                          gaps.gap = thinnest_place(mesh);
                                          return gaps;
                                        });
  return result.value;
}

std::vector<std::string> discretisation_warnings(const Recipe& recipe, const SurfaceGaps& gaps,
                                                 const SourceSurface& source,
                                                 const SolidBody& solid) {
  constexpr double kVoxels = 2.0, kMass = 0.02;
  std::vector<std::string> lines;
  if (solid.kind != ElementKind::kHexahedron) {
    if (gaps.wall) add_locking(recipe, *gaps.wall, solid.tetrahedra, lines);
    return lines;
  }
  const double edge = solid.voxels.edge;
  const auto voxels = [&](const ThinnestPlace& place) {
    return fmt::format("{:.2g} voxels at ({:.4g}, {:.4g}, {:.4g}) m", place.thickness / edge,
                       place.place.x(), place.place.y(), place.place.z());
  };
  if (gaps.wall && gaps.wall->thickness < kVoxels * edge) {
    lines.push_back(
        fmt::format("the thinnest wall has {}: its stiffness may be off by up to 20 %; "
                    "a larger mesh.resolution resolves it",
                    voxels(*gaps.wall)));
  }
  if (gaps.gap && gaps.gap->thickness < kVoxels * edge) {
    lines.push_back(
        fmt::format("voxels bridge a gap of {} between parts of the surface, which then "
                    "move as one; a larger mesh.resolution separates them",
                    voxels(*gaps.gap)));
  }
  add_small_regions(recipe.constraints, edge, lines);
  if (recipe.groups.size() > 1) {
    add_group_borders(recipe, bounding_box(source.mesh), solid.voxels, lines);
  }
  auto cells = static_cast<double>(solid.element_count());
  if (!solid.cells.parts.empty()) {
    cells = 0.0;
    for (const CellPart& part : solid.cells.parts) cells += part[0];
  }
  const double ratio = cells * edge * edge * edge / source.unit_rigid.mass;
  if (std::abs(ratio - 1.0) > kMass) {
    lines.push_back(
        fmt::format("the body that moves weighs {:.3g} times what its surface encloses", ratio));
  }
  return lines;
}

SoftestPlace softest_place(std::span<const float> basis, std::span<const double> quadratic,
                           std::size_t r) {
  const auto n = static_cast<Eigen::Index>(r);
  Eigen::MatrixXd K(n, n);
  std::size_t next = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i; j < n; ++j) K(i, j) = K(j, i) = quadratic[next++];
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(K);
  if (factor.info() != Eigen::Success) return {};
  using Rows = Eigen::Matrix<float, 3, Eigen::Dynamic, Eigen::RowMajor>;
  SoftestPlace softest;
  double most = 0.0;
  for (std::size_t v = 0; 3 * (v + 1) * r <= basis.size(); ++v) {
    const Eigen::MatrixXd rows = Eigen::Map<const Rows>(&basis[3 * v * r], 3, n).cast<double>();
    const Eigen::MatrixXd root = factor.matrixL().solve(rows.transpose());
    const double compliance = largest_compliance(root.transpose() * root);
    if (!(compliance > most)) continue;
    most = compliance;
    softest = {1.0 / compliance, v};
  }
  return softest;
}

void write_body_figures(ModelWriter& writer, const Recipe& recipe, const SourceSurface& source,
                        const BodyMesh& mesh, const ElasticBody* elastic,
                        const CondensedBody* condensed, const SurfaceGaps& gaps) {
  const Vector3 size = bounding_box(source.mesh).size();
  writer.set_attribute("/body", "extent_in_file", numbers_of(size / source.placement.scale, 0.0));
  writer.set_attribute("/body", "extent_m", numbers_of(size, 0.0));
  writer.set_attribute("/body", "mesh_extent_m", numbers_of(size_of(mesh.solid), 0.0));
  const RigidProperties body = rigid_properties_of_groups(recipe, mesh.solid, mesh.groups);
  const auto write = [&](const std::string& prefix, const RigidProperties& rigid) {
    writer.set_attribute("/body", prefix + "mass_kg", rigid.mass);
    writer.set_attribute("/body", prefix + "centre_m", numbers_of(rigid.centre, size.maxCoeff()));
    writer.set_attribute("/body", prefix + "inertia_kg_m2", numbers_of(rigid.inertia));
  };
  write("", body);
  if (recipe.groups.size() == 1) {
    RigidProperties surface = source.unit_rigid;
    surface.mass *= recipe.material.density;
    surface.inertia *= recipe.material.density;
    write("surface_", surface);
  }
  const double edge = mesh.solid.kind == ElementKind::kHexahedron ? mesh.solid.voxels.edge : 0.0;
  if (edge > 0.0) writer.set_attribute("/body", "voxel_m", edge);
  if (gaps.wall) writer.set_attribute("/body", "thinnest_wall_m", gaps.wall->thickness);
  if (gaps.gap) writer.set_attribute("/body", "narrowest_gap_m", gaps.gap->thickness);
  if (elastic) {
    write_frequencies(writer, elastic->eigenvalues);
    if (!recipe.free()) {
      write_softest(writer,
                    softest_place(elastic->surface_basis, elastic->polynomials.whole.quadratic,
                                  elastic->dimension),
                    source.mesh);
    }
  } else if (condensed) {
    const auto& lambda = condensed->modes.eigenvalues;
    write_frequencies(writer, {lambda.data(), static_cast<std::size_t>(lambda.size())});
    write_softest(writer, softest_vertex(*condensed), source.mesh);
  }
}

}  // namespace haptic

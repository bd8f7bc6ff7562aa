#include "host/bake/verify_physics.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/artifact/model_attributes.h"
#include "host/bake/body_mesh.h"
#include "host/bake/group_mass.h"
#include "host/bake/verify_parts.h"
#include "host/fem/refined_mesh.h"
#include "host/mesh/mesh_report.h"
#include "host/reduction/linear_modes.h"
#include "host/unreduced/baked_body.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The simulation mesh in the form that points are embedded in.
SolidBody solid_of(const SolidMesh& mesh, const std::string& file) {
  if (mesh.kind() == ElementKind::kHexahedron) {
    return solid_of_cubes({mesh.vertices().begin(), mesh.vertices().end()},
                          {mesh.elements().begin(), mesh.elements().end()}, file);
  }
  TetrahedralMesh tetrahedra;
  for (int v = 0; v < mesh.vertex_count(); ++v) tetrahedra.vertices.push_back(mesh.vertex(v));
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto ids = mesh.element(e);
    tetrahedra.tetrahedra.push_back({ids[0], ids[1], ids[2], ids[3]});
  }
  return solid_of_tetrahedra(std::move(tetrahedra));
}

/// Points on a surface within a distance of a place, each with its share of the area there.
struct Patch {
  std::vector<Vector3> points;
  std::vector<double> shares;
};

Patch patch_of(const TriangleMesh& surface, const Vector3& place, double radius) {
  constexpr double kSpacing = 0.2;  // of the radius
  Patch patch;
  double total = 0.0;
  for (const auto& [i, j, k] : surface.triangles) {
    const Vector3 &a = surface.vertices[i], &b = surface.vertices[j], &c = surface.vertices[k];
    const Vector3 lower = a.cwiseMin(b).cwiseMin(c), upper = a.cwiseMax(b).cwiseMax(c);
    if ((place.cwiseMax(lower).cwiseMin(upper) - place).norm() > radius) continue;
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int n = static_cast<int>(std::clamp(std::ceil(longest / (kSpacing * radius)), 1.0, 1e3));
    const double area = 0.5 * (b - a).cross(c - a).norm() / (n * n);
    for (int s = 0; s < n; ++s) {
      for (int t = 0; t < 2 * (n - s) - 1; ++t) {  // the n^2 triangles of a row by row cut
        const double shift = t % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0;
        const int column = t / 2;
        const double u = (column + shift) / n, v = (s + shift) / n;
        const Vector3 at = a + u * (b - a) + v * (c - a);
        if ((at - place).norm() > radius) continue;
        patch.points.push_back(at);
        patch.shares.push_back(area);
        total += area;
      }
    }
  }
  for (double& share : patch.shares) share /= total;
  return patch;
}

/// A body with what its figures need.
class Object {
 public:
  Object(StvkModel body, const std::string& file)
      : body_(std::move(body)), solid_(solid_of(body_.mesh(), file)) {}

  const StvkModel& body() const { return body_; }
  bool free() const { return body_.fixed_vertices().empty(); }

  /// The first elastic mode: its frequency [Hz] and shape (3n).
  const LinearModes& modes() {
    if (modes_.eigenvalues.size() > 0) return modes_;
    modes_ = free() ? free_linear_modes(body_, kRigid + 1) : linear_modes(body_, stiffness(), 1);
    return modes_;
  }
  double frequency() {
    return std::sqrt(modes().eigenvalues[free() ? kRigid : 0]) / (2.0 * std::numbers::pi);
  }

  /// Nodal forces of a unit force that is spread over a patch (3n).
  Eigen::VectorXd load(const Patch& patch, const Vector3& direction) const {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(body_.dof_count());
    const std::vector<EmbeddedPoint> points = embed_points(solid_, patch.points);
    for (std::size_t p = 0; p < points.size(); ++p) {
      for (std::size_t a = 0; a < solid_.corners(); ++a) {
        force.segment<3>(3 * Eigen::Index{points[p].vertices[a]}) +=
            patch.shares[p] * points[p].weights[a] * direction;
      }
    }
    return force;
  }
  /// Displacement under such a load, along it and averaged over the patch [m/N].
  double compliance(const Patch& patch, const Vector3& direction) {
    const Eigen::VectorXd force = body_.restrict_to_free(load(patch, direction));
    return force.dot(Eigen::VectorXd(stiffness().solve(force)));
  }
  /// Displacements of points in the first mode.
  std::vector<Vector3> moved(std::span<const Vector3> at) {
    const auto shape = modes().shapes.col(free() ? kRigid : 0);
    std::vector<Vector3> result;
    for (const EmbeddedPoint& point : embed_points(solid_, at)) {
      Vector3 u = Vector3::Zero();
      for (std::size_t a = 0; a < solid_.corners(); ++a) {
        u += point.weights[a] * shape.segment<3>(3 * Eigen::Index{point.vertices[a]});
      }
      result.push_back(u);
    }
    return result;
  }

 private:
  static constexpr int kRigid = 6;
  const PreconditionedOperator& stiffness() {
    if (!stiffness_) stiffness_ = rest_stiffness(body_);
    return *stiffness_;
  }

  StvkModel body_;
  SolidBody solid_;
  std::unique_ptr<PreconditionedOperator> stiffness_;
  LinearModes modes_;
};

StvkModel halved(const ModelFile& model, const StvkModel& body, const TriangleMesh& surface) {
  const std::string file = model.path().string();
  const std::string text =
      text_attribute(read_model_attributes(model.path()), "/provenance.recipe", "");
  Recipe recipe = parse_recipe(text, model.path());
  const BodySettings settings{.mass = body.mass_kind()};
  if (!recipe.volume.empty()) {
    const CellSettings& cells = body.mesh().cells();
    if (!cells.parts.empty() || !cells.held.empty()) {
      throw InputError(file, "/mesh", "found cut cells of a body whose recipe has a volume mesh",
                       "the sections of one bake");
    }
    RefinedMesh half = refined(body.mesh(), body.fixed_vertices());
    return {std::move(half.mesh), half.fixed, settings};
  }
  constexpr std::uint32_t kMaxResolution = 512;
  recipe.voxels.resolution *= 2;
  if (recipe.voxels.resolution > kMaxResolution) {
    throw InputError(file, "mesh.resolution", fmt::format("found {}", recipe.voxels.resolution / 2),
                     fmt::format("at most {} for --physics", kMaxResolution / 2));
  }
  if (!recipe.constraints.vertices.empty() || !recipe.constraint_file.empty()) {
    throw InputError(file, "constraints", "found vertices of voxels by number",
                     "planes or boxes: other voxels have other numbers");
  }
  StageResult<SourceSurface> source;
  source.value.mesh = surface;
  source.value.report = inspect_mesh(surface);
  StageProgress quiet(nullptr);
  const Ranks alone;
  const BodyMesh half = make_body_mesh(recipe, source, Stages(quiet, alone, nullptr));
  return {solid_mesh_of(recipe, half.solid, half.groups), half.fixed, settings};
}

void add_mass(const StvkModel& body, const TriangleMesh& surface, VerifiedFigures& figures) {
  if (!inspect_mesh(surface).closed_manifold() || body.mesh().group_count() != 1) return;
  const RigidProperties drawn =
      rigid_properties(surface, body.mesh().groups().materials.front().density());
  // The consistent mass has the inertia of the elements; a lumped one that of its vertices.
  const RigidProperties moved = rigid_properties_of(StvkModel(body.mesh(), {}));
  const double size = bounding_box(surface).longest_side();
  figures.push_back({"physics_mass", std::abs(moved.mass / drawn.mass - 1.0), 5e-3, "1",
                     fmt::format("mass of the body that moves, {:.6g} kg, against that of what its "
                                 "surface encloses, {:.6g} kg",
                                 moved.mass, drawn.mass)});
  figures.push_back({"physics_centre", (moved.centre - drawn.centre).norm() / size, 5e-3, "1",
                     "distance of their centres of mass over the longest side"});
  figures.push_back({"physics_inertia",
                     (moved.inertia - drawn.inertia).norm() / drawn.inertia.norm(), 2e-2, "1",
                     "difference of their inertia tensors over that of the surface"});
}

/// Share of the compliance that the basis lacks.
void add_basis(const ModelFile& model, const Eigen::VectorXd& load, double full,
               VerifiedFigures& figures) {
  if (!model.has("/reduced/quadratic")) return;
  const Eigen::MatrixXd basis = read_baked_basis(model);
  const auto quadratic = model.doubles("/reduced/quadratic");
  Eigen::MatrixXd K(basis.cols(), basis.cols());
  std::size_t next = 0;
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    for (Eigen::Index j = i; j < K.cols(); ++j) K(i, j) = K(j, i) = quadratic[next++];
  }
  const Eigen::VectorXd force = basis.transpose() * load;
  const double reduced = force.dot(K.llt().solve(force));
  figures.push_back(
      {"physics_basis", 1.0 - reduced / full, 1.0, "1",
       "share of this compliance that the basis lacks: the reduced body is stiffer by "
       "it"});
}

}  // namespace

std::vector<VerifiedFigure> verify_physics(const std::filesystem::path& path,
                                           const Progress& progress) {
  constexpr double kMaxError = 0.1, kPatch = 0.05;
  const ModelFile model(path);
  const std::string file = path.string();
  if (!model.has("/mesh/vertices") || !model.has("/surface/vertices")) {
    throw InputError(file, "--physics", "found no body that deforms",
                     "a model with [reduction] or [condensed]");
  }
  const auto tell = [&](double done) {
    if (progress) progress(done);
  };
  const TriangleMesh surface = surface_of(model);
  VerifiedFigures figures;
  Object body(read_baked_body(model), file);
  add_mass(body.body(), surface, figures);
  Object half(halved(model, body.body(), surface), file);
  tell(0.1);
  const double own = body.frequency();
  tell(0.2);
  const double exact = half.frequency();
  tell(0.8);
  figures.push_back({"physics_frequency", std::abs(own / exact - 1.0), kMaxError, "1",
                     fmt::format("first frequency, {:.4g} Hz, against {:.4g} Hz with elements of "
                                 "half the size",
                                 own, exact)});
  if (body.free()) return figures;
  const std::vector<Vector3> moved = body.moved(surface.vertices);
  const auto most =
      std::ranges::max_element(moved, {}, [](const Vector3& u) { return u.squaredNorm(); });
  const Vector3 place = surface.vertices[static_cast<std::size_t>(most - moved.begin())];
  const Vector3 direction = most->normalized();
  const Patch patch = patch_of(surface, place, kPatch * bounding_box(surface).longest_side());
  const double compliance = body.compliance(patch, direction);
  const double of_half = half.compliance(patch, direction);
  figures.push_back(
      {"physics_compliance", std::abs(compliance / of_half - 1.0), kMaxError, "1",
       fmt::format("force over displacement where the first mode moves most, ({:.4g}, {:.4g}, "
                   "{:.4g}) m, spread over {:.2g} of the size: {:.4g} N/m, against {:.4g} N/m",
                   place.x(), place.y(), place.z(), kPatch, 1.0 / compliance, 1.0 / of_half)});
  add_basis(model, body.load(patch, direction), compliance, figures);
  tell(1.0);
  return figures;
}

}  // namespace haptic

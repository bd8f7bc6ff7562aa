#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "host/artifact/model_writer.h"
#include "host/bake/group_mass.h"
#include "host/bake/model_sections.h"
#include "host/bake/volume_file.h"
#include "host/convert/vega_model.h"
#include "host/fem/stvk_model.h"
#include "host/formats/basis_file.h"
#include "host/formats/cubic_file.h"
#include "host/formats/interpolation_file.h"
#include "host/formats/obj_in_order.h"
#include "host/formats/vertex_list.h"
#include "host/mesh/mesh_report.h"
#include "host/reduction/damping_ratios.h"
#include "host/reduction/mass_pca.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/error.h"

namespace haptic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kOrthonormal = 1e-6;  // U^T M U - I of a basis that went through files
// Of the time, at the end of each part.
constexpr double kRead = 0.1, kPolynomials = 0.5, kSecondPolynomials = 0.8, kSurface = 0.9;
constexpr double kPolynomial = 1e-6;  // of a .cub from the same mesh: VegaFEM's agree to 1e-14

/// The basis of the file, checked against mesh and fixed vertices.
RowMajor read_fitting_basis(const VegaModelFiles& files, const StvkModel& model) {
  const BasisMatrix matrix = read_basis(files.basis);
  if (matrix.rows != static_cast<std::size_t>(model.dof_count())) {
    throw InputError(
        files.basis.string(), "", fmt::format("found {} rows", matrix.rows),
        fmt::format("{}, three for each vertex of {}", model.dof_count(), files.mesh.string()));
  }
  if (matrix.columns > kMaxReducedDimension) {
    throw InputError(files.basis.string(), "", fmt::format("found {} columns", matrix.columns),
                     fmt::format("at most {}", kMaxReducedDimension));
  }
  RowMajor U =
      Eigen::Map<const RowMajor>(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                                 static_cast<Eigen::Index>(matrix.columns));
  const double size = U.cwiseAbs().maxCoeff();
  for (const std::uint32_t v : model.fixed_vertices()) {
    auto rows = U.middleRows(3 * static_cast<Eigen::Index>(v), 3);
    if (rows.cwiseAbs().maxCoeff() > 1e-10 * size) {
      throw InputError(files.basis.string(), fmt::format("vertex {}", v),
                       "the basis moves a fixed vertex",
                       fmt::format("zeros at the vertices of {}", files.fixed.string()));
    }
    rows.setZero();
  }
  return U;
}

/// Mass-orthonormal columns of which the first k have the span of the first k given ones, for every
/// k; adds a note.
RowMajor orthonormalised(RowMajor U, const StvkModel& model, const std::string& file,
                         ConversionNotes& notes) {
  const Eigen::MatrixXd free = model.restrict_to_free(U);
  const Eigen::MatrixXd G = free.transpose() * multiply_mass(model.scalar_mass(), free);
  const double error = (G - Eigen::MatrixXd::Identity(G.rows(), G.cols())).cwiseAbs().maxCoeff();
  if (error <= kOrthonormal) {
    notes.push_back(fmt::format("the basis is mass-orthonormal: |U^T M U - I| = {:.2g}", error));
    return U;
  }
  const Eigen::LLT<Eigen::MatrixXd> llt(G);
  const double least = llt.matrixLLT().diagonal().cwiseAbs().minCoeff();
  const double most = llt.matrixLLT().diagonal().cwiseAbs().maxCoeff();
  if (llt.info() != Eigen::Success || !(least > 1e-7 * most)) {
    throw InputError(file, "", "found linearly dependent columns", "a basis of full column rank");
  }
  notes.push_back(
      fmt::format("the basis is not mass-orthonormal (|U^T M U - I| = {:.2g}): orthonormalised; "
                  "coordinates differ "
                  "from the file's",
                  error));
  return llt.matrixL().solve(U.transpose()).transpose();
}

double largest_difference(const ReducedPolynomials& a, const ReducedPolynomials& b) {
  double worst = 0.0;
  const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
    double difference = 0.0, scale = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      difference = std::max(difference, std::abs(x[i] - y[i]));
      scale = std::max(scale, std::abs(y[i]));
    }
    if (scale > 0.0) worst = std::max(worst, difference / scale);
  };
  compare(a.quadratic, b.quadratic);
  compare(a.cubic, b.cubic);
  compare(a.quartic, b.quartic);
  return worst;
}

ReducedPolynomials polynomials_of(const StvkModel& model, const RowMajor& U, Progress progress) {
  PolynomialSettings settings;
  settings.progress = std::move(progress);
  return reduced_polynomials(
      model.mesh(),
      {{U.data(), static_cast<std::size_t>(U.size())}, static_cast<std::uint32_t>(U.cols())},
      settings);
}

void compare_polynomial(const VegaModelFiles& files, const ReducedPolynomials& computed,
                        ConversionNotes& notes) {
  if (files.polynomial.empty()) return;
  const CubicPolynomial read = read_cub(files.polynomial);
  if (read.energy.dimension != computed.dimension) {
    throw InputError(files.polynomial.string(), "r", fmt::format("found {}", read.energy.dimension),
                     fmt::format("{}, as {}", computed.dimension, files.basis.string()));
  }
  const double difference = largest_difference(read.energy, computed);
  if (!(difference <= kPolynomial)) {
    throw InputError(
        files.polynomial.string(), "",
        fmt::format("the polynomial differs from that of mesh, material and basis by "
                    "{:.3g} of its largest coefficient",
                    difference),
        fmt::format("at most {:g}; the files must belong to the same model", kPolynomial));
  }
  notes.push_back(fmt::format(
      "the polynomial of {} agrees with mesh, material and basis: {:.2g}, asymmetry {:.2g}",
      files.polynomial.filename().string(), difference, read.asymmetry));
}

/// The surface and its interpolation weights.
std::vector<float> make_surface(const VegaModelFiles& files, const SolidBody& solid,
                                const RowMajor& U, TriangleMesh& surface, ConversionNotes& notes) {
  const std::span<const double> basis(U.data(), static_cast<std::size_t>(U.size()));
  const auto r = static_cast<std::size_t>(U.cols());
  if (files.surface.empty()) {
    surface = boundary_of(solid, files.mesh.string());
    clean_mesh(surface);
  } else {
    surface = read_obj_in_order(files.surface);
  }
  if (!files.interpolation.empty()) {
    const Interpolation weights = read_interpolation(files.interpolation, solid.vertex_count());
    if (weights.point_count() != surface.vertices.size()) {
      throw InputError(
          files.interpolation.string(), "", fmt::format("found {} points", weights.point_count()),
          fmt::format("{}, the vertices of {}", surface.vertices.size(), files.surface.string()));
    }
    return interpolated_basis(weights, basis, r);
  }
  const std::vector<EmbeddedPoint> points = embed_points(solid, surface.vertices);
  const auto outside =
      std::count_if(points.begin(), points.end(), [](const EmbeddedPoint& p) { return !p.inside; });
  if (outside > 0) {
    notes.push_back(
        fmt::format("{} of {} surface vertices lie outside the mesh and follow its "
                    "nearest element",
                    outside, points.size()));
  }
  std::vector<float> result(3 * surface.vertices.size() * r);
  embed_basis(points, basis, r, std::span<float>(result));
  return result;
}

/// Input of the writer of baked models, with the materials of the file as groups.
Recipe recipe_of(const VegaModelFiles& files, const FileMaterials& materials) {
  Recipe recipe;
  recipe.file = files.mesh;
  recipe.editable = false;
  recipe.reduction.emplace();
  recipe.reduction->free = files.fixed.empty();
  recipe.groups = groups_of(materials);
  recipe.material = recipe.groups[0].isotropic.value_or(Material{});
  recipe.material.density = recipe.groups[0].material.density();
  return recipe;
}

/// Eigenvalues of K(0) in the basis, ascending: the squared frequencies that it can show.
std::vector<double> reduced_eigenvalues(const ReducedPolynomials& energy) {
  const auto r = static_cast<Eigen::Index>(energy.dimension);
  Eigen::MatrixXd K(r, r);
  std::size_t at = 0;
  for (Eigen::Index i = 0; i < r; ++i) {
    for (Eigen::Index j = i; j < r; ++j) K(i, j) = K(j, i) = energy.quadratic[at++];
  }
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues();
  return {values.data(), values.data() + values.size()};
}

}  // namespace

ConversionNotes import_vega(const VegaModelFiles& files, const std::filesystem::path& output,
                            std::array<double, 2> damping_ratios, const Progress& progress) {
  if (!files.interpolation.empty() && files.surface.empty()) {
    throw InputError("--interp", "", "no surface", "--surface, whose vertices it refers to");
  }
  if (files.basis.empty()) {
    throw InputError("--basis", "", "missing",
                     "a .U file (to make a basis, bake with [mesh] file = \"...veg\")");
  }
  ConversionNotes notes;
  VolumeFile file = read_volume_file(files.mesh);
  if (!file.materials) {
    throw InputError(files.mesh.string(), "", "found a mesh without materials", "VegaFEM's .veg");
  }
  ElasticBody body;
  body.solid = std::move(file.body);
  body.groups = file.materials->of_element;
  if (!files.fixed.empty()) body.fixed = read_bou(files.fixed, body.solid.vertex_count());
  const Recipe recipe = recipe_of(files, *file.materials);
  const StvkModel model(solid_mesh_of(recipe, body.solid, body.groups), body.fixed);

  const RowMajor given = read_fitting_basis(files, model);
  const RowMajor U = orthonormalised(given, model, files.basis.string(), notes);
  body.dimension = static_cast<std::uint32_t>(U.cols());
  body.basis.assign(U.data(), U.data() + U.size());
  body.polynomials.whole = polynomials_of(model, given, part_of(progress, kRead, kPolynomials));
  compare_polynomial(files, body.polynomials.whole, notes);
  if (U != given) {
    body.polynomials.whole =
        polynomials_of(model, U, part_of(progress, kPolynomials, kSecondPolynomials));
  }
  body.eigenvalues = reduced_eigenvalues(body.polynomials.whole);
  if (!(body.eigenvalues.front() > 0.0)) {
    throw InputError(files.basis.string(), "",
                     fmt::format("found a reduced stiffness with eigenvalue {:.3g} s^-2",
                                 body.eigenvalues.front()),
                     "no rigid motion in the basis");
  }
  body.damping = rayleigh_from_damping_ratios(
      Eigen::Map<const Eigen::VectorXd>(body.eigenvalues.data(),
                                        static_cast<Eigen::Index>(body.eigenvalues.size())),
      damping_ratios[0], damping_ratios[1]);
  TriangleMesh surface;
  body.surface_basis = make_surface(files, body.solid, U, surface, notes);

  if (progress) progress(kSurface);
  ModelWriter writer(output);
  write_surface_sections(writer, surface);
  write_mesh_sections(writer, recipe, body);
  write_elastic_sections(writer, recipe, body);
  write_rigid_sections(writer, rigid_properties_of_groups(recipe, body.solid, body.groups));
  writer.set_attribute("/provenance", "source_mesh", files.mesh.filename().string());
  writer.commit();
  notes.insert(notes.begin(),
               fmt::format("{} vertices, {} elements, {} fixed, r = {}, {} materials",
                           body.solid.vertex_count(), body.solid.element_count(), body.fixed.size(),
                           body.dimension, recipe.groups.size()));
  return notes;
}

}  // namespace haptic

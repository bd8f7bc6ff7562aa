#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "host/bake/volume_file.h"
#include "host/convert/vega_model.h"
#include "host/formats/basis_file.h"
#include "host/formats/cubic_file.h"
#include "host/formats/interpolation_file.h"
#include "host/formats/mesh_file.h"
#include "host/formats/vega_mesh.h"
#include "host/formats/vertex_list.h"
#include "host/reduction/reduced_polynomials.h"
#include "host/unreduced/baked_body.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Orthotropic in model axes, or refused.
Orthotropy orthotropy_of(const ElasticityMatrix& C, const std::string& file, std::size_t group) {
  ElasticityMatrix rest = C;
  rest.topLeftCorner<3, 3>().setZero();
  rest.diagonal().setZero();
  constexpr double kRounding = 1e-12;
  if (rest.cwiseAbs().maxCoeff() > kRounding * C.cwiseAbs().maxCoeff()) {
    throw InputError(
        file, "/material/elasticity",
        fmt::format("group {} couples shear with other strains", group),
        "a material that is orthotropic in model axes; .veg can express no other anisotropy");
  }
  const Eigen::Matrix3d S = C.topLeftCorner<3, 3>().inverse();
  Orthotropy o;
  o.e1 = 1.0 / S(0, 0), o.e2 = 1.0 / S(1, 1), o.e3 = 1.0 / S(2, 2);
  o.nu12 = -S(0, 1) * o.e1, o.nu23 = -S(1, 2) * o.e2, o.nu31 = -S(0, 2) * o.e3;
  o.g12 = C(3, 3), o.g31 = C(4, 4), o.g23 = C(5, 5);
  return o;
}

std::string group_name(const ModelFile& model, std::size_t group) {
  if (!model.has("/material/names")) return fmt::format("material{}", group);
  const Section& names = model.section("/material/names");
  const std::size_t width = names.shape[1];
  const auto bytes = model.bytes("/material/names").subspan(group * width, width);
  std::string name;
  for (const std::uint8_t c : bytes) {
    if (c == 0) break;
    // Names in a .veg end at commas and lose their blanks.
    name += c == ' ' || c == ',' || c == '\t' ? '_' : static_cast<char>(c);
  }
  return name;
}

VegaMesh vega_mesh_of(const ModelFile& model) {
  VegaMesh mesh;
  const bool cubes = model.has("/mesh/elements");
  const auto vertices = model.doubles("/mesh/vertices");
  const auto elements = model.indices(cubes ? "/mesh/elements" : "/mesh/tetrahedra");
  mesh.vertices.assign(vertices.begin(), vertices.end());
  mesh.corners_per_element = cubes ? 8 : 4;
  mesh.elements.assign(elements.begin(), elements.end());
  const MaterialGroups groups = read_baked_materials(model);
  for (std::size_t g = 0; g < groups.materials.size(); ++g) {
    const SolidMaterial& own = groups.materials[g];
    VegaMaterial material;
    material.name = group_name(model, g);
    material.density = own.density();
    if (own.is_isotropic()) {
      const auto [lambda, mu] = own.lame();
      material.youngs_modulus = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
      material.poisson_ratio = 0.5 * lambda / (lambda + mu);
    } else {
      material.orthotropy = orthotropy_of(own.elasticity(), model.path().string(), g);
    }
    mesh.materials.push_back(std::move(material));
  }
  mesh.element_material = groups.of_element;
  if (mesh.element_material.empty()) mesh.element_material.assign(mesh.element_count(), 0);
  return mesh;
}

/// The surface's weights in the elements that hold its vertices.
Interpolation interpolation_of(const SolidBody& solid, const std::vector<Vector3>& points) {
  Interpolation result;
  result.corners = solid.corners();
  for (const EmbeddedPoint& point : embed_points(solid, points)) {
    for (std::size_t c = 0; c < result.corners; ++c) {
      result.vertices.push_back(point.vertices[c]);
      result.weights.push_back(point.weights[c]);
    }
  }
  return result;
}

}  // namespace

ConversionNotes export_vega(const ModelFile& model, const std::filesystem::path& folder,
                            const std::string& name, const Progress& progress) {
  if (model.reduced_dimension() == 0) {
    throw InputError(model.path().string(), "/reduced/basis", "missing",
                     "the model of a deformable body");
  }
  const VegaMesh mesh = vega_mesh_of(model);  // refuses before anything is written
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(folder.string(), "", "cannot be made", "a folder that can be written");
  }
  // Of the six files the basis and the weights of the surface are the longest.
  const auto done = [&](double fraction) {
    if (progress) progress(fraction);
  };
  const auto file = [&](const char* ending) { return folder / (name + ending); };
  ConversionNotes notes;
  if (!read_baked_cells(model).plain()) {
    notes.push_back(
        "the .veg holds whole cubes whose strain is that of each point, and the .cub is that of "
        "this "
        "body: it is larger, heavier and stiffer than the model");
  }
  write_veg(file(".veg"), mesh);
  std::span<const std::uint32_t> fixed;
  if (model.has("/mesh/fixed")) fixed = model.indices("/mesh/fixed");
  write_bou(file(".bou"), fixed);
  done(0.1);
  const auto basis = model.doubles("/reduced/basis");
  const std::uint32_t r = model.reduced_dimension();
  write_basis(file(".U"), basis.size() / r, r, basis);
  done(0.4);
  const auto values = [&](const char* section) {
    const auto v = model.doubles(section);
    return std::vector<double>(v.begin(), v.end());
  };
  if (read_baked_cells(model).plain()) {
    write_cub(file(".cub"), {r, values("/reduced/quadratic"), values("/reduced/cubic"),
                             values("/reduced/quartic")});
  } else {
    const SolidMesh written(mesh.vertices, mesh.elements, read_baked_materials(model), {});
    const ReducedPolynomials energy = reduced_polynomials(written, {basis, r});
    write_cub(file(".cub"), {r, energy.quadratic, energy.cubic, energy.quartic});
  }
  done(0.5);
  notes.push_back(fmt::format("{} vertices, {} elements, {} fixed, r = {}, {} materials",
                              mesh.vertex_count(), mesh.element_count(), fixed.size(), r,
                              mesh.materials.size()));
  if (!model.has("/surface/vertices")) return notes;

  TriangleMesh surface;
  const auto points = model.doubles("/surface/vertices");
  const auto triangles = model.indices("/surface/triangles");
  for (std::size_t i = 0; i < points.size(); i += 3) surface.vertices.emplace_back(&points[i]);
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    surface.triangles.push_back({triangles[i], triangles[i + 1], triangles[i + 2]});
  }
  write_obj(file(".obj"), surface);
  done(0.6);
  // The mesh as it was written is the mesh that the weights belong to.
  const SolidBody solid = read_volume_file(file(".veg")).body;
  write_interpolation(file(".interp"), interpolation_of(solid, surface.vertices));
  done(1.0);
  return notes;
}

}  // namespace haptic

#include "host/bake/cloth_body.h"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <span>

#include "host/bake/cloth_source.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

template <typename T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

/// The numbers of arrays of N, one after the other.
template <typename T, std::size_t N>
std::vector<T> joined(const std::vector<std::array<T, N>>& rows) {
  std::vector<T> values;
  values.reserve(N * rows.size());
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

Vector3 centre_of_mass(const ClothBody& body) {
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  for (std::size_t i = 0; i < body.masses.size(); ++i) {
    sum += body.masses[i] * Vector3(body.mesh.vertices[i].data());
    mass += body.masses[i];
  }
  return sum / mass;
}

void move_to_origin(SourceOrigin origin, const TriangleMesh& surface, ClothBody& body) {
  if (origin == SourceOrigin::kFile || origin == SourceOrigin::kPoint) return;  // it is there
  const Vector3 centre =
      origin == SourceOrigin::kCentre ? bounding_box(surface).centre() : centre_of_mass(body);
  for (auto& vertex : body.mesh.vertices) {
    for (std::size_t c = 0; c < 3; ++c) vertex[c] -= centre[static_cast<int>(c)];
  }
}

void load(const Recipe& recipe, ClothBody& body) {
  body.mesh = load_cloth_mesh(recipe);
  const std::vector<double> areas = particle_areas(body.mesh);
  body.area = std::accumulate(areas.begin(), areas.end(), 0.0);
  const double total =
      recipe.cloth->mass ? *recipe.cloth->mass : recipe.cloth->areal_density * body.area;
  body.masses = particle_masses(body.mesh, recipe.cloth->topology, total, areas);
  const TriangleMesh surface = triangles_of(body.mesh);
  body.report = inspect_mesh(surface).summary();
  move_to_origin(recipe.frame.origin, surface, body);
}

Springs springs_of(const ClothRecipe& cloth, const ClothMesh& mesh) {
  return cloth.topology == SpringTopology::kFabric
             ? make_fabric_springs(mesh, cloth.fabric)
             : make_springs(mesh, cloth.topology, cloth.materials);
}

std::string counts_of(const Springs& springs) {
  constexpr const char* kNames[kSpringKinds] = {"structural", "shear", "bend", "sequential",
                                                "interlaced"};
  std::string line = fmt::format("{} springs", springs.size());
  for (std::size_t kind = 0; kind < kSpringKinds; ++kind) {
    const std::size_t count = springs.count(static_cast<SpringKind>(kind));
    if (count > 0) line += fmt::format(", {} {}", count, kNames[kind]);
  }
  return line;
}

void write_springs(ModelWriter& writer, const Springs& springs) {
  const std::uint64_t count = springs.size();
  std::vector<std::uint32_t> particles;
  std::vector<std::uint8_t> kind;
  particles.reserve(2 * count);
  kind.reserve(count);
  for (std::size_t s = 0; s < count; ++s) {
    particles.push_back(springs.first[s]);
    particles.push_back(springs.second[s]);
    kind.push_back(static_cast<std::uint8_t>(springs.kind[s]));
  }
  writer.add("/cloth/springs/particles", all_of(particles), {count, 2});
  writer.add("/cloth/springs/kind", all_of(kind), {count});
  writer.add("/cloth/springs/rest", all_of(springs.rest), {count});
  writer.add("/cloth/springs/stiffness", all_of(springs.stiffness), {count});
  writer.add("/cloth/springs/damping", all_of(springs.damping), {count});
  writer.add("/cloth/springs/bending", all_of(springs.bending), {count});
}

}  // namespace

std::vector<double> particle_masses(const ClothMesh& mesh, SpringTopology topology, double total,
                                    const std::vector<double>& areas) {
  if (mesh.grid && topology == SpringTopology::kFabric) return cell_masses(*mesh.grid, total);
  if (mesh.grid) return uniform_masses(total, areas.size());
  const double area = std::accumulate(areas.begin(), areas.end(), 0.0);
  std::vector<double> masses;
  masses.reserve(areas.size());
  for (const double own : areas) masses.push_back(total * (own / area));
  return masses;
}

ClothBody make_cloth_body(const Recipe& recipe, const Stages& stages) {
  ClothBody body;
  stages.run("mesh", [&] {
    load(recipe, body);
    stages.progress().note(body.report);
  });
  stages.run("springs", [&] {
    body.springs = springs_of(*recipe.cloth, body.mesh);
    stages.progress().note(counts_of(body.springs));
  });
  return body;
}

void write_cloth_sections(ModelWriter& writer, const ClothRecipe& recipe, const ClothBody& body) {
  const ClothMesh& mesh = body.mesh;
  writer.add("/surface/vertices", all_of(joined(mesh.vertices)), {mesh.vertices.size(), 3});
  writer.add("/surface/triangles", all_of(joined(mesh.triangles)), {mesh.triangles.size(), 3});
  writer.add("/cloth/masses", all_of(body.masses), {body.masses.size()});
  writer.add("/cloth/quads", all_of(joined(mesh.quads)), {mesh.quads.size(), 4});
  if (mesh.grid) {
    const std::vector<std::uint32_t> sides = {mesh.grid->nx, mesh.grid->ny};
    writer.add("/cloth/grid", all_of(sides), {2});
  }
  write_springs(writer, body.springs);
  const double mass = std::accumulate(body.masses.begin(), body.masses.end(), 0.0);
  writer.set_attribute("/cloth", "areal_density_kg_m2",
                       recipe.mass ? mass / body.area : recipe.areal_density);
  writer.set_attribute("/cloth", "springs", std::string(name_of(recipe.topology)));
}

}  // namespace haptic

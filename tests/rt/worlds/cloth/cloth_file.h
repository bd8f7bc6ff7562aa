#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "host/artifact/model_writer.h"
#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"

namespace haptic::cloth {

/// Writes a cloth with three kinds of springs to a model file: structural of `stiffness` [N/m],
/// shear of half of it, bend of a twentieth, each with `damping` [kg/s].
/// @param masses  of the particles [kg]
inline void write_cloth(const std::filesystem::path& path, const ClothMesh& mesh,
                        const std::vector<double>& masses, double stiffness, double damping) {
  SpringMaterials materials;
  materials[0] = {stiffness, damping, 0.0};
  materials[1] = {0.5 * stiffness, damping, 0.0};
  materials[2] = {0.05 * stiffness, damping, 0.0};
  const Springs springs = make_springs(mesh, SpringTopology::kThreeKinds, materials);
  std::vector<double> vertices;
  std::vector<std::uint32_t> triangles, quads, ends;
  std::vector<std::uint8_t> kind;
  for (const auto& p : mesh.vertices) vertices.insert(vertices.end(), p.begin(), p.end());
  for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  for (const auto& q : mesh.quads) quads.insert(quads.end(), q.begin(), q.end());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    ends.insert(ends.end(), {springs.first[s], springs.second[s]});
    kind.push_back(static_cast<std::uint8_t>(springs.kind[s]));
  }
  const std::size_t particles = mesh.vertices.size();
  ModelWriter writer(path);
  writer.add("/surface/vertices", vertices, {particles, 3});
  writer.add("/surface/triangles", triangles, {mesh.triangles.size(), 3});
  writer.add("/cloth/masses", masses, {particles});
  writer.add("/cloth/quads", quads, {mesh.quads.size(), 4});
  if (mesh.grid) {
    writer.add("/cloth/grid", std::vector<std::uint32_t>{mesh.grid->nx, mesh.grid->ny}, {2});
  }
  writer.add("/cloth/springs/particles", ends, {springs.size(), 2});
  writer.add("/cloth/springs/kind", kind, {springs.size()});
  writer.add("/cloth/springs/rest", springs.rest, {springs.size()});
  writer.add("/cloth/springs/stiffness", springs.stiffness, {springs.size()});
  writer.add("/cloth/springs/damping", springs.damping, {springs.size()});
  writer.add("/cloth/springs/bending", springs.bending, {springs.size()});
  writer.commit();
}

}  // namespace haptic::cloth

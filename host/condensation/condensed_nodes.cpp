#include "host/condensation/condensed_nodes.h"

#include <algorithm>
#include <array>

#include "shared/assert.h"

namespace haptic {
namespace {

/// Corners of the faces of an element, VTK order; a triangle has no fourth.
using FaceCorners = std::array<std::uint8_t, 4>;
constexpr std::uint8_t kNoCorner = 8;
constexpr std::array<FaceCorners, 6> kHexahedronFaces = {
    {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
constexpr std::array<FaceCorners, 4> kTetrahedronFaces = {
    {{0, 1, 2, kNoCorner}, {0, 1, 3, kNoCorner}, {0, 2, 3, kNoCorner}, {1, 2, 3, kNoCorner}}};

struct Face {
  std::array<std::uint32_t, 4> vertices;  ///< ascending
  int element;
};

std::vector<Face> sorted_faces(const SolidMesh& mesh) {
  const std::span<const FaceCorners> faces = mesh.kind() == ElementKind::kHexahedron
                                                 ? std::span<const FaceCorners>(kHexahedronFaces)
                                                 : std::span<const FaceCorners>(kTetrahedronFaces);
  std::vector<Face> all;
  all.reserve(faces.size() * static_cast<std::size_t>(mesh.element_count()));
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto ids = mesh.element(e);
    for (const FaceCorners& corners : faces) {
      Face face{{}, e};
      std::ranges::transform(corners, face.vertices.begin(), [&](std::uint8_t c) {
        return c == kNoCorner ? ~std::uint32_t{0} : ids[c];
      });
      std::ranges::sort(face.vertices);
      all.push_back(face);
    }
  }
  std::ranges::sort(all, {}, &Face::vertices);
  return all;
}

}  // namespace

std::vector<std::uint32_t> condensed_nodes(const StvkModel& model,
                                           std::span<const std::uint32_t> surface_elements) {
  const SolidMesh& mesh = model.mesh();
  std::vector<bool> boundary(static_cast<std::size_t>(mesh.element_count()), false);
  for (const std::uint32_t e : surface_elements) boundary.at(e) = true;
  const std::vector<Face> faces = sorted_faces(mesh);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool shared = (i > 0 && faces[i - 1].vertices == faces[i].vertices) ||
                        (i + 1 < faces.size() && faces[i + 1].vertices == faces[i].vertices);
    if (!shared) boundary[static_cast<std::size_t>(faces[i].element)] = true;
  }
  std::vector<std::uint32_t> nodes;
  for (int e = 0; e < mesh.element_count(); ++e) {
    if (!boundary[static_cast<std::size_t>(e)]) continue;
    for (const std::uint32_t v : mesh.element(e)) {
      if (model.free_index(static_cast<int>(v)) >= 0) nodes.push_back(v);
    }
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<int> free_dofs_of(const StvkModel& model, std::span<const std::uint32_t> nodes) {
  std::vector<int> dofs;
  dofs.reserve(3 * nodes.size());
  for (const std::uint32_t node : nodes) {
    const int free = model.free_index(static_cast<int>(node));
    HAPTIC_DEMAND(free >= 0);
    for (int axis = 0; axis < 3; ++axis) dofs.push_back(3 * free + axis);
  }
  return dofs;
}

}  // namespace haptic

#include "host/mesh/triangle_mesh.h"

namespace haptic {

BoundingBox bounding_box(const TriangleMesh& mesh) {
  BoundingBox box;
  if (mesh.vertices.empty()) return box;
  box.lower = box.upper = mesh.vertices.front();
  for (const Vector3& v : mesh.vertices) box.include(v);
  return box;
}

double surface_area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3& a = mesh.vertices[i];
    sum += 0.5 * (mesh.vertices[j] - a).cross(mesh.vertices[k] - a).norm();
  }
  return sum;
}

double signed_volume(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return 0.0;
  // From a point of the surface, so that a mesh far from the origin loses no digits.
  const Vector3 apex = mesh.vertices.front();
  double sum = 0.0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3 a = mesh.vertices[i] - apex;
    sum += a.dot((mesh.vertices[j] - apex).cross(mesh.vertices[k] - apex));
  }
  return sum / 6.0;
}

TriangleMesh scaled(TriangleMesh mesh, double factor) {
  for (Vector3& v : mesh.vertices) v *= factor;
  return mesh;
}

TriangleMesh placed(TriangleMesh mesh, const Placement& placement) {
  for (Vector3& v : mesh.vertices) v = placement(v);
  return mesh;
}

TriangleMesh translated(TriangleMesh mesh, const Vector3& offset) {
  for (Vector3& v : mesh.vertices) v += offset;
  return mesh;
}

TriangleMesh merged(TriangleMesh mesh, const TriangleMesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& [i, j, k] : other.triangles) {
    mesh.triangles.push_back({first + i, first + j, first + k});
  }
  return mesh;
}

}  // namespace haptic

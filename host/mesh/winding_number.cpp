#include "host/mesh/winding_number.h"

#include <numbers>

#include "shared/math/solid_angle.h"

namespace haptic {
namespace {

double half_angle(const TriangleMesh& mesh, const std::array<std::uint32_t, 3>& t,
                  const Vector3& p) {
  return half_solid_angle(mesh.vertices[t[0]] - p, mesh.vertices[t[1]] - p,
                          mesh.vertices[t[2]] - p);
}

}  // namespace

double winding_number(const TriangleMesh& mesh, const Vector3& p) {
  double sum = 0.0;
  for (const auto& triangle : mesh.triangles) sum += half_angle(mesh, triangle, p);
  return sum / (2.0 * std::numbers::pi);
}

double winding_number(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                      const Vector3& p) {
  double sum = 0.0;
  for (const std::uint32_t t : triangles) sum += half_angle(mesh, mesh.triangles[t], p);
  return sum / (2.0 * std::numbers::pi);
}

}  // namespace haptic

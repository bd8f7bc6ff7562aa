#include "host/mesh/winding_number.h"

#include <cmath>
#include <numbers>

namespace haptic {
namespace {

/// Half of what a triangle covers, positive if its corners run counter-clockwise seen from p.
double half_angle(const TriangleMesh& mesh, const std::array<std::uint32_t, 3>& t,
                  const Vector3& p) {
  const Vector3 a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p,
                c = mesh.vertices[t[2]] - p;
  const double na = a.norm(), nb = b.norm(), nc = c.norm();
  return std::atan2(a.dot(b.cross(c)),
                    na * nb * nc + a.dot(b) * nc + b.dot(c) * na + c.dot(a) * nb);
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

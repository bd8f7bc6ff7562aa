#include "host/mesh/rigid_body.h"

#include <fmt/format.h>

#include "shared/error.h"

namespace haptic {
namespace {

void check_density(double density) {
  if (!(density > 0.0 && density < 1e9)) {
    throw InputError("", "material.density", fmt::format("found {}", density),
                     "a density > 0 [kg/m^3]");
  }
}

/// Inertia tensor from the second moments C = integral of rho x x^T.
Matrix3 inertia_from_moments(const Matrix3& c) {
  return c.trace() * Matrix3::Identity() - c;
}

}  // namespace

RigidProperties rigid_properties(const TriangleMesh& surface, double density) {
  check_density(density);
  if (surface.triangles.empty()) throw InputError("", "", "a surface without triangles");

  // Each triangle and the apex span a tetrahedron with signed volume det/6, centroid s/4
  // (s = a + b + c) and second moments det/120 (s s^T + a a^T + b b^T + c c^T) about the apex.
  const Vector3 apex = bounding_box(surface).centre();
  double volume = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const auto& [i, j, k] : surface.triangles) {
    const Vector3 a = surface.vertices[i] - apex;
    const Vector3 b = surface.vertices[j] - apex;
    const Vector3 c = surface.vertices[k] - apex;
    const double det = a.dot(b.cross(c));
    const Vector3 s = a + b + c;
    volume += det / 6.0;
    first += det / 24.0 * s;
    second += det / 120.0 *
              (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!(volume > 0.0)) {
    throw InputError("", "", fmt::format("enclosed volume {:.3g} m^3", volume),
                     "a closed surface with outward triangles");
  }
  const Vector3 centre = first / volume;
  RigidProperties body;
  body.mass = density * volume;
  body.centre = apex + centre;
  body.inertia = density * inertia_from_moments(second - volume * centre * centre.transpose());
  return body;
}

RigidProperties rigid_properties(const VoxelMesh& voxels, double density) {
  check_density(density);
  RigidProperties body;
  const double h = voxels.edge;
  const double cube_mass = density * h * h * h;
  const auto count = static_cast<std::uint32_t>(voxels.elements.size());
  Vector3 sum = Vector3::Zero();
  const auto cube_centre = [&](std::uint32_t e) -> Vector3 {
    return voxels.lower_corner(e) + Vector3::Constant(0.5 * h);
  };
  for (std::uint32_t e = 0; e < count; ++e) sum += cube_centre(e);
  body.mass = cube_mass * count;
  body.centre = sum / count;
  Matrix3 moments = body.mass * h * h / 12.0 * Matrix3::Identity();
  for (std::uint32_t e = 0; e < count; ++e) {
    const Vector3 d = cube_centre(e) - body.centre;
    moments += cube_mass * d * d.transpose();
  }
  body.inertia = inertia_from_moments(moments);
  return body;
}

}  // namespace haptic

#include "host/mesh/rigid_body.h"

#include <fmt/format.h>

#include <array>

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

/// Integrals over tetrahedra that have one corner at an apex: of signed volume det/6, centroid s/4
/// (s = a + b + c) and second moments det/120 (s s^T + a a^T + b b^T + c c^T) about the apex.
struct MomentSum {
  double volume = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();

  /// @param a, b, c from the apex
  void add(const Vector3& a, const Vector3& b, const Vector3& c) {
    const double det = a.dot(b.cross(c));
    const Vector3 s = a + b + c;
    volume += det / 6.0;
    first += det / 24.0 * s;
    second += det / 120.0 *
              (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  RigidProperties body(const Vector3& apex, double density) const {
    const Vector3 centre = first / volume;
    return {density * volume, apex + centre,
            density * inertia_from_moments(second - volume * centre * centre.transpose())};
  }
};

}  // namespace

RigidProperties rigid_properties(const TriangleMesh& surface, double density) {
  check_density(density);
  if (surface.triangles.empty()) throw InputError("", "", "a surface without triangles");
  const Vector3 apex = bounding_box(surface).centre();
  MomentSum sum;
  for (const auto& [i, j, k] : surface.triangles) {
    sum.add(surface.vertices[i] - apex, surface.vertices[j] - apex, surface.vertices[k] - apex);
  }
  if (!(sum.volume > 0.0)) {
    throw InputError("", "", fmt::format("enclosed volume {:.3g} m^3", sum.volume),
                     "a closed surface with outward triangles");
  }
  return sum.body(apex, density);
}

RigidProperties rigid_properties(const TetrahedralMesh& mesh, double density) {
  check_density(density);
  const Vector3 apex = mesh.vertices.front();
  MomentSum sum;
  for (const auto& tetrahedron : mesh.tetrahedra) {
    std::array<Vector3, 4> at;
    for (std::size_t c = 0; c < 4; ++c) at[c] = mesh.vertices[tetrahedron[c]] - apex;
    // Its four outward faces, each with the apex.
    sum.add(at[0], at[2], at[1]);
    sum.add(at[0], at[1], at[3]);
    sum.add(at[1], at[2], at[3]);
    sum.add(at[0], at[3], at[2]);
  }
  return sum.body(apex, density);
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

#include "host/view/deformed_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr float kCreaseCosine = 0.766F;  // 40 degrees

using Points = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

Points deformed_vertices(const ModelFile& model, const FrameBody& body) {
  const std::span<const double> rest = model.doubles("/surface/vertices");
  const Eigen::Index v = static_cast<Eigen::Index>(rest.size() / 3);
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> x =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(rest.data(), v,
                                                                                  3);

  const Eigen::Index r = static_cast<Eigen::Index>(body.coordinates.size());
  if (r > 0) {
    const std::span<const float> basis = model.floats("/surface/basis");
    if (basis.size() != static_cast<std::size_t>(3 * v * r)) {
      throw InputError(model.path().string(), "/surface/basis",
                       fmt::format("found {} values", basis.size()),
                       fmt::format("{} for {} vertices and {} coordinates", 3 * v * r, v, r));
    }
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMajor> U(basis.data(), 3 * v, r);
    const Eigen::VectorXf q =
        Eigen::Map<const Eigen::VectorXd>(body.coordinates.data(), r).cast<float>();
    const Eigen::VectorXf u = U * q;
    x += Eigen::Map<const Points>(u.data(), v, 3).cast<double>();
  }
  const Eigen::Matrix3d rotation = body.pose.orientation.toRotationMatrix();
  return ((x * rotation.transpose()).rowwise() + body.pose.position.transpose()).cast<float>();
}

}  // namespace

DisplaySurface deformed_surface(const ModelFile& model, const FrameBody& body) {
  const Points x = deformed_vertices(model, body);
  const std::span<const std::uint32_t> triangles = model.indices("/surface/triangles");
  const std::size_t triangle_count = triangles.size() / 3;

  std::vector<Eigen::Vector3f> face_normals(triangle_count);  // length = twice the area
  std::vector<std::vector<std::uint32_t>> faces_of(static_cast<std::size_t>(x.rows()));
  for (std::size_t t = 0; t < triangle_count; ++t) {
    const auto corner = [&](std::size_t k) -> Eigen::Vector3f {
      return x.row(triangles[3 * t + k]);
    };
    face_normals[t] = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    for (std::size_t k = 0; k < 3; ++k) {
      faces_of[triangles[3 * t + k]].push_back(static_cast<std::uint32_t>(t));
    }
  }

  DisplaySurface surface;
  const auto corners = static_cast<Eigen::Index>(triangles.size());
  surface.positions.resize(corners, 3);
  surface.normals.resize(corners, 3);
  surface.indices.resize(triangles.size());
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    const Eigen::Vector3f own = face_normals[c / 3].normalized();
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t face : faces_of[triangles[c]]) {
      if (face_normals[face].normalized().dot(own) > kCreaseCosine) sum += face_normals[face];
    }
    surface.positions.row(static_cast<Eigen::Index>(c)) = x.row(triangles[c]);
    surface.normals.row(static_cast<Eigen::Index>(c)) = sum.normalized().transpose();
    surface.indices[c] = static_cast<std::uint32_t>(c);
  }
  return surface;
}

}  // namespace haptic

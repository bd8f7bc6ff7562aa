#include "host/view/deformed_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr float kCreaseCosine = 0.766F;  // 40 degrees

}  // namespace

SurfacePoints deformed_vertices(const ModelFile& model, const FrameBody& body) {
  const std::span<const double> rest = model.doubles("/surface/vertices");
  const Eigen::Index v = static_cast<Eigen::Index>(rest.size() / 3);
  if (!body.surface.empty()) {
    if (body.surface.size() != rest.size() / 3) {
      throw InputError(model.path().string(), "/surface/vertices",
                       fmt::format("found {}", rest.size() / 3),
                       fmt::format("the {} vertices of {}", body.surface.size(), body.name));
    }
    SurfacePoints now(v, 3);
    for (Eigen::Index i = 0; i < v; ++i) {
      now.row(i) = body.surface[static_cast<std::size_t>(i)].cast<float>().transpose();
    }
    return now;
  }
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> x =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(rest.data(), v,
                                                                                  3);

  const Eigen::Index r = static_cast<Eigen::Index>(body.coordinates.size());
  if (r > 0) {
    const std::span<const float> basis = model.floats("/surface/basis");
    const Eigen::Index columns = v > 0 ? static_cast<Eigen::Index>(basis.size()) / (3 * v) : 0;
    if (r > columns) {
      throw InputError(model.path().string(), "/surface/basis",
                       fmt::format("found {} columns", columns),
                       fmt::format("one for each of {} coordinates", r));
    }
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMajor> U(basis.data(), 3 * v, columns);
    const Eigen::VectorXf q =
        Eigen::Map<const Eigen::VectorXd>(body.coordinates.data(), r).cast<float>();
    const Eigen::VectorXf u = U.leftCols(r) * q;
    x += Eigen::Map<const SurfacePoints>(u.data(), v, 3).cast<double>();
  }
  const Eigen::Matrix3d rotation = body.pose.orientation.toRotationMatrix();
  return ((x * rotation.transpose()).rowwise() + body.pose.position.transpose()).cast<float>();
}

SurfacePoints corner_normals(const SurfacePoints& x, std::span<const std::uint32_t> triangles) {
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
  SurfacePoints normals(static_cast<Eigen::Index>(triangles.size()), 3);
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    const Eigen::Vector3f own = face_normals[c / 3].normalized();
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t face : faces_of[triangles[c]]) {
      if (face_normals[face].normalized().dot(own) > kCreaseCosine) sum += face_normals[face];
    }
    normals.row(static_cast<Eigen::Index>(c)) = sum.normalized().transpose();
  }
  return normals;
}

DisplaySurface deformed_surface(const ModelFile& model, const FrameBody& body) {
  const SurfacePoints x = deformed_vertices(model, body);
  const std::span<const std::uint32_t> triangles = model.indices("/surface/triangles");
  DisplaySurface surface;
  surface.normals = corner_normals(x, triangles);
  surface.positions.resize(static_cast<Eigen::Index>(triangles.size()), 3);
  surface.indices.resize(triangles.size());
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    surface.positions.row(static_cast<Eigen::Index>(c)) = x.row(triangles[c]);
    surface.indices[c] = static_cast<std::uint32_t>(c);
  }
  return surface;
}

}  // namespace haptic

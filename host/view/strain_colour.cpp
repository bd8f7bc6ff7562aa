#include "host/view/strain_colour.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "host/bake/solid_body.h"
#include "host/unreduced/baked_body.h"
#include "shared/error.h"

namespace haptic {

namespace {

SolidMesh mesh_of(const ModelFile& model) {
  if (!model.has("/reduced/basis") || !has_display_basis(model)) {
    throw InputError(model.path().string(), "/mesh", "missing", "the model of a deformable body");
  }
  return read_baked_mesh(model);
}

}  // namespace

SurfaceStrain::SurfaceStrain(const ModelFile& model, const DisplayBasis& basis,
                             SurfaceColour quantity)
    : dimension_(model.reduced_dimension()), quantity_(quantity), mesh_(mesh_of(model)) {
  basis_ = model.doubles("/reduced/basis");
  const auto X = model.doubles("/surface/vertices");
  std::vector<Vector3> points;
  for (const std::uint32_t v : basis.surface_vertex) points.emplace_back(&X[3 * std::size_t{v}]);
  points_ = embed_points(solid_of_model(model), points);
  if (mesh_.cells().plain() || quantity != SurfaceColour::kStress) return;
  for (const EmbeddedPoint& point : points_) {
    if (stresses_.contains(point.element)) continue;
    const int e = static_cast<int>(point.element);
    stresses_.try_emplace(point.element, mesh_.cell_rule(e), mesh_.material(e).elasticity());
  }
}

Eigen::Matrix3d SurfaceStrain::plain_tensor(const EmbeddedPoint& point,
                                            const CornerDisplacements& u) const {
  Eigen::Matrix3d G = Eigen::Matrix3d::Zero();
  for (int b = 0; b < u.cols(); ++b) {
    G += u.col(b) * point.gradients[static_cast<std::size_t>(b)].transpose();
  }
  const Eigen::Matrix3d strain = 0.5 * (G + G.transpose() + G.transpose() * G);
  if (quantity_ == SurfaceColour::kStrain) return strain;
  return mesh_.material(static_cast<int>(point.element)).visit([&](const auto& law) {
    return Eigen::Matrix3d(stress_of(law, strain));
  });
}

Eigen::Matrix3d SurfaceStrain::cell_tensor(const EmbeddedPoint& point,
                                           const CornerDisplacements& u) const {
  const int e = static_cast<int>(point.element);
  const CornerVectors box = mesh_.corners<8>(e);
  Vector3 at = Vector3::Constant(-0.5);
  for (int b = 0; b < 8; ++b) {
    at += point.weights[static_cast<std::size_t>(b)] * hexahedron_corner_offsets().col(b);
  }
  const auto sample = strain_sample(box.col(6) - box.col(0), at, mesh_.cells().sampling);
  const Eigen::Matrix3d strain = strain_at(sample, u);
  const auto& held = mesh_.cells().held;
  const double free = held.empty() ? 1.0 : 1.0 - held[point.element];
  if (quantity_ == SurfaceColour::kStrain) return strain / free;
  return stresses_.at(point.element)(mesh_.material(e).elasticity(), strain, u) / free;
}

std::vector<double> SurfaceStrain::largest_eigenvalues(std::span<const double> q) const {
  if (q.size() > dimension_) {
    throw InputError("view", "coordinates", fmt::format("found {}", q.size()),
                     fmt::format("at most {}", dimension_));
  }
  std::vector<double> u(basis_.size() / dimension_, 0.0);
  for (std::size_t row = 0; row < u.size(); ++row) {
    for (std::size_t j = 0; j < q.size(); ++j) u[row] += basis_[row * dimension_ + j] * q[j];
  }
  std::vector<double> values;
  values.reserve(points_.size());
  for (const EmbeddedPoint& point : points_) {
    CornerDisplacements corners;
    for (int b = 0; b < 8; ++b) {
      const std::size_t vertex = point.vertices[static_cast<std::size_t>(b)];
      corners.col(b) = Eigen::Map<const Vector3>(&u[3 * vertex]);
    }
    const Eigen::Matrix3d tensor =
        mesh_.cells().plain() ? plain_tensor(point, corners) : cell_tensor(point, corners);
    values.push_back(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly)
                         .eigenvalues()[2]);
  }
  return values;
}

std::vector<float> colours_of(std::span<const double> values, double top) {
  // Even steps of lightness, readable without colour vision.
  constexpr std::array<std::array<double, 3>, 5> kMap = {{{0.27, 0.00, 0.33},
                                                          {0.23, 0.32, 0.55},
                                                          {0.13, 0.57, 0.55},
                                                          {0.37, 0.79, 0.38},
                                                          {0.99, 0.91, 0.14}}};
  std::vector<float> colours;
  colours.reserve(3 * values.size());
  for (const double value : values) {
    const double at = 4.0 * std::clamp(value / top, 0.0, 1.0);
    const auto low = std::min<std::size_t>(3, static_cast<std::size_t>(at));
    const double fraction = at - static_cast<double>(low);
    for (std::size_t c = 0; c < 3; ++c) {
      colours.push_back(
          static_cast<float>((1.0 - fraction) * kMap[low][c] + fraction * kMap[low + 1][c]));
    }
  }
  return colours;
}

}  // namespace haptic

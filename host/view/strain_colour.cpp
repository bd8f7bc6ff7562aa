#include "host/view/strain_colour.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "shared/error.h"

namespace haptic {

SurfaceStrain::SurfaceStrain(const ModelFile& model, const DisplayBasis& basis,
                             SurfaceColour quantity)
    : dimension_(model.reduced_dimension()), quantity_(quantity) {
  if (!model.has("/reduced/basis") || !has_display_basis(model)) {
    throw InputError(model.path().string(), "/mesh", "missing", "the model of a deformable body");
  }
  basis_ = model.doubles("/reduced/basis");
  const auto X = model.doubles("/surface/vertices");
  std::vector<Vector3> points;
  for (const std::uint32_t v : basis.surface_vertex) points.emplace_back(&X[3 * std::size_t{v}]);
  points_ = embed_points(solid_of_model(model), points);
  if (quantity == SurfaceColour::kStress) materials_ = read_baked_materials(model);
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
    Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
    for (std::size_t b = 0; b < point.vertices.size(); ++b) {
      F += Eigen::Map<const Vector3>(&u[3 * std::size_t{point.vertices[b]}]) *
           point.gradients[b].transpose();
    }
    Eigen::Matrix3d tensor = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
    if (quantity_ == SurfaceColour::kStress) {
      const std::size_t group =
          materials_.of_element.empty() ? 0 : materials_.of_element[point.element];
      const Eigen::Matrix3d strain = tensor;
      tensor = materials_.materials[group].visit(
          [&](const auto& law) { return Eigen::Matrix3d(stress_of(law, strain)); });
    }
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

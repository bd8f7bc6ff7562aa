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

std::vector<double> largest_eigenvalues(const ModelFile& model, const DisplayBasis& basis,
                                        std::span<const double> q, SurfaceColour quantity) {
  if (!model.has("/reduced/basis") || !has_display_basis(model)) {
    throw InputError(model.path().string(), "/mesh", "missing", "the model of a deformable body");
  }
  const auto U = model.doubles("/reduced/basis");
  const std::size_t r = model.reduced_dimension();
  if (q.size() > r) {
    throw InputError("view", "coordinates", fmt::format("found {}", q.size()),
                     fmt::format("at most {}", r));
  }
  std::vector<double> u(U.size() / r, 0.0);
  for (std::size_t row = 0; row < u.size(); ++row) {
    for (std::size_t j = 0; j < q.size(); ++j) u[row] += U[row * r + j] * q[j];
  }
  const auto X = model.doubles("/surface/vertices");
  std::vector<Vector3> points;
  for (const std::uint32_t v : basis.surface_vertex) points.emplace_back(&X[3 * std::size_t{v}]);
  const MaterialGroups materials =
      quantity == SurfaceColour::kStress ? read_baked_materials(model) : MaterialGroups{};

  std::vector<double> values;
  for (const EmbeddedPoint& point : embed_points(solid_of_model(model), points)) {
    Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
    for (std::size_t b = 0; b < point.vertices.size(); ++b) {
      F += Eigen::Map<const Vector3>(&u[3 * std::size_t{point.vertices[b]}]) *
           point.gradients[b].transpose();
    }
    Eigen::Matrix3d tensor = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
    if (quantity == SurfaceColour::kStress) {
      const std::size_t group =
          materials.of_element.empty() ? 0 : materials.of_element[point.element];
      const Eigen::Matrix3d strain = tensor;
      tensor = materials.materials[group].visit(
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

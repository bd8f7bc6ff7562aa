#include "rt/dynamics/surface_vertices.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/artifact/model_file.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

SurfaceVertices::SurfaceVertices(std::uint32_t r, std::span<const double> rest,
                                 std::span<const float> basis, std::string_view source)
    : size_(static_cast<std::uint32_t>(rest.size() / 3)),
      dimension_(r),
      rest_(rest),
      basis_(basis) {
  if (rest.empty() || rest.size() % 3 != 0) {
    throw InputError(source, "/surface/vertices", fmt::format("found {} numbers", rest.size()),
                     "three for each vertex");
  }
  if (basis.size() != rest.size() * r) {
    throw InputError(source, "/surface/basis", fmt::format("found {} numbers", basis.size()),
                     fmt::format("{} for {} vertices and r = {}", rest.size() * r, size_, r));
  }
}

SurfaceVertices::SurfaceVertices(const ModelFile& model)
    : SurfaceVertices(
          model.reduced_dimension(), model.doubles("/surface/vertices"),
          model.reduced_dimension() > 0 ? model.floats("/surface/basis") : std::span<const float>(),
          model.path().string()) {}

Vector3 SurfaceVertices::position(std::uint32_t vertex,
                                  std::span<const double> q) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(vertex < size_ && q.size() <= dimension_);
  const double* const X = &rest_[3 * std::size_t{vertex}];
  double x = X[0], y = X[1], z = X[2];
  if (q.empty()) return {x, y, z};
  const float* const U = &basis_[3 * std::size_t{vertex} * dimension_];
  const float* const V = U + dimension_;
  const float* const W = V + dimension_;
  for (std::size_t j = 0; j < q.size(); ++j) {
    x = std::fma(static_cast<double>(U[j]), q[j], x);
    y = std::fma(static_cast<double>(V[j]), q[j], y);
    z = std::fma(static_cast<double>(W[j]), q[j], z);
  }
  return {x, y, z};
}

}  // namespace haptic

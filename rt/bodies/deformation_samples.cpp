#include "rt/bodies/deformation_samples.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

namespace haptic {
namespace {

constexpr std::size_t kMaxCorners = 8;

/// Gradients of the shape functions at an element's centre, a row per corner [1/m]. Corners of a
/// hexahedron in VTK order.
using ShapeGradients = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kMaxCorners, 3>;

ShapeGradients reference_gradients(std::size_t corners) {
  ShapeGradients gradients(corners, 3);
  if (corners == 4) {
    gradients << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  } else {
    gradients << -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1;
    gradients *= 0.125;
  }
  return gradients;
}

}  // namespace

double compression_of(const Matrix3& F) HAPTIC_REALTIME {
  Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
  eigen.computeDirect(F.transpose() * F, Eigen::EigenvaluesOnly);
  const double stretch = std::sqrt(std::max(0.0, eigen.eigenvalues()[0]));
  return F.determinant() < 0.0 ? 1.0 + stretch : 1.0 - stretch;
}

DeformationSamples::DeformationSamples(const ModelFile& model, std::uint32_t kept) : kept_(kept) {
  const bool cubes = model.has("/mesh/elements");
  const char* const section = cubes ? "/mesh/elements" : "/mesh/tetrahedra";
  if (!model.has(section) || !model.has("/reduced/basis")) return;
  const std::size_t corners = cubes ? kMaxCorners : 4;
  const std::span<const std::uint32_t> elements = model.indices(section);
  const std::span<const double> vertices = model.doubles("/mesh/vertices");
  const std::span<const double> basis = model.doubles("/reduced/basis");
  const std::size_t count = elements.size() / corners, r = model.reduced_dimension();
  const std::size_t samples = std::min(count, kMaxSamples);
  const ShapeGradients reference = reference_gradients(corners);
  compressions_.assign(samples, 0.0);
  gradients_.assign(kRow * kept_ * samples, 0.0F);
  for (std::size_t s = 0; s < samples; ++s) {
    const auto element = elements.subspan(corners * (s * count / samples), corners);
    Matrix3 jacobian = Matrix3::Zero();  // dx/d(reference)
    for (std::size_t a = 0; a < corners; ++a) {
      jacobian += Eigen::Map<const Vector3>(vertices.data() + 3 * element[a]) * reference.row(a);
    }
    const ShapeGradients gradients = reference * jacobian.inverse();
    float* const out = gradients_.data() + kRow * kept_ * s;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        for (std::size_t mode = 0; mode < kept_; ++mode) {
          double sum = 0.0;
          for (std::size_t a = 0; a < corners; ++a) {
            sum += basis[(3 * element[a] + row) * r + mode] * gradients(a, column);
          }
          out[kRow * mode + 3 * row + column] = static_cast<float>(sum);
        }
      }
    }
  }
}

void DeformationSamples::advance(std::span<const double> q) HAPTIC_REALTIME {
  const std::size_t evaluated = std::min(kSamplesPerCycle, size());
  bool falls = false;  // whether what was the largest is smaller now
  for (std::size_t i = 0; i < evaluated; ++i) {
    const float* row = gradients_.data() + kRow * kept_ * next_;
    std::array<double, kRow> sums{};
    for (std::size_t mode = 0; mode < kept_; ++mode, row += kRow) {
      for (std::size_t k = 0; k < kRow; ++k) sums[k] += double{row[k]} * q[mode];
    }
    const Matrix3 F = Matrix3::Identity() +
                      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(sums.data());
    const double compression = compression_of(F);
    falls = falls || (compressions_[next_] == largest_ && compression < largest_);
    largest_ = std::max(largest_, compression);
    compressions_[next_] = compression;
    next_ = next_ + 1 < size() ? next_ + 1 : 0;
  }
  if (!falls) return;
  largest_ = 0.0;
  for (const double compression : compressions_) largest_ = std::max(largest_, compression);
}

void DeformationSamples::reset() HAPTIC_REALTIME {
  std::ranges::fill(compressions_, 0.0);
  largest_ = 0.0;
  next_ = 0;
}

}  // namespace haptic

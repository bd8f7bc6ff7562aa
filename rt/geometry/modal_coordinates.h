#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/assert.h"
#include "shared/math/double4.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Reduced coordinates q [r], stored for products with float rows of length r.
///
/// A product reads whole groups of four and no float outside the row: the last group overlaps its
/// predecessor, and entries that are already counted have weight zero there. Sums are in double;
/// the floats of the file are exact inputs. Positions equal the full product to 1e-12 (test A20).
class ModalCoordinates {
 public:
  /// q = 0 in `dimension` coordinates (0 for a rigid body). Allocates; `assign` does not.
  explicit ModalCoordinates(std::uint32_t dimension)
      : dimension_(dimension),
        given_(dimension, 0.0),
        value_(padded(dimension), 0.0),
        magnitude_(padded(dimension), 0.0) {}
  explicit ModalCoordinates(std::span<const double> q)
      : ModalCoordinates(static_cast<std::uint32_t>(q.size())) {
    assign(q);
  }

  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }
  std::span<const double> values() const HAPTIC_REALTIME { return given_; }  ///< q, r numbers

  /// @param q r values
  void assign(std::span<const double> q) HAPTIC_REALTIME {
    HAPTIC_ASSERT(q.size() == dimension_);
    for (std::uint32_t j = 0; j < dimension_; ++j) given_[j] = q[j];
    const std::uint32_t whole = dimension_ / 4 * 4;
    for (std::uint32_t j = 0; j < whole; ++j) value_[j] = q[j];
    if (dimension_ < 4) {
      for (std::uint32_t j = 0; j < dimension_; ++j) value_[j] = q[j];
    } else if (whole < dimension_) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t j = dimension_ - 4 + i;
        value_[whole + i] = j < whole ? 0.0 : q[j];
      }
    }
    for (std::size_t i = 0; i < value_.size(); ++i) magnitude_[i] = std::abs(value_[i]);
  }

  /// U q for a 3 x r row-major block: a displacement or a normal correction.
  Vector3 apply(const float* block) const HAPTIC_REALTIME {
    const std::uint32_t r = dimension_;
    if (r < 4) {
      Vector3 u = Vector3::Zero();
      for (std::uint32_t j = 0; j < r; ++j) {
        u += value_[j] * Vector3(block[j], block[r + j], block[2 * r + j]);
      }
      return u;
    }
    simd::Double4 x{}, y{}, z{};
    for (std::uint32_t j = 0; j < r; j += 4) {
      const std::uint32_t at = j + 4 <= r ? j : r - 4;
      const simd::Double4 q = simd::load4(value_.data() + j);
      x = simd::multiply_add(simd::load4(block + at), q, x);
      y = simd::multiply_add(simd::load4(block + r + at), q, y);
      z = simd::multiply_add(simd::load4(block + 2 * r + at), q, z);
    }
    return {simd::sum(x), simd::sum(y), simd::sum(z)};
  }

  /// sum_j a_j |q_j| for a row of r floats.
  double absolute_sum(const float* a) const HAPTIC_REALTIME {
    const std::uint32_t r = dimension_;
    if (r < 4) {
      double total = 0.0;
      for (std::uint32_t j = 0; j < r; ++j) total += a[j] * magnitude_[j];
      return total;
    }
    simd::Double4 total{};
    for (std::uint32_t j = 0; j < r; j += 4) {
      const std::uint32_t at = j + 4 <= r ? j : r - 4;
      total = simd::multiply_add(simd::load4(a + at), simd::load4(magnitude_.data() + j), total);
    }
    return simd::sum(total);
  }

 private:
  static std::size_t padded(std::uint32_t dimension) {
    return (std::size_t{dimension} + 3) / 4 * 4;
  }

  std::uint32_t dimension_;
  std::vector<double> given_;
  std::vector<double> value_, magnitude_;  // groups of four; see the class comment
};

/// out_k += U^T f_k for several vectors f_k, with one reading of U.
/// @param block  U, 3 x r, row-major
/// @param out    r values each
template <std::size_t kVectors>
void add_transpose_products(const float* block, std::size_t r, const Vector3 (&f)[kVectors],
                            double* const (&out)[kVectors]) HAPTIC_REALTIME {
  std::size_t j = 0;
  for (; j + 4 <= r; j += 4) {
    const simd::Double4 x = simd::load4(block + j), y = simd::load4(block + r + j),
                        z = simd::load4(block + 2 * r + j);
    for (std::size_t k = 0; k < kVectors; ++k) {
      simd::store4(simd::load4(out[k] + j) + x * f[k].x() + y * f[k].y() + z * f[k].z(),
                   out[k] + j);
    }
  }
  for (; j < r; ++j) {
    for (std::size_t k = 0; k < kVectors; ++k) {
      out[k][j] += block[j] * f[k].x() + block[r + j] * f[k].y() + block[2 * r + j] * f[k].z();
    }
  }
}

/// out += U^T f for a 3 x r row-major block. @param out r values
inline void add_transpose_product(const float* block, const Vector3& f,
                                  std::span<double> out) HAPTIC_REALTIME {
  const Vector3 vectors[] = {f};
  double* const outs[] = {out.data()};
  add_transpose_products(block, out.size(), vectors, outs);
}

}  // namespace haptic

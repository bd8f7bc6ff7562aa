#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/contact/signed_field.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// A sampled distance field as its kernels read it: samples at the corners of N^3 voxels of edge h.
struct GridView {
  const float* values = nullptr;        ///< (N+1)^3 [m], x fastest
  std::ptrdiff_t row = 0, slice = 0;    ///< strides in y and z
  double cells = 0.0;                   ///< N
  double lower[3] = {}, upper[3] = {};  ///< box [m]
  double edge = 0.0, inverse_edge = 0.0;
  double boundary_minimum = 0.0;  ///< least distance on the box [m]
  double slack = 0.0;             ///< what a sampled value can fall short of a true bound [m]
  double margin = 0.0;            ///< rounding of positions [m]
};

/// The definition that every kernel follows operation by operation, so that a point's answer has
/// the same bits whoever computes it. Products that meet a sum are fused explicitly: nothing is
/// left to the compiler's taste.
namespace grid {

inline constexpr double kInverseRoot3 = 0.57735026918962576;

inline double outside(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  double square = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double excess = p[axis] - std::min(std::max(p[axis], g.lower[axis]), g.upper[axis]);
    square = std::fma(excess, excess, square);
  }
  return std::sqrt(square) + g.boundary_minimum;
}

inline double lerp(double a, double b, double t) HAPTIC_REALTIME {
  return std::fma(t, b - a, a);
}

/// How deep `p` is inside the box: distance to its nearest face, negative outside [m].
inline double depth_in_box(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  double depth = std::min(p[0] - g.lower[0], g.upper[0] - p[0]);
  depth = std::min(depth, std::min(p[1] - g.lower[1], g.upper[1] - p[1]));
  return std::min(depth, std::min(p[2] - g.lower[2], g.upper[2] - p[2]));
}

/// Radius free of contact about a point [m]. The safe one holds for any samples of a distance: the
/// interpolant is off by at most sqrt(3)/2 h, and inside the box its gradient is at most sqrt(3).
inline double free_radius(const GridView& g, double distance, const Vector3& p,
                          Culling culling) HAPTIC_REALTIME {
  if (culling == Culling::kText) return distance;
  const double by_gradient = (distance - g.margin) * kInverseRoot3;
  const double by_samples = distance - g.slack;
  // First in the list, a NaN stays: the point has no place and its subtree no contact.
  return std::max({by_samples, std::min(by_gradient, depth_in_box(g, p)), 0.0});
}

/// Lower bound outside the box and its direction.
inline SignedField::Sample bound_and_gradient(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  Vector3 excess;
  for (int axis = 0; axis < 3; ++axis) {
    excess[axis] = p[axis] - std::min(std::max(p[axis], g.lower[axis]), g.upper[axis]);
  }
  return {outside(g, p), excess / excess.norm()};
}

/// Place in a cell, 0..1.
struct CellPoint {
  double x, y, z;
};

/// The four samples (y0x0, y0x1, y1x0, y1x1) of a face of constant z, as doubles.
inline __m256d face(const float* corner, std::ptrdiff_t row) HAPTIC_REALTIME {
  __m128 four = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(corner)));
  four = _mm_loadh_pi(four, reinterpret_cast<const __m64*>(corner + row));
  return _mm256_cvtps_pd(four);
}

/// Interpolant of the cell whose lowest sample is `corner`: along z, then y, then x.
inline double interpolant(const float* corner, std::ptrdiff_t row, std::ptrdiff_t slice,
                          const CellPoint& t) HAPTIC_REALTIME {
  const __m256d low = face(corner, row);
  const __m256d rise = _mm256_sub_pd(face(corner + slice, row), low);
  const __m256d m = _mm256_fmadd_pd(_mm256_set1_pd(t.z), rise, low);
  const __m128d m0 = _mm256_castpd256_pd128(m), m1 = _mm256_extractf128_pd(m, 1);
  const __m128d y = _mm_fmadd_pd(_mm_set1_pd(t.y), _mm_sub_pd(m1, m0), m0);
  return lerp(y[0], y[1], t.x);
}

/// The same and its derivative.
inline SignedField::Sample interpolant_and_gradient(const float* corner, std::ptrdiff_t row,
                                                    std::ptrdiff_t slice, const CellPoint& t,
                                                    double inverse_edge) HAPTIC_REALTIME {
  const __m256d low = face(corner, row);
  const __m256d rise = _mm256_sub_pd(face(corner + slice, row), low);
  const __m256d m = _mm256_fmadd_pd(_mm256_set1_pd(t.z), rise, low);
  const __m128d m0 = _mm256_castpd256_pd128(m), m1 = _mm256_extractf128_pd(m, 1);
  const __m128d r0 = _mm256_castpd256_pd128(rise), r1 = _mm256_extractf128_pd(rise, 1);
  const __m128d ty = _mm_set1_pd(t.y), dy = _mm_sub_pd(m1, m0);
  const __m128d y = _mm_fmadd_pd(ty, dy, m0), dz = _mm_fmadd_pd(ty, _mm_sub_pd(r1, r0), r0);
  const double dx = y[1] - y[0];
  const Vector3 gradient(dx, lerp(dy[0], dy[1], t.x), lerp(dz[0], dz[1], t.x));
  return {std::fma(t.x, dx, y[0]), inverse_edge * gradient};
}

}  // namespace grid

/// Checks a section /field/frame and lays out a grid of N voxels a side; `values` is left null.
/// @throws InputError if a number is out of range or the box touches the object
GridView grid_of_frame(std::uint32_t resolution, std::span<const double> frame,
                       std::string_view source);

/// Entry points of one instruction set.
struct GridKernels {
  void (*evaluate)(const GridView&, const FieldPoints&, std::uint32_t count, Culling,
                   FieldSamples&) HAPTIC_REALTIME;
};

const GridKernels& grid_kernels(SimdTarget target);

}  // namespace haptic

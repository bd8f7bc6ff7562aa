#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/geometry/signed_field.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// A sampled distance field for the kernels: samples at the corners of N^3 voxels of edge h.
struct GridView {
  const float* values = nullptr;          ///< (N+1)^3 [m], x fastest
  std::ptrdiff_t row = 0, slice = 0;      ///< strides in y and z
  double cells = 0.0;                     ///< N
  double lower[3] = {}, upper[3] = {};    ///< box [m]
  alignas(32) double lower_xyyz[4] = {};  ///< `lower` in the lanes of grid::Place
  double edge = 0.0, inverse_edge = 0.0;
  double boundary_minimum = 0.0;  ///< lower bound of the distance on the surface of the box [m]
  double slack = 0.0;             ///< DistanceField::interpolation_slack() [m]
  double margin = 0.0;            ///< rounding of positions [m]
};

/// Reference implementation. Every kernel performs the same floating-point operations, so the
/// result for a point has the same bits with every instruction set. Multiply-adds are fused
/// explicitly, so that the result does not depend on the compiler.
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

/// Smallest signed distance of `p` to the planes of the box faces [m]; negative outside the box.
inline double depth_in_box(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  double depth = std::min(p[0] - g.lower[0], g.upper[0] - p[0]);
  depth = std::min(depth, std::min(p[1] - g.lower[1], g.upper[1] - p[1]));
  return std::min(depth, std::min(p[2] - g.lower[2], g.upper[2] - p[2]));
}

/// Contact-free radius about a point [m]. The safe radius is valid for the samples of any distance
/// function: the error of the interpolant is at most sqrt(3)/2 h, and inside the box its gradient
/// is at most sqrt(3).
inline double free_radius(const GridView& g, double distance, const Vector3& p,
                          Culling culling) HAPTIC_REALTIME {
  if (culling == Culling::kPublished) return distance;
  const double by_gradient = (distance - g.margin) * kInverseRoot3;
  const double by_samples = distance - g.slack;
  // std::max returns its first element if all comparisons are false, so a NaN propagates; a
  // traversal treats the point and its subtree as free of contact.
  return std::max({by_samples, std::min(by_gradient, depth_in_box(g, p)), 0.0});
}

/// Lower bound outside the box and its gradient.
inline SignedField::Sample bound_and_gradient(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  Vector3 excess;
  for (int axis = 0; axis < 3; ++axis) {
    excess[axis] = p[axis] - std::min(std::max(p[axis], g.lower[axis]), g.upper[axis]);
  }
  return {outside(g, p), excess / excess.norm()};
}

/// Cell of a point (its lowest corner, in voxels) and the local coordinates in the cell, 0..1. Both
/// are in lanes x, y, y, z, so that two overlapping loads read a point and no memory beyond it. Not
/// valid outside the box.
struct Place {
  bool inside;
  __m128i cell;
  __m256d t;

  std::int64_t i() const HAPTIC_REALTIME { return _mm_cvtsi128_si32(cell); }
  std::int64_t j() const HAPTIC_REALTIME { return _mm_extract_epi32(cell, 1); }
  std::int64_t k() const HAPTIC_REALTIME { return _mm_extract_epi32(cell, 3); }
};

inline Place locate(const GridView& g, const Vector3& p) HAPTIC_REALTIME {
  const __m256d a =
      _mm256_sub_pd(_mm256_loadu2_m128d(p.data() + 1, p.data()), _mm256_load_pd(g.lower_xyyz));
  const __m256d inverse = _mm256_set1_pd(g.inverse_edge), n = _mm256_set1_pd(g.cells);
  __m256d at = _mm256_mul_pd(a, inverse);
  // Ordered comparisons: a NaN counts as outside.
  const auto all = [](__m256d lanes) HAPTIC_REALTIME { return _mm256_movemask_pd(lanes) == 15; };
  bool inside = all(_mm256_cmp_pd(at, _mm256_setzero_pd(), _CMP_GE_OQ));
  if (!all(_mm256_cmp_pd(at, n, _CMP_LT_OQ))) [[unlikely]] {
    // The upper faces of the box belong to the last cells.
    inside = inside && all(_mm256_cmp_pd(at, n, _CMP_LE_OQ));
    at = _mm256_min_pd(at, _mm256_set1_pd(g.cells - 1.0));
  }
  const __m128i cell = _mm256_cvttpd_epi32(at);
  return {inside, cell, _mm256_fmsub_pd(a, inverse, _mm256_cvtepi32_pd(cell))};
}

/// Local coordinates in a cell, each broadcast to all lanes that it multiplies.
struct Weights {
  __m256d z;
  __m128d y, x;
};

inline Weights weights(__m256d t) HAPTIC_REALTIME {
  const __m128d xy = _mm256_castpd256_pd128(t);
  return {_mm256_permute4x64_pd(t, 0xFF), _mm_permute_pd(xy, 3), _mm_permute_pd(xy, 0)};
}
inline Weights weights(const double& x, const double& y, const double& z) HAPTIC_REALTIME {
  return {_mm256_broadcast_sd(&z), _mm_loaddup_pd(&y), _mm_loaddup_pd(&x)};
}

/// Samples (y0x0, y0x1, y1x0, y1x1) of the faces of a cell at the lower and the upper z, as
/// doubles.
struct Corners {
  __m256d low, high;
};

inline __m256d face(const float* corner, std::ptrdiff_t row) HAPTIC_REALTIME {
  // Loaded as integers: a double requires alignment to eight bytes, two floats have four.
  __m128 four = _mm_castsi128_ps(_mm_loadu_si64(corner));
  four = _mm_loadh_pi(four, reinterpret_cast<const __m64*>(corner + row));
  return _mm256_cvtps_pd(four);
}
/// Corners of the cell whose lowest sample is `corner`.
inline Corners corners(const GridView& g, const float* corner) HAPTIC_REALTIME {
  return {face(corner, g.row), face(corner + g.slice, g.row)};
}

/// Interpolant of a cell: along z, then y, then x.
inline double interpolant(const Corners& c, const Weights& t) HAPTIC_REALTIME {
  const __m256d m = _mm256_fmadd_pd(t.z, _mm256_sub_pd(c.high, c.low), c.low);
  const __m128d m0 = _mm256_castpd256_pd128(m), m1 = _mm256_extractf128_pd(m, 1);
  const __m128d y = _mm_fmadd_pd(t.y, _mm_sub_pd(m1, m0), m0);
  return _mm_cvtsd_f64(_mm_fmadd_sd(t.x, _mm_sub_sd(_mm_unpackhi_pd(y, y), y), y));
}

/// Interpolant of a cell and its gradient.
inline SignedField::Sample interpolant_and_gradient(const Corners& c, const Weights& t,
                                                    double inverse_edge) HAPTIC_REALTIME {
  const __m256d rise = _mm256_sub_pd(c.high, c.low);
  const __m256d m = _mm256_fmadd_pd(t.z, rise, c.low);
  const __m128d m0 = _mm256_castpd256_pd128(m), m1 = _mm256_extractf128_pd(m, 1);
  const __m128d r0 = _mm256_castpd256_pd128(rise), r1 = _mm256_extractf128_pd(rise, 1);
  const __m128d dy = _mm_sub_pd(m1, m0);
  const __m128d y = _mm_fmadd_pd(t.y, dy, m0), z = _mm_fmadd_pd(t.y, _mm_sub_pd(r1, r0), r0);
  // Distance and its derivative along z side by side, at x = 0 and as the difference to x = 1.
  const __m128d at0 = _mm_unpacklo_pd(y, z), difference = _mm_sub_pd(_mm_unpackhi_pd(y, z), at0);
  const __m128d value = _mm_fmadd_pd(t.x, difference, at0);
  const __m128d along_y = _mm_fmadd_sd(t.x, _mm_sub_sd(_mm_unpackhi_pd(dy, dy), dy), dy);
  const __m128d scale = _mm_set1_pd(inverse_edge);
  SignedField::Sample sample;
  sample.distance = _mm_cvtsd_f64(value);
  _mm_storeu_pd(sample.gradient.data(), _mm_mul_pd(scale, _mm_unpacklo_pd(difference, along_y)));
  _mm_storeh_pd(sample.gradient.data() + 2, _mm_mul_pd(scale, value));
  return sample;
}

}  // namespace grid

/// Checks a section /field/frame and returns the grid of N voxels per side; its `values` is null.
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

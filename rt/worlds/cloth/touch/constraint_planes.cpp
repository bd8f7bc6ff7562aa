#include "rt/worlds/cloth/touch/constraint_planes.h"

namespace haptic::cloth {

namespace {

/// A normal with less than this outside the span of the others is dependent on them.
constexpr double kDependent = 1e-9;
/// Exchanges for each plane; a few in all are usual.
constexpr std::size_t kExchangesPerPlane = 4;
/// Subsets of at most two of three planes by their bits, those with fewer planes first.
constexpr unsigned kSubsets[] = {0, 1, 2, 4, 3, 5, 6};

/// The foot of p on the intersection of the active planes of `result`. @returns false if their
/// normals are dependent
bool project(std::span<const HalfSpace> planes, const Vector3& p,
             NearestPoint& result) HAPTIC_REALTIME {
  // N = Q R with orthonormal columns of Q; x = p - Q y with R^T y = N^T p - d; R lambda = y.
  const std::size_t count = result.count;
  Vector3 q[3];
  double r[3][3] = {}, y[3] = {};
  for (std::size_t j = 0; j < count; ++j) {
    const HalfSpace& plane = planes[result.active[j]];
    Vector3 rest = plane.normal;
    for (int pass = 0; pass < 2; ++pass) {  // the second removes what rounding left
      for (std::size_t i = 0; i < j; ++i) {
        const double along = q[i].dot(rest);
        rest -= along * q[i];
        r[i][j] += along;
      }
    }
    r[j][j] = rest.norm();
    if (!(r[j][j] > kDependent)) return false;
    q[j] = rest / r[j][j];
    y[j] = plane.normal.dot(p) - plane.offset;
    for (std::size_t i = 0; i < j; ++i) y[j] -= r[i][j] * y[i];
    y[j] /= r[j][j];
  }
  result.point = p;
  for (std::size_t j = 0; j < count; ++j) result.point -= y[j] * q[j];
  for (std::size_t j = count; j-- > 0;) {
    double sum = y[j];
    for (std::size_t k = j + 1; k < count; ++k) sum -= r[j][k] * result.lambda[k];
    result.lambda[j] = sum / r[j][j];
  }
  return true;
}

double excess(const HalfSpace& plane, const Vector3& x) HAPTIC_REALTIME {
  return plane.normal.dot(x) - plane.offset;
}

/// Takes the new plane and of the old ones those that the nearest point to p lies on.
bool exchange(std::span<const HalfSpace> planes, const Vector3& p, std::uint32_t entering,
              double tolerance, NearestPoint& result) HAPTIC_REALTIME {
  const NearestPoint old = result;
  for (const unsigned subset : kSubsets) {
    if (subset >> old.count != 0) continue;
    NearestPoint trial;
    for (std::size_t i = 0; i < old.count; ++i) {
      if (subset >> i & 1u) trial.active[trial.count++] = old.active[i];
    }
    trial.active[trial.count++] = entering;
    if (!project(planes, p, trial)) continue;
    bool optimal = true;
    for (std::size_t i = 0; i < trial.count; ++i) optimal &= trial.lambda[i] <= 0.0;
    for (std::size_t i = 0; i < old.count; ++i) {
      optimal &= excess(planes[old.active[i]], trial.point) >= -tolerance;
    }
    if (optimal) {
      result = trial;
      return true;
    }
  }
  return false;
}

}  // namespace

bool nearest_point(std::span<const HalfSpace> planes, const Vector3& p, double tolerance,
                   NearestPoint& result) HAPTIC_REALTIME {
  result = {};
  result.point = p;
  const std::size_t most = kExchangesPerPlane * planes.size() + 1;
  for (std::size_t exchanges = 0; exchanges < most; ++exchanges) {
    double worst = -tolerance;
    std::uint32_t entering = 0;
    bool violated = false;
    for (std::uint32_t i = 0; i < planes.size(); ++i) {
      const double e = excess(planes[i], result.point);
      if (e < worst) {
        worst = e;
        entering = i;
        violated = true;
      }
    }
    if (!violated) return true;
    if (!exchange(planes, p, entering, tolerance, result)) return false;
  }
  return false;
}

}  // namespace haptic::cloth

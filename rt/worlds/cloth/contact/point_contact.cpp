#include "rt/worlds/cloth/contact/point_contact.h"

#include <Eigen/LU>
#include <algorithm>
#include <span>

#include "rt/worlds/cloth/touch/constraint_planes.h"

namespace haptic::cloth {

namespace {

/// A plane that is passed by less counts as touched [m].
constexpr double kTouched = 1e-12;
constexpr int kMaxTurns = 12, kMaxHalves = 8;

/// The point nearest to the hand in front of planes that do not give way. @returns false if none
bool nearest_to_hand(const PointContact& contact, const PointContact::Values& moved,
                     NearestPoint& nearest) HAPTIC_REALTIME {
  std::array<HalfSpace, PointContact::kMaxPlanes> planes;
  for (std::uint32_t i = 0; i < contact.count; ++i) {
    planes[i] = {contact.planes[i].normal, contact.planes[i].offset + moved[i]};
  }
  return nearest_point({planes.data(), contact.count}, -contact.lag, kTouched, nearest);
}

}  // namespace

PointContact::Held PointContact::held(const Values& moved) const HAPTIC_REALTIME {
  const auto depth = [&](std::uint32_t i, const Vector3& u) HAPTIC_REALTIME {
    return planes[i].offset + moved[i] - planes[i].normal.dot(u);
  };
  const auto energy = [&](const Vector3& u) HAPTIC_REALTIME {
    double sum = (lag + u).squaredNorm();
    for (std::uint32_t i = 0; i < count; ++i) {
      const double d = std::max(0.0, depth(i, u));
      sum += d * d / kGive;
    }
    return sum;
  };
  Held held;
  Vector3 u = -lag;
  if (NearestPoint nearest; nearest_to_hand(*this, moved, nearest)) {
    u = nearest.point;
    for (std::size_t i = 0; i < nearest.count; ++i) held.by[nearest.active[i]] = true;
  } else {
    for (std::uint32_t i = 0; i < count; ++i) held.by[i] = depth(i, u) > 0.0;
  }
  // Newton's method. The energy is convex, and quadratic between changes of the planes that hold.
  double least = energy(u);
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    Matrix3 A = Matrix3::Identity();
    Vector3 right = -lag;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!held.by[i]) continue;
      A += planes[i].normal * planes[i].normal.transpose() / kGive;
      right += (planes[i].offset + moved[i]) / kGive * planes[i].normal;
    }
    held.free = A.inverse();
    const Vector3 way = held.free * right - u;
    double part = 1.0, next = energy(u + way);
    for (int halves = 0; halves < kMaxHalves && next > least; ++halves) {
      part *= 0.5;
      next = energy(u + part * way);
    }
    u += part * way;
    least = next;
    bool settled = part == 1.0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool by = depth(i, u) > 0.0;
      settled = settled && by == held.by[i];
      held.by[i] = by;
    }
    if (settled) break;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    held.lambda[i] = std::max(0.0, depth(i, u)) / kGive;
    held.spring += held.lambda[i] * planes[i].normal;
  }
  return held;
}

void PointContact::change(const Held& held, const Values& moved,
                          Values& lambda) const HAPTIC_REALTIME {
  Vector3 push = Vector3::Zero();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (held.by[i]) push += moved[i] / kGive * planes[i].normal;
  }
  const Vector3 u = held.free * push;
  for (std::uint32_t i = 0; i < count; ++i) {
    lambda[i] = held.by[i] ? (moved[i] - planes[i].normal.dot(u)) / kGive : 0.0;
  }
}

void PointContact::make_up() HAPTIC_REALTIME {
  NearestPoint nearest;
  if (!nearest_to_hand(*this, {}, nearest)) return;
  lag += lag + nearest.point - held({}).spring;
}

}  // namespace haptic::cloth

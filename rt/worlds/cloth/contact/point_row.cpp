#include "rt/worlds/cloth/contact/point_row.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace haptic::cloth {

void PointRow::set(const PointContact& contact) HAPTIC_REALTIME {
  contact_ = contact;
  presses_ = true;
}

bool PointRow::finite() const HAPTIC_REALTIME {
  if (!presses_) return true;
  double sum = 0.0 * (contact_.lag.sum() + contact_.stiffness + contact_.friction);  // or NaN
  for (const PointContact::Plane& plane : std::span(contact_.planes).first(contact_.count)) {
    sum += 0.0 * (plane.normal.sum() + plane.offset + plane.part);
    for (const double weight : plane.weights) sum += 0.0 * weight;
  }
  return sum == 0.0;
}

PointRow::Motion PointRow::motion(std::span<const double> z) const HAPTIC_REALTIME {
  Motion motion;
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    const PointContact::Plane& plane = contact_.planes[i];
    Vector3 site = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) site += plane.weights[k] * at(z, plane.particles[k]);
    motion.along[i] = h_ * plane.normal.dot(site);
    motion.mean += h_ * plane.part * site;
  }
  return motion;
}

/// Adds h J^T F.
void PointRow::spread(const Force& force, double h, std::span<double> to) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    const PointContact::Plane& plane = contact_.planes[i];
    const Vector3 f = force.normal[i] * plane.normal + plane.part * force.friction;
    for (std::size_t k = 0; k < 3; ++k) at(to, plane.particles[k]) += h * plane.weights[k] * f;
  }
}

PointRow::Law PointRow::law(const Motion& motion) const HAPTIC_REALTIME {
  const double k = contact_.stiffness;
  Law law;
  law.held = contact_.held(motion.along);
  law.motion = motion;
  const Vector3 stretch = law.held.free * (contact_.lag + motion.mean);
  const double limit = contact_.friction * k * law.held.spring.norm(), length = stretch.norm();
  law.tangential = limit < k * length ? limit / length : limit > 0.0 ? k : 0.0;
  for (std::uint32_t i = 0; i < contact_.count; ++i) law.force.normal[i] = -k * law.held.lambda[i];
  law.force.friction = -law.tangential * stretch;
  return law;
}

/// By which the force changes with a motion of the cloth.
PointRow::Force PointRow::change(const Motion& motion) const HAPTIC_REALTIME {
  Force force;
  contact_.change(law_.held, motion.along, force.normal);
  for (double& f : force.normal) f *= -contact_.stiffness;
  force.friction = -law_.tangential * (law_.held.free * motion.mean);
  return force;
}

void PointRow::predict(std::span<const double> v, double h) HAPTIC_REALTIME {
  h_ = h;
  if (presses_) law_ = law(motion(v));
}

/// Whether a law has the forces of the last evaluate().
bool PointRow::confirms(const Law& law) const HAPTIC_REALTIME {
  constexpr double kConfirmed = 0.01;
  double off = (law.force.friction - force_.friction).norm(), size = law.force.friction.norm();
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    off += std::abs(law.force.normal[i] - force_.normal[i]);
    size += std::abs(law.force.normal[i]);
  }
  return off <= kConfirmed * size;
}

double PointRow::work(const Force& force, const Motion& way) const HAPTIC_REALTIME {
  double work = force.friction.dot(way.mean);
  for (std::uint32_t i = 0; i < contact_.count; ++i) work += force.normal[i] * way.along[i];
  return work;
}

/// The matrix of the pass ends where the derivative of its energy is zero, so that of the energy is
/// (a - 1) curvature + (F of the pass - F) . way.
double PointRow::best_part(double curvature) const HAPTIC_REALTIME {
  constexpr int kHalves = 10;
  if (!presses_ || confirms(law(moved_))) return 1.0;
  Motion way = moved_;
  for (std::uint32_t i = 0; i < contact_.count; ++i) way.along[i] -= law_.motion.along[i];
  way.mean -= law_.motion.mean;
  const double at_start = work(law_.force, way), at_end = work(force_, way);
  const auto slope = [&](double a) HAPTIC_REALTIME {
    Motion motion = law_.motion;
    for (std::uint32_t i = 0; i < contact_.count; ++i) motion.along[i] += a * way.along[i];
    motion.mean += a * way.mean;
    const double of_pass = at_start + a * (at_end - at_start);
    return (a - 1.0) * curvature + of_pass - work(law(motion).force, way);
  };
  if (!(slope(1.0) > 0.0)) return 1.0;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < kHalves; ++k) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0.0 ? high : low) = middle;
  }
  return high;
}

std::size_t PointRow::decide() HAPTIC_REALTIME {
  if (!presses_) return 0;
  const Law next = law(moved_);
  if (confirms(next)) return 0;
  law_ = next;
  return 1;
}

/// The point eliminated: k / give (sum n n^T - B free / give B^T), B the sum of n n^T by particle.
void PointRow::add_to(ClothPreconditioner& preconditioner) const HAPTIC_REALTIME {
  if (!presses_) return;
  constexpr double kGive = PointContact::kGive;
  constexpr std::size_t kMaxParticles = 3 * PointContact::kMaxPlanes;
  std::array<std::uint32_t, kMaxParticles> particles;
  std::array<Matrix3, kMaxParticles> normal, mean;
  std::size_t count = 0;
  const auto place = [&](std::uint32_t particle) HAPTIC_REALTIME {
    std::size_t k = 0;
    while (k < count && particles[k] != particle) ++k;
    if (k == count) {
      particles[count] = particle;
      normal[count].setZero();
      mean[count++].setZero();
    }
    return k;
  };
  const auto each_plane = [&](auto visit) HAPTIC_REALTIME {
    for (std::uint32_t i = 0; i < contact_.count; ++i) {
      const PointContact::Plane& plane = contact_.planes[i];
      const Matrix3 across = plane.normal * plane.normal.transpose();
      if (law_.held.by[i]) visit(plane, across);
      if (!law_.held.by[i] && plane.part > 0.0) visit(plane, Matrix3::Zero());
    }
  };
  each_plane([&](const PointContact::Plane& plane, const Matrix3& across) HAPTIC_REALTIME {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at_particle = place(plane.particles[k]);
      normal[at_particle] += h_ * plane.weights[k] * across;
      mean[at_particle].diagonal().array() += h_ * plane.weights[k] * plane.part;
    }
  });
  const std::span<const std::uint32_t> all = std::span(particles).first(count);
  const std::size_t parts = preconditioner.parts(all);
  const double stiff = contact_.stiffness / kGive;
  each_plane([&](const PointContact::Plane& plane, const Matrix3& across) HAPTIC_REALTIME {
    std::array<Matrix3, 3> weights;
    for (std::size_t k = 0; k < 3; ++k) weights[k] = h_ * plane.weights[k] * Matrix3::Identity();
    preconditioner.add(plane.particles, weights, stiff * across, parts);
  });
  preconditioner.add(all, normal, -stiff / kGive * law_.held.free, parts);
  preconditioner.add(all, mean, law_.tangential * law_.held.free, parts);
}

void PointRow::evaluate(std::span<const double> z) HAPTIC_REALTIME {
  if (!presses_) return;
  moved_ = motion(z);
  Motion since = moved_;
  for (std::uint32_t i = 0; i < contact_.count; ++i) since.along[i] -= law_.motion.along[i];
  since.mean -= law_.motion.mean;
  force_ = change(since);
  for (std::uint32_t i = 0; i < contact_.count; ++i) force_.normal[i] += law_.force.normal[i];
  force_.friction += law_.force.friction;
}

void PointRow::add_impulses(double scale, std::span<double> to) const HAPTIC_REALTIME {
  if (presses_) spread(force_, scale * h_, to);
}

void PointRow::add_product(std::span<const double> p, std::span<double> q) const HAPTIC_REALTIME {
  if (!presses_) return;
  Force force = change(motion(p));
  for (double& f : force.normal) f = -f;
  force.friction = -force.friction;
  spread(force, h_, q);
}

void PointRow::set_base(std::span<const double> z) HAPTIC_REALTIME {
  if (presses_) base_ = motion(z);
}

double PointRow::push_only(double scale) HAPTIC_REALTIME {
  if (!presses_) return 0.0;
  Motion end = base_;
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    end.along[i] += scale * (moved_.along[i] - base_.along[i]);
  }
  end.mean += scale * (moved_.mean - base_.mean);
  Law reached = law(end);
  if (reached.tangential > law_.tangential) {  // a friction that could drive
    reached.force.friction *= law_.tangential / reached.tangential;
  }
  force_ = reached.force;
  pressure_ = contact_.stiffness * reached.held.spring.norm();
  return work(force_, end);
}

ContactForce PointRow::force() const HAPTIC_REALTIME {
  ContactForce result;
  result.force = force_.friction;
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    result.force += force_.normal[i] * contact_.planes[i].normal;
  }
  result.normal = pressure_;
  return result;
}

void PointRow::add_hand_motion(const Vector3& e, std::span<double> to) const HAPTIC_REALTIME {
  if (!presses_) return;
  Motion back;  // of the cloth, with the same effect
  for (std::uint32_t i = 0; i < contact_.count; ++i) {
    back.along[i] = -contact_.planes[i].normal.dot(e);
  }
  back.mean = -e;
  spread(change(back), h_, to);
}

}  // namespace haptic::cloth

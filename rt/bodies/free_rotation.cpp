#include "rt/bodies/free_rotation.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace haptic {
namespace {

/// Blanes & Moan 2002, table 2, S6 of order 4: the first half of the coefficients, which read the
/// same backwards.
constexpr double kSecondParts[] = {0.0792036964311957, 0.353172906049774, -0.0420650803577195};
constexpr double kTopParts[] = {0.209515106613362, -0.143851773179818};

/// A body that turns, from the start of a step on: model axes of the principal frame.
struct Turning {
  Vector3 momentum;
  Quaternion turn = Quaternion::Identity();

  /// About a fixed axis of the body, by this rotation vector.
  void rotate(const Vector3& angle) HAPTIC_REALTIME {
    const Quaternion part = rotation_exponential(angle);
    turn = turn * part;
    momentum = part.conjugate() * momentum;
  }
};

}  // namespace

void FreeRotation::set_inertia(const Matrix3& inertia) HAPTIC_REALTIME {
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(inertia);
  const Vector3 inverse = eigen.eigenvalues().cwiseInverse();  // descending
  // The pair of axes that differ least are those of the symmetric top.
  const bool last_two = inverse[1] - inverse[2] <= inverse[0] - inverse[1];
  const Eigen::Index first = last_two ? 1 : 0, third = last_two ? 0 : 2;
  const Eigen::Index second = 3 - first - third;
  axes_ << eigen.eigenvectors().col(first), eigen.eigenvectors().col(second),
      eigen.eigenvectors().col(first).cross(eigen.eigenvectors().col(second));
  equal_ = inverse[first];
  second_ = inverse[second] - equal_;
  along_ = inverse[third] - equal_;
}

Quaternion FreeRotation::turn(const Vector3& momentum, const Vector3& spin,
                              double dt) const HAPTIC_REALTIME {
  const Vector3 slow = axes_.transpose() * spin;
  Turning body{.momentum = axes_.transpose() * momentum};
  const auto top = [&](double h) HAPTIC_REALTIME {
    // About the momentum, which stays in space, and about the axis of the top, in the body.
    body.turn = body.turn * rotation_exponential(h * equal_ * body.momentum);
    body.rotate({0.0, 0.0, h * along_ * body.momentum.z()});
  };
  const auto second = [&](double h) HAPTIC_REALTIME {
    body.rotate({0.0, h * second_ * body.momentum.y(), 0.0});
  };
  const bool spins = slow.squaredNorm() > 0.0;
  if (spins) body.rotate(0.5 * dt * slow);
  if (second_ == 0.0) {
    top(dt);
  } else {
    const double a4 = 1.0 - 2.0 * (kSecondParts[0] + kSecondParts[1] + kSecondParts[2]);
    const double b3 = 0.5 - (kTopParts[0] + kTopParts[1]);
    second(kSecondParts[0] * dt);
    top(kTopParts[0] * dt);
    second(kSecondParts[1] * dt);
    top(kTopParts[1] * dt);
    second(kSecondParts[2] * dt);
    top(b3 * dt);
    second(a4 * dt);
    top(b3 * dt);
    second(kSecondParts[2] * dt);
    top(kTopParts[1] * dt);
    second(kSecondParts[1] * dt);
    top(kTopParts[0] * dt);
    second(kSecondParts[0] * dt);
  }
  if (spins) body.rotate(0.5 * dt * slow);
  Quaternion turn = body.turn;
  turn.vec() = axes_ * body.turn.vec();
  return turn.normalized();
}

}  // namespace haptic

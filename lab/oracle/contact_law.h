#pragma once

#include "rt/contact/contact_pair.h"
#include "shared/math/pose.h"

/// The contact law of one point, term by term as in Barbic 2007, for any field gradient.
namespace haptic::oracle {

/// One point in contact, world axes. `g` is the field's gradient there, `n` the inward unit normal,
/// `r` the arm from the held body's origin, `d` < 0 the distance.
struct PointContact {
  double k, d;
  Vector3 n, g, r;
};

/// Force and torque on the held body (docs/methods/contact-and-coupling.md, "Point contact").
inline Wrench point_wrench(const PointContact& c, HeldSide held) {
  const Vector3 f = (held == HeldSide::kField ? 1.0 : -1.0) * c.k * c.d * c.n;
  return {f, c.r.cross(f)};
}

inline Matrix6 blocks(const Matrix3& fx, const Matrix3& fw, const Matrix3& tx, const Matrix3& tw) {
  Matrix6 m;
  m << fx, fw, tx, tw;
  return m;
}

/// Field held: Barbic 2007, Eq 4.5-4.8; docs/methods/contact-and-coupling.md, "Contact gradients".
inline Matrix6 field_gradient(const PointContact& c, ContactGradient which) {
  const Matrix3 ng = c.n * c.g.transpose(), r = skew(c.r), f = skew(c.k * c.d * c.n);
  const Matrix3 fx = -c.k * ng;
  if (which == ContactGradient::kMirror) {
    const Matrix3 fw = c.k * ng * r + c.k * c.d * skew(c.n);
    return blocks(fx, fw, f + r * fx, -f * r + r * fw);
  }
  const Matrix3 fw = c.k * ng * r;
  return blocks(fx, fw, f + r * fx, r * fw);
}

/// Shell held: the point moves by Dx + Dw x r, normal and arm turn with the shell, the arm does not
/// change with Dx. World axes: dF = -k n g.(Dx + Dw x r) + Dw x F, dT = (Dw x r) x F + r x dF.
inline Matrix6 shell_gradient(const PointContact& c, ContactGradient which) {
  const Matrix3 ng = c.n * c.g.transpose(), r = skew(c.r);
  const Vector3 force = -c.k * c.d * c.n;
  const Matrix3 f = skew(force), t = skew(c.r.cross(force));
  const Matrix3 fx = -c.k * ng, fw = c.k * ng * r - f;
  const Matrix6 direct = blocks(fx, fw, r * fx, f * r + r * fw);
  if (which == ContactGradient::kDirect) return direct;
  return direct + blocks(Matrix3::Zero(), f, Matrix3::Zero(), t);
}

inline Matrix6 point_gradient(const PointContact& c, HeldSide held, ContactGradient which) {
  return held == HeldSide::kField ? field_gradient(c, which) : shell_gradient(c, which);
}

}  // namespace haptic::oracle

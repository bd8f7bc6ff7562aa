#include <algorithm>
#include <array>
#include <cmath>

#include "host/mesh/implicit_solid.h"
#include "host/mesh/shape_table.h"

namespace haptic {
namespace {

/// A finger as fractions of the hand's length: root, direction in the plane of the palm [rad] for
/// a spread of 1 rad between neighbours, and length.
struct FingerShape {
  double x, y, turns, length, radius;
};
/// Index finger to little finger, then the thumb.
constexpr std::array<FingerShape, 4> kFingers = {{{0.50, 0.155, 1.5, 0.43, 1.0},
                                                  {0.53, 0.053, 0.5, 0.47, 1.0},
                                                  {0.52, -0.053, -0.5, 0.43, 1.0},
                                                  {0.48, -0.155, -1.5, 0.34, 0.9}}};

/// Distance to a segment with round ends.
double finger_distance(const Vector3& p, const Vector3& root, const Vector3& tip, double radius) {
  const Vector3 along = tip - root;
  const double t = std::clamp((p - root).dot(along) / along.squaredNorm(), 0.0, 1.0);
  return (p - root - t * along).norm() - radius;
}

/// A flat open hand: wrist at x = 0, fingers towards +x, palm down.
TriangleMesh build_hand(const ShapeValues& value) {
  const double length = value("length"), spread = value("spread");
  const double radius = value("finger_radius") * length, thickness = value("thickness") * length;
  if (radius > 0.5 * thickness) {
    value.refuse("finger_radius", "fingers thicker than the palm", "at most half the thickness");
  }
  const Vector3 palm_centre(0.345 * length, 0.0, 0.0);
  const Vector3 palm_half(0.205 * length, 0.21 * length, 0.5 * thickness);
  const Vector3 wrist_centre(0.09 * length, 0.0, 0.0);
  const Vector3 wrist_half(0.09 * length, 0.13 * length, 0.5 * thickness);
  const double rounding = 0.45 * thickness, seam = 0.04 * length;
  // Tip of the middle finger: the hand is as long as asked.
  double reach = 0.0;
  for (const FingerShape& f : kFingers) {
    reach = std::max(reach, f.x + f.length * std::cos(f.turns * spread));
  }
  const double stretch = (1.0 - radius / length) / reach;
  const Implicit solid = [=](const Vector3& p) {
    const double wrist = box_distance(p - wrist_centre, wrist_half, 0.2 * thickness);
    double hand = smooth_union(wrist, box_distance(p - palm_centre, palm_half, rounding), seam);
    for (const FingerShape& f : kFingers) {
      const double angle = f.turns * spread;
      const Vector3 root = length * Vector3(f.x * stretch, f.y, 0.0);
      const Vector3 tip =
          root + f.length * stretch * length * Vector3(std::cos(angle), std::sin(angle), 0.0);
      hand = smooth_union(hand, finger_distance(p, root, tip, f.radius * radius), 0.5 * seam);
    }
    const Vector3 thumb_root(0.25 * length, 0.16 * length, 0.0);
    const Vector3 thumb_tip(0.50 * length, 0.42 * length, 0.0);
    return smooth_union(hand, finger_distance(p, thumb_root, thumb_tip, 1.15 * radius), seam);
  };
  const double half = 0.62 * length;
  const BoundingBox box{{0.0, -half, -thickness}, {length, half, thickness}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

}  // namespace

std::vector<ShapeEntry> hand_shapes() {
  return {
      {{"hand",
        "flat open hand: wrist at x = 0, fingers towards +x, palm down, thumb towards -z",
        {{"length", 0.19, 0.01, 10.0, "m", "from the wrist to the tip of the middle finger"},
         {"finger_radius", 0.042, 0.01, 0.1, "1", "over the length"},
         {"thickness", 0.085, 0.03, 0.3, "1", "of the palm, over the length"},
         {"spread", 0.33, 0.0, 0.35, "rad", "angle between neighbouring fingers"},
         {"resolution", 120, 24, 800, "1", "cells along the longest side"}}},
       build_hand},
  };
}

}  // namespace haptic

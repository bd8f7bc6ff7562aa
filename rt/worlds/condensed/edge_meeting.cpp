#include "rt/worlds/condensed/edge_meeting.h"

#include <algorithm>

namespace haptic::condensed {

namespace {

/// Cosine of 35 degrees: that much the field turns at least between the ends. Points on a ball that
/// are half of its radius apart see it turn by 29.
constexpr double kRound = 0.82;
/// Cosine of 8 degrees: that much within a voxel to both sides. A ball turns by 1.8 there, a fillet
/// of a tenth of the tool's size by 9.
constexpr double kSharp = 0.99;
/// Of the bracket about the nearest point: its width, over the edge of the field's voxels; how far
/// from its ends it is cut, over its width; and how often at most: each cut at an edge leaves a
/// twentieth.
constexpr double kNarrow = 0.1;
constexpr double kTrim = 0.05;
constexpr int kMaxCuts = 16;
/// Least length of the weighted sum of both gradients. Two faces that meet at 11 degrees have this;
/// a shorter sum means that the segment goes through the tool, in at one face and out at another.
constexpr double kPierced = 0.1;

struct Place {
  double along, distance, slope;
  Vector3 gradient;
};

bool falls_and_rises(const Place& low, const Place& high) HAPTIC_REALTIME {
  return low.slope < 0.0 && high.slope > 0.0;
}

/// Whether the angle between the directions is above that of a cosine.
bool turns(const Place& low, const Place& high, double cosine) HAPTIC_REALTIME {
  return low.gradient.dot(high.gradient) < cosine * low.gradient.norm() * high.gradient.norm();
}

double tangent(const Place& at, double along) HAPTIC_REALTIME {
  return at.distance + at.slope * (along - at.along);
}

/// At a sharp edge, where the distance is least.
double where_tangents_meet(const Place& low, const Place& high) HAPTIC_REALTIME {
  return (low.distance - high.distance + high.slope * high.along - low.slope * low.along) /
         (high.slope - low.slope);
}

}  // namespace

std::optional<EdgeMeeting> edge_meeting(const SignedField& tool, const Vector3& a, const Vector3& b,
                                        double margin) HAPTIC_REALTIME {
  const Vector3 way = b - a;
  const auto look = [&](double along) HAPTIC_REALTIME {
    const SignedField::Sample at = tool.distance_and_gradient(a + along * way);
    return Place{along, at.distance, at.gradient.dot(way), at.gradient};
  };
  Place low = look(0.0), high = look(1.0);
  if (!falls_and_rises(low, high) || !turns(low, high, kRound)) return std::nullopt;

  const double voxel = tool.edge() / way.norm();
  double along = where_tangents_meet(low, high);
  for (int cut = 0; cut < kMaxCuts && high.along - low.along > kNarrow * voxel; ++cut) {
    // Below any place of the segment, if the distance is convex.
    if (!(tangent(low, along) < margin)) return std::nullopt;
    const double trim = kTrim * (high.along - low.along);
    const Place middle = look(std::clamp(along, low.along + trim, high.along - trim));
    (middle.slope < 0.0 ? low : high) = middle;
    along = where_tangents_meet(low, high);
  }
  // Closer than a voxel to the tool's edge, the gradient of a sampled field is a mixture of those
  // of the two faces.
  low = look(along - voxel), high = look(along + voxel);
  if (!falls_and_rises(low, high) || !turns(low, high, kSharp)) return std::nullopt;
  along = std::clamp(where_tangents_meet(low, high), 0.0, 1.0);
  const double distance = tangent(low, along);
  if (!(distance < margin)) return std::nullopt;
  const double weight = high.slope / (high.slope - low.slope);
  const Vector3 push = weight * low.gradient + (1.0 - weight) * high.gradient;
  const double length = push.norm();
  if (!(length > kPierced)) return std::nullopt;
  return EdgeMeeting{along, distance / length, push / length};
}

}  // namespace haptic::condensed

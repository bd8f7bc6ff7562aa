#include "rt/worlds/condensed/first_meeting.h"

namespace haptic::condensed {

bool first_meeting(const MovingTriangle& triangle, const Vector3& start, const Vector3& end,
                   double tolerance, Meeting& meeting) HAPTIC_REALTIME {
  const PassingVolume volume(triangle, start, end);
  double turns[2];
  const int count = volume.turns(turns);
  const double area2 =
      (triangle.start[1] - triangle.start[0]).cross(triangle.start[2] - triangle.start[0]).norm();
  double low = 0.0, outside = volume.at(0.0);
  for (int i = 0; i <= count; ++i) {
    const double high = i < count ? turns[i] : 1.0, after = volume.at(high);
    // At the start, a point that is a rounding inside and moves inwards passes now.
    const bool grazes = i == 0 && outside <= 0.0 && outside >= -tolerance * area2;
    if ((outside > 0.0 || grazes) && after <= 0.0 && after < outside) {
      const double time = grazes ? low : volume.root(low, high, 1.0);
      if (weights_inside(triangle, start, end, time, meeting.weights)) {
        meeting.time = time;
        return true;
      }
    }
    low = high;
    outside = after;
  }
  return false;
}

}  // namespace haptic::condensed

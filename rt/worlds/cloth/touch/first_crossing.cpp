#include "rt/worlds/cloth/touch/first_crossing.h"

#include <cmath>

#include "rt/geometry/moving_triangle.h"

namespace haptic::cloth {

bool first_crossing(const Corners& start, const Corners& end, const Vector3& point_start,
                    const Vector3& point_end, double tolerance,
                    Crossing& crossing) HAPTIC_REALTIME {
  const MovingTriangle triangle{{start.a, start.b, start.c}, {end.a, end.b, end.c}};
  const PassingVolume volume(triangle, point_start, point_end);
  const double near = tolerance * (end.b - end.a).cross(end.c - end.a).norm();
  double turns[2];
  const int count = volume.turns(turns);
  double low = 0.0, before = volume.at(0.0);
  for (int i = 0; i <= count; ++i) {
    const double high = i < count ? turns[i] : 1.0;
    double after = volume.at(high);
    if (i == count && std::abs(after) <= near) after = 0.0;
    const double side = before > 0.0 ? 1.0 : -1.0;
    if (before != 0.0 && side * after <= 0.0) {
      const double time = volume.root(low, high, side);
      if (weights_inside(triangle, point_start, point_end, time, crossing.weights)) {
        crossing.time = time;
        crossing.side = side;
        return true;
      }
    }
    low = high;
    before = after;
  }
  return false;
}

}  // namespace haptic::cloth

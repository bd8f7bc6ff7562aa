#include "rt/contact/contact_wall.h"

namespace haptic {
namespace {

/// Each step of Newton's method leaves out springs that are no deeper than a weighted mean of those
/// before it: a few steps in practice; depths that double from spring to spring, 60 in numbers of
/// 53 bits.
constexpr int kMaxWallSteps = 64;

}  // namespace

/// K D - sum k_i max(0, depth_i - D) is concave in D, so that Newton's method from zero approaches
/// the root from below, and is exact once the springs that press are those of the root.
double ContactWall::give(double stiffness, std::span<const Spring> springs) HAPTIC_REALTIME {
  double give = 0.0;
  for (int i = 0; i < kMaxWallSteps; ++i) {
    double sum = stiffness, moment = 0.0;
    for (const Spring& spring : springs) {
      if (!(spring.depth > give)) continue;
      sum += spring.stiffness;
      moment += spring.stiffness * spring.depth;
    }
    const double next = moment / sum;
    if (!(next > give)) break;
    give = next;
  }
  return give;
}

}  // namespace haptic

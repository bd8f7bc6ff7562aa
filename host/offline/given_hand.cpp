#include "host/offline/given_hand.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic {

void GivenHand::put(const Pose& pose, const Twist& twist, std::uint32_t buttons) {
  constexpr double kUnit = 1e-3;       // as a hand script's rows
  constexpr double kRounding = 1e-14;  // an orientation that a script has normalised stays as it is
  if (!is_finite(pose) || !twist.linear.allFinite() || !twist.angular.allFinite()) {
    throw InputError("hand", "", "found a value that is not finite", "finite poses and twists");
  }
  const double norm = pose.orientation.norm();
  if (std::abs(norm - 1.0) > kUnit) {
    throw InputError("hand", "orientation", fmt::format("found norm {:g}", norm),
                     "a unit quaternion w, x, y, z");
  }
  pose_ = pose;
  if (std::abs(norm - 1.0) > kRounding) pose_.orientation.normalize();
  twist_ = twist;
  buttons_ = buttons;
}

}  // namespace haptic
